// Package mechanism has the mechanisms that accountants know, a file each: its Rényi curve, its dominating pair of distributions,
// the theorems that these rest on, and its text.
//
// A new mechanism is a type that implements Mechanism and whichever of the interfaces below it has a theorem for, and a line in
// Kinds. What it lacks is refused where it is needed.
package mechanism

import (
	"fmt"

	"privpipe/account/internal/classic"
	"privpipe/account/internal/pld"
	"privpipe/account/internal/renyi"
)

// A Mechanism is noise, and how far the sums of neighbours can be apart. All that it says is of one release, given that the unit
// takes part.
type Mechanism interface {
	fmt.Stringer        // tells mechanisms that cost the same from others
	Check() error       // reports the first rule that it breaks
	Curve() renyi.Curve // of the Rényi divergence
	Kind() *Kind
}

// A Dominated mechanism has a pair of distributions that dominates it. The pair is nil for one that tells nothing.
type Dominated interface{ Pair() (*pld.Pair, error) }

// A SampledPair is the dominating pair where each unit takes part by a secret coin of probability rate.
type SampledPair interface {
	SampledPair(rate float64) (*pld.Pair, error)
}

// An Attained pair is that of some mechanism of the kind on some neighbours, with noise over sensitivity rounded down by a part,
// where ok. So its loss is a lower bound. Where no coordinate is negative, an exchange moves sums by √2 times a unit's norm in L2,
// and one coordinate by the norm.
type Attained interface {
	Attained(nonNegative bool) (rounded float64, ok bool)
}

// A Failing mechanism tells everything with a probability of at most Failure. Its curve is of the other case.
type Failing interface{ Failure() float64 }

// A Guaranteed mechanism is known by its (ε, δ) only.
type Guaranteed interface{ Guarantee() Approximate }

// A PurelyPrivate mechanism has an ε at δ = 0, rounded up.
type PurelyPrivate interface{ PureEpsilon() float64 }

// A Composed mechanism has an (ε, δ) of so many releases by basic composition, rounded up.
type Composed interface {
	Composed(count float64) Approximate
}

// A ZeroConcentrated mechanism is ρ-zCDP.
type ZeroConcentrated interface{ ZCDP() float64 }

// Comparable mechanisms are such that of two the worse one dominates the other.
type Comparable interface {
	Worse(other Mechanism) (worse Mechanism, ok bool)
}

// Approximated noise is discrete. Continuous is noise that protects no more.
type Approximated interface{ Continuous() Mechanism }

// Continuous returns mechanisms with continuous noise that protect no more.
func Continuous(released []Mechanism) (other []Mechanism) {
	for _, m := range released {
		if d, ok := m.(Approximated); ok {
			m = d.Continuous()
		}
		other = append(other, m)
	}
	return other
}

// Rho returns the ρ of zero-concentrated differential privacy; ok is false without one. Pure ε has ε²/2 (Bun and Steinke,
// Concentrated Differential Privacy, 2016, proposition 1.4).
func Rho(m Mechanism) (rho float64, ok bool) {
	switch m := m.(type) {
	case ZeroConcentrated:
		return m.ZCDP(), true
	case PurelyPrivate:
		return classic.PureRho(m.PureEpsilon()), true
	}
	return 0, false
}

// The range of noise over sensitivity in which the bounds are known to be right.
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

// Sampling is how a unit comes to take part in a batch.
type Sampling int

// All units take part; each by a secret coin (Poisson); a fixed number of them, drawn in secret without replacement (Fixed).
const (
	All Sampling = iota
	Poisson
	Fixed
)
