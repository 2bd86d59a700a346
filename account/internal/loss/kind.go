package loss

import "math"

// A Kind has the common properties of all mechanisms of one type: theorems, and the JSON form. The form is a DpEvent of
// dp_accounting. If there is no DpEvent, and in older lists, it is an event of our own. account's EVENTS.md explains
// each member.
type Kind struct {
	Name string
	// Curves are the theorems behind Rényi curves, and Pairs those behind dominating pairs, each in the order of
	// printing.
	Curves, Pairs []Theorem

	Class   string // class of the DpEvent; "" if there is none
	DpEvent func(Fields, Neighbours) Mechanism

	Types []string // types of our own events; none if it is read from DpEvents only
	Event func(Fields, Neighbours) Mechanism
	// Sampled says that a theorem covers one of our own events under sampling. Batched says that a theorem covers
	// several on one batch, too.
	Sampled, Batched bool
	// ReplaceOnly says why the kind needs replace-one; "" if it does not.
	ReplaceOnly string
}

// Kinds are all kinds. Theorems are named in this order.
var Kinds = []*Kind{
	gaussianKind, discreteGaussianKind, laplaceKind, discreteLaplaceKind, pureKind, randomizedResponseKind,
	approximateKind, concentratedKind,
}

// Fields are the members of an event. After a broken rule every member is zero, and the first broken rule is kept.
type Fields interface {
	Has(name string) bool
	Number(name string) float64
	Within(name string, low, high float64) float64
	Whole(name string, low, high int) int
	Fail(format string, args ...any)
}

// Neighbours say how far neighbours' sums are apart at most, divided by a bound on one unit's contribution, in L2 and
// in L1.
type Neighbours struct {
	ReplaceOne bool
	L2, L1     float64
}

// multiplier returns noise over a bound on one unit's contribution, rounded down, such that noise over sensitivity
// stays the same. If neighbours are nearer than by the triangle inequality, the written bound is smaller in proportion.
func multiplier(noise, sensitivity, distance float64) float64 {
	return math.Nextafter(noise/sensitivity, 0) * distance
}

// sensitivityOf returns the distance between neighbours' sums. If the event does not state it, it is the largest
// possible.
func sensitivityOf(f Fields, distance float64) float64 {
	if !f.Has("sensitivity") {
		return distance
	}
	return f.Within("sensitivity", 1e-3, 1e3)
}

// stepsOf returns a sensitivity in whole steps.
func stepsOf(f Fields) int { return f.Whole("sensitivity", 1, 1<<40) }
