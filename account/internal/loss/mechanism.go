package loss

import (
	"fmt"

	"privpipe/account/internal/pld"
	"privpipe/account/internal/renyi"
)

// A Mechanism is noise, and the largest distance between neighbours' sums. Each type of mechanisms has a file. To add
// one, write a type and its Kind, and add the kind to Kinds.
type Mechanism interface {
	fmt.Stringer    // equal only for mechanisms with equal loss
	Check() error   // returns the first rule that the mechanism breaks
	Traits() Traits // of a mechanism that breaks no rule
	Kind() *Kind
}

// Traits have the proved properties of one release by a mechanism, for a unit that takes part, and its text forms. A
// nil property is unknown, and code that needs it refuses the mechanism. Each mechanism has a curve.
type Traits struct {
	// Curve has the Rényi divergence at each order, for the case without failure. With a probability of at most Failure
	// the mechanism reveals everything.
	Curve   renyi.Curve
	Failure float64

	// Pair returns a dominating pair of distributions, nil for a mechanism that reveals nothing. SampledPair returns
	// one under Poisson sampling: each unit takes part by a secret coin with probability rate.
	Pair        func() (*pld.Pair, error)
	SampledPair func(rate float64) (*pld.Pair, error)
	// Attained says whether some mechanism of the kind has the pair on some neighbours. Then the pair's loss is a lower
	// bound. Noise over sensitivity is rounded down by the part rounded. If no coordinate is negative, an
	// exchange moves sums by √2 times a unit's norm in L2, and moves one coordinate by the norm.
	Attained func(nonNegative bool) (rounded float64, ok bool)
	// Worse compares with another mechanism: the worse of the two dominates the other.
	Worse func(other Mechanism) (worse Mechanism, ok bool)
	// Continuous returns continuous noise that protects no more, for discrete noise.
	Continuous func() Mechanism

	Guarantee *Approximate                    // for a mechanism that is known only by its (ε, δ)
	Composed  func(count float64) Approximate // (ε, δ) of count releases by basic composition, rounded up
	Pure      *float64                        // ε at δ = 0, rounded up
	Rho       *float64                        // ρ of zero-concentrated differential privacy

	// DpEvent returns the class of the mechanism's DpEvent, and the names and values of its fields in turn. Event
	// returns an event of our own, for a mechanism that no DpEvent expresses.
	DpEvent func(n Neighbours) (class string, fields []any, err error)
	Event   func() []any
}

// Continuous replaces discrete noise by continuous noise that protects no more.
func Continuous(released []Mechanism) (other []Mechanism) {
	for _, m := range released {
		if continuous := m.Traits().Continuous; continuous != nil {
			m = continuous()
		}
		other = append(other, m)
	}
	return other
}

// rho returns ρ (zero-concentrated differential privacy); ok is false if there is none. A pure ε has ρ = ε²/2 (Bun and
// Steinke, Concentrated Differential Privacy, 2016, proposition 1.4).
func (t Traits) rho() (rho float64, ok bool) {
	switch {
	case t.Rho != nil:
		return *t.Rho, true
	case t.Pure != nil:
		return renyi.PureRho(*t.Pure), true
	}
	return 0, false
}

// always is the Attained of mechanisms whose pair is attained exactly.
func always(bool) (rounded float64, ok bool) { return 0, true }

// unlessNonNegative is always, except where no coordinate is negative: one number moves by less there.
func unlessNonNegative(nonNegative bool) (rounded float64, ok bool) { return 0, !nonNegative }

// The bounds are known to be right for noise over sensitivity in this range.
const leastNoise, mostNoise = 0.02, 1e8

func checkNoise(what string, x float64) error {
	if !(x >= leastNoise && x <= mostNoise) {
		return fmt.Errorf("%s must be in [%v, %v], is %v", what, leastNoise, mostNoise, x)
	}
	return nil
}

func checkRatio(what string, noise, sensitivity float64) error {
	if !(sensitivity > 0) {
		return fmt.Errorf("sensitivity must be above 0, is %v", sensitivity)
	}
	return checkNoise(what, noise/sensitivity)
}

func checkSteps(sensitivity int) error {
	if sensitivity < 1 {
		return fmt.Errorf("sensitivity must be at least 1, is %d", sensitivity)
	}
	return nil
}

func noiseString(name string, noise, sensitivity float64, discrete bool) string {
	if discrete {
		name = "discrete " + name
	}
	return fmt.Sprintf("%s(%v/%v)", name, noise, sensitivity)
}

// Sampling says how a unit comes to take part in a batch.
type Sampling int

// With All, all units take part. With Poisson, each unit takes part by a secret coin. With Fixed, a fixed number of
// units is drawn in secret, without replacement.
const (
	All Sampling = iota
	Poisson
	Fixed
)
