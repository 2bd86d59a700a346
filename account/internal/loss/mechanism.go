package loss

import (
	"fmt"

	"privpipe/account/internal/pld"
	"privpipe/account/internal/renyi"
)

// A Mechanism is noise, and the largest distance between neighbours' sums. Its methods describe one release, for a unit
// that takes part. Each mechanism has a file: its Rényi curve, its dominating pair of distributions, the theorems
// behind both, and its text form.
//
// To add a mechanism, write a type that implements Mechanism and each interface below that it has a theorem for, and
// add its kind to Kinds. Code that needs an interface refuses a mechanism without it.
type Mechanism interface {
	fmt.Stringer        // equal only for mechanisms with equal loss
	Check() error       // returns the first rule that the mechanism breaks
	Curve() renyi.Curve // the Rényi divergence at each order
	Kind() *Kind
}

// A Dominated mechanism has a dominating pair of distributions. The pair is nil for a mechanism that reveals nothing.
type Dominated interface{ Pair() (*pld.Pair, error) }

// A SampledPair mechanism has a dominating pair under Poisson sampling: each unit takes part by a secret coin with
// probability rate.
type SampledPair interface {
	SampledPair(rate float64) (*pld.Pair, error)
}

// An Attained mechanism says whether some mechanism of its kind has the pair on some neighbours. Then the pair's loss
// is a lower bound. rounded is the part by which noise over sensitivity is rounded down. If no coordinate is negative,
// an exchange moves sums by √2 times a unit's norm in L2, and moves one coordinate by the norm.
type Attained interface {
	Attained(nonNegative bool) (rounded float64, ok bool)
}

// A Failing mechanism reveals everything with a probability of at most Failure. Its curve is for the case without
// failure.
type Failing interface{ Failure() float64 }

// A Guaranteed mechanism is known only by its (ε, δ).
type Guaranteed interface{ Guarantee() Approximate }

// A PurelyPrivate mechanism has an ε at δ = 0, rounded up.
type PurelyPrivate interface{ PureEpsilon() float64 }

// A Composed mechanism has an (ε, δ) for count releases by basic composition, rounded up.
type Composed interface {
	Composed(count float64) Approximate
}

// A ZeroConcentrated mechanism is ρ-zCDP.
type ZeroConcentrated interface{ ZCDP() float64 }

// A Comparable mechanism can be compared with another one: the worse of the two dominates the other.
type Comparable interface {
	Worse(other Mechanism) (worse Mechanism, ok bool)
}

// An Approximated mechanism has discrete noise. Continuous returns continuous noise that protects no more.
type Approximated interface{ Continuous() Mechanism }

// Continuous replaces discrete noise by continuous noise that protects no more.
func Continuous(released []Mechanism) (other []Mechanism) {
	for _, m := range released {
		if d, ok := m.(Approximated); ok {
			m = d.Continuous()
		}
		other = append(other, m)
	}
	return other
}

// Rho returns ρ (zero-concentrated differential privacy); ok is false if there is none. A pure ε has ρ = ε²/2 (Bun and
// Steinke, Concentrated Differential Privacy, 2016, proposition 1.4).
func Rho(m Mechanism) (rho float64, ok bool) {
	switch m := m.(type) {
	case ZeroConcentrated:
		return m.ZCDP(), true
	case PurelyPrivate:
		return renyi.PureRho(m.PureEpsilon()), true
	}
	return 0, false
}

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
