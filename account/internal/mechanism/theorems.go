package mechanism

import "slices"

// A Use is a mechanism in a list of releases.
type Use struct {
	Mechanism  Mechanism
	Sampling   Sampling
	ReplaceOne bool // neighbours differ by a unit exchanged
}

// A Theorem is named where a use of its mechanism rests on it; where Used is nil, always.
type Theorem struct {
	Name string
	Used func(Use) bool
}

// Theorems names what the bounds of uses rest on, each once, in the order of Kinds. by picks the curves or the pairs.
func Theorems(uses []Use, by func(*Kind) []Theorem) (names []string) {
	for _, k := range Kinds {
		for _, theorem := range by(k) {
			used := func(u Use) bool {
				return u.Mechanism.Kind() == k && (theorem.Used == nil || theorem.Used(u))
			}
			if !slices.Contains(names, theorem.Name) && slices.ContainsFunc(uses, used) {
				names = append(names, theorem.Name)
			}
		}
	}
	return names
}

// by is the rule of a theorem about one way of sampling.
func by(s Sampling) func(Use) bool { return func(u Use) bool { return u.Sampling == s } }
