package mechanism

import "math"

// A Kind is what all mechanisms of one type share: theorems, and text. The text is a DpEvent of dp_accounting, or an event of our own
// where there is none, and in older lists. EVENTS.md of account has the meaning of each member.
type Kind struct {
	Name string
	// Curves are what Rényi curves rest on, Pairs what dominating pairs rest on, each in the order in which they are named.
	Curves, Pairs []Theorem

	Class   string // of the DpEvent; "" for none
	DpEvent func(Fields, Neighbours) Mechanism

	Types []string // of events of our own; none for what is read from DpEvents only
	Event func(Fields, Neighbours) Mechanism
	// Sampled says that a theorem is known for what sampling makes of an event of our own, Batched also of several at once.
	Sampled, Batched bool
	// ReplaceOnly says why it needs neighbours that differ by an exchange; "" where it does not.
	ReplaceOnly string
}

// Kinds are all kinds, in the order in which their theorems are named.
var Kinds = []*Kind{
	gaussian, discreteGaussian, laplace, discreteLaplace, pure, randomizedResponse, approximate, concentrated,
}

// Fields are the members of an event. A rule that is broken is kept and what is asked for after that is zero.
type Fields interface {
	Has(name string) bool
	Number(name string) float64
	Within(name string, low, high float64) float64
	Whole(name string, low, high int) int
	Fail(format string, args ...any)
}

// Neighbours say how far the sums of neighbours are apart at most, over a bound of what one unit adds, in L2 and in L1.
type Neighbours struct {
	ReplaceOne bool
	L2, L1     float64
}

// Written is what a mechanism is as a DpEvent: its class, and names and values of its fields in turn.
type Written interface {
	Write(n Neighbours) (class string, fields []any, err error)
}

// Listed is what a mechanism is as an event of our own, where no DpEvent says the same.
type Listed interface{ List() []any }

// multiplier returns noise over a bound of what one unit adds, rounded down: over the sensitivity it is what it was. Where
// neighbours are nearer than the triangle inequality says, the bound that is written is smaller in proportion.
func multiplier(noise, sensitivity, distance float64) float64 {
	return math.Nextafter(noise/sensitivity, 0) * distance
}

// sensitivityOf is how far the sums of neighbours are apart, where it is not the most that neighbours can have.
func sensitivityOf(f Fields, distance float64) float64 {
	if !f.Has("sensitivity") {
		return distance
	}
	return f.Within("sensitivity", 1e-3, 1e3)
}

// stepsOf is a sensitivity in whole numbers.
func stepsOf(f Fields) int { return f.Whole("sensitivity", 1, 1<<40) }
