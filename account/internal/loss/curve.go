package loss

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"privpipe/account/internal/classic"
	"privpipe/account/internal/renyi"
	"privpipe/account/internal/wor"
	"privpipe/pipelines/event"
)

// errReplacedPoisson says that Rényi curves do not amplify by coins what an exchange of units costs.
var errReplacedPoisson = errors.New("no theorem here for Poisson sampling under replace-one: " +
	"use pld, or sampling without replacement, or add-remove")

// curve returns the Rényi curve of one of an event's releases, and the probability with which it may fail (see List.Failure).
//
// Of one batch, given that the unit takes part, the curves add up, and so the squares of sensitivity over noise, of Gaussian
// noise: all sums, each divided by its noise, are one sum. What samples amplify is the whole, once (see package renyi, on
// dominance). Amplified one by one as if each had coins of its own, they would seem to lose less than they do.
//
// To take two batches for one, where it is not known, only adds to the curve, where units take part by coins. Let X and Y be 1−q+qL for the ratios of densities
// L of the two releases of a unit that takes part: independent, of mean 1. With one coin the ratio of both is
// XY + (X−1)(Y−1)(1−q)/q, and t^α lies above its tangent at XY, so the moment is at least that of two coins plus
// α·E[X^(α−1)(X−1)]·E[Y^(α−1)(Y−1)]·(1−q)/q. Neither mean is negative, since x^(α−1)(x−1) ≥ x−1. (Other
// divergences may be smaller with one coin: see pairs.)
func (e Event) curve(adjacency string) (curve renyi.Curve, failure float64, err error) {
	if e.Sampling == All {
		return e.whole()
	}
	sigma, onlyGaussian := jointSigma(e.Released)
	guarantee, generic := e.amplifiedGuarantee()
	switch {
	case e.Rate == 0:
		return func(float64) float64 { return 0 }, 0, nil
	case e.Sampling == Poisson && adjacency == event.ReplaceOne:
		return nil, 0, errReplacedPoisson
	case generic:
		return guarantee.curve(), guarantee.Delta, nil
	case e.Sampling == Fixed && e.Apart: // what follows on two batches is about coins
		return sum(e.Released)
	case e.Sampling == Fixed && onlyGaussian:
		continuous, _ := jointSigma(continuous(e.Released))
		return wor.Gaussian(e.Rate, continuous), 0, nil
	case onlyGaussian:
		return func(alpha float64) float64 { return renyi.PoissonGaussian(e.Rate, sigma, alpha) }, 0, nil
	}
	whole, failure, err := sum(e.Released)
	if e.Sampling == Poisson && failure == 0 && err == nil && e.hasPair() {
		whole = renyi.Poisson(e.Rate, whole)
	}
	return whole, failure, err // or as if all took part: a divergence of mixtures is at most the largest of their parts'
}

// hasPair says that one pair of distributions dominates each of an event's mechanisms: zCDP says nothing of one.
func (e Event) hasPair() bool {
	return !slices.ContainsFunc(e.Released, func(m Mechanism) bool {
		_, ok := m.(Concentrated)
		return ok
	})
}

// whole is curve without sampling: the worst, at each order, of the batches that a unit may be in.
//
// The rounds are disjoint: whatever the throw, a unit is in one of them, so its addition or removal changes what is
// released of one round only, and ρ is the largest of theirs, at each order (parallel composition; for a secret throw,
// Rényi divergence is quasi-convex and the bound holds for each throw). What is released of one round adds up.
func (e Event) whole() (renyi.Curve, float64, error) {
	worst, failure, err := sum(e.Released)
	for _, released := range e.Instead {
		other, mayFail, wrong := sum(released)
		if err = errors.Join(err, wrong); err != nil {
			return nil, 0, err
		}
		before := worst
		worst, failure = func(alpha float64) float64 { return max(before(alpha), other(alpha)) }, max(failure, mayFail)
	}
	return worst, failure, err
}

// sum returns the curve of all releases of a batch, of which the unit takes part, and the probability with which any fails.
func sum(released []Mechanism) (curve renyi.Curve, failure float64, err error) {
	var curves []renyi.Curve
	if sigma, _ := jointSigma(released); !math.IsInf(sigma, 1) {
		curves = append(curves, func(alpha float64) float64 { return renyi.Gaussian(sigma, alpha) })
	}
	for _, m := range released {
		switch m := m.(type) {
		case Gaussian:
		case Laplace:
			curves = append(curves, m.curve())
		case Pure:
			curves = append(curves, func(alpha float64) float64 { return renyi.RandomizedResponse(m.Epsilon, alpha) })
		case RandomizedResponse:
			curves = append(curves, func(alpha float64) float64 { return renyi.Response(m.epsilon(), m.Buckets, alpha) })
		case Approximate:
			curves, failure = append(curves, m.curve()), failure+m.Delta
		case Concentrated: // Bun and Steinke 2016, definition 1.1
			curves = append(curves, func(alpha float64) float64 { return m.Rho * alpha })
		case DiscreteGaussian: // Canonne, Kamath and Steinke 2020, proposition 5
			sigma := math.Sqrt(m.Variance) / float64(m.Sensitivity)
			curves = append(curves, func(alpha float64) float64 { return renyi.Gaussian(sigma, alpha) })
		case DiscreteLaplace:
			curves = append(curves, Laplace{m.Scale, float64(m.Sensitivity), true}.curve())
		default:
			return nil, 0, fmt.Errorf("no Rényi curve of %s", m)
		}
	}
	return func(alpha float64) float64 {
		rho := 0.0
		for _, curve := range curves {
			rho += curve(alpha)
		}
		return rho
	}, failure, nil
}

// finely is how many steps stand for a continuous shift: the discrete noise loses no less (see the package), and no more than
// with a shift of two steps more.
const finely = 1 << 40

func (m Laplace) curve() renyi.Curve {
	if !m.Discrete {
		m.Scale, m.Sensitivity = m.scale()*finely, finely
	}
	return func(alpha float64) float64 { return renyi.Laplace(m.Sensitivity, m.Scale, alpha) }
}

// curve is that of randomized response: with probability δ all is told, and else the pair is that of Pure (Kairouz, Oh and
// Viswanath, The Composition Theorem for Differential Privacy, 2015, theorem 3.4).
func (m Approximate) curve() renyi.Curve {
	return func(alpha float64) float64 { return renyi.RandomizedResponse(m.Epsilon, alpha) }
}

// jointSigma returns noise over sensitivity of all Gaussian releases together, rounded down, +Inf for none, and whether there is
// no other.
func jointSigma(released []Mechanism) (sigma float64, alone bool) {
	squares, alone := 0.0, true
	for _, m := range released {
		g, ok := m.(Gaussian)
		if !ok {
			alone = false
			continue
		}
		one := g.sigma()
		squares += 1 / (one * one)
	}
	// A square has an error of 3 roundings, its reciprocal and the sum as many as there are terms, of which the root halves.
	return 1 / math.Sqrt(squares) * (1 - float64(len(released)+8)*0x1p-53), alone
}

func continuous(released []Mechanism) (other []Mechanism) {
	for _, m := range released {
		switch n := m.(type) {
		case Gaussian:
			m = n.continuous()
		case Laplace:
			m = n.continuous()
		}
		other = append(other, m)
	}
	return other
}

// amplifiedGuarantee returns what sampling makes of an (ε, δ) guarantee of a batch: Balle, Barthe and Gaboardi, Privacy
// Amplification by Subsampling, 2018, theorems 8 (coins, add-remove) and 9 (without replacement, replace-one).
func (e Event) amplifiedGuarantee() (Approximate, bool) {
	if len(e.Released) != 1 {
		return Approximate{}, false
	}
	var g classic.Guarantee
	switch m := e.Released[0].(type) {
	case Pure:
		g.Epsilon = m.Epsilon
	case Approximate:
		g = classic.Guarantee(m)
	default:
		return Approximate{}, false
	}
	return Approximate(g.Amplified(e.Rate)), true
}
