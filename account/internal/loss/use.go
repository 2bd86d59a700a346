package loss

import "slices"

// A Use is one mechanism in a list of releases.
type Use struct {
	Mechanism  Mechanism
	Sampling   Sampling
	ReplaceOne bool // neighbours differ by the exchange of one unit
}

// A Theorem is named if a use of its mechanism needs it. If Used is nil, every use does.
type Theorem struct {
	Name string
	Used func(Use) bool
}

// theoremNames names the theorems behind the bounds for uses, each once, in the order of Kinds. by picks the curves or
// the pairs.
func theoremNames(uses []Use, by func(*Kind) []Theorem) (names []string) {
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

// by returns the rule that a theorem is for one way of sampling.
func by(s Sampling) func(Use) bool { return func(u Use) bool { return u.Sampling == s } }
