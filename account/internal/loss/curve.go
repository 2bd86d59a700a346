package loss

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"privpipe/account/internal/classic"
	"privpipe/account/internal/mechanism"
	"privpipe/account/internal/renyi"
	"privpipe/account/internal/withoutreplacement"
	"privpipe/pipelines/event"
)

// errReplacedPoisson says that textbooks do not amplify by coins what an exchange of units costs.
var errReplacedPoisson = errors.New("no theorem here for Poisson sampling under replace-one: " +
	"use pld or renyi, or sampling without replacement, or add-remove")

// curve returns the Rényi curve of one of an event's releases, and the probability with which it may fail (see List.Failure).
//
// The curves of one batch add up, given that the unit takes part, and so do the squares of sensitivity over noise, of Gaussian
// noise: all sums, each divided by its noise, are one sum. What samples amplify is the whole, once (see package renyi, on
// dominance). Amplified one by one as if each had coins of its own, they would seem to lose less than they do.
//
// To take two batches for one, where it is not known, only adds to the curve, where units take part by coins. Let X and Y be 1−q+qL for the ratios of densities
// L of the two releases of a unit that takes part: independent, of mean 1. With one coin the ratio of both is
// XY + (X−1)(Y−1)(1−q)/q, and t^α lies above its tangent at XY, so the moment is at least that of two coins plus
// α·E[X^(α−1)(X−1)]·E[Y^(α−1)(Y−1)]·(1−q)/q. Neither mean is negative, since x^(α−1)(x−1) ≥ x−1. (Other
// divergences may be smaller with one coin: see pairs.)
//
// Under replace-one, coins amplify Gaussian noise on one batch (mechanism.Exchange). That proof is not of other noise, nor of two
// batches that may be one: then all units count as if they took part.
func (e Release) curve(l *List) (curve renyi.Curve, failure float64, err error) {
	if e.Sampling == mechanism.All {
		curve, failure = e.whole()
		return curve, failure, nil
	}
	sigma, onlyGaussian := mechanism.JointSigma(e.Released)
	guarantee, generic := e.amplifiedGuarantee()
	switch {
	case e.Rate == 0:
		return func(float64) float64 { return 0 }, 0, nil
	case e.Sampling == mechanism.Poisson && l.Adjacency == event.ReplaceOne && onlyGaussian && !e.Apart:
		exchange, err := mechanism.ExchangeByCoin(e.Rate, mechanism.Continuous(e.Released), l.NonNegative)
		if err != nil {
			return nil, 0, fmt.Errorf("%s: %w", e.Name(), err)
		}
		return exchange.Curve(), 0, nil
	case e.Sampling == mechanism.Poisson && l.Adjacency == event.ReplaceOne:
		curve, failure = sum(e.Released)
		return curve, failure, nil
	case generic:
		return guarantee.Curve(), guarantee.Delta, nil
	case e.Sampling == mechanism.Fixed && e.Apart: // what follows on two batches is about coins
		curve, failure = sum(e.Released)
		return curve, failure, nil
	case e.Sampling == mechanism.Fixed && onlyGaussian:
		continuous, _ := mechanism.JointSigma(mechanism.Continuous(e.Released))
		return withoutreplacement.Gaussian(e.Rate, continuous), 0, nil
	case onlyGaussian:
		return func(alpha float64) float64 { return renyi.PoissonGaussian(e.Rate, sigma, alpha) }, 0, nil
	}
	curve, failure = sum(e.Released)
	if e.Sampling == mechanism.Poisson && failure == 0 && e.dominated() {
		curve = renyi.Poisson(e.Rate, curve)
	}
	return curve, failure, nil // or as if all took part: a divergence of mixtures is at most the largest of their parts'
}

// dominated says that one pair of distributions dominates each of a release's mechanisms: zCDP says nothing of one.
func (e Release) dominated() bool {
	return !slices.ContainsFunc(e.Released, func(m mechanism.Mechanism) bool {
		_, ok := m.(mechanism.Dominated)
		return !ok
	})
}

// whole is curve without sampling: the worst, at each order, of the batches that a unit may be in.
//
// The rounds are disjoint: whatever the throw, a unit is in one of them, so its addition or removal changes what is
// released of one round only, and ρ is the largest of theirs, at each order (parallel composition; for a secret throw,
// Rényi divergence is quasi-convex and the bound holds for each throw). What is released of one round adds up.
func (e Release) whole() (renyi.Curve, float64) {
	worst, failure := sum(e.Released)
	for _, released := range e.Instead {
		other, mayFail := sum(released)
		before := worst
		worst, failure = func(alpha float64) float64 { return max(before(alpha), other(alpha)) }, max(failure, mayFail)
	}
	return worst, failure
}

// sum returns the curve of all releases of a batch, of which the unit takes part, and the probability with which any fails.
func sum(released []mechanism.Mechanism) (curve renyi.Curve, failure float64) {
	var curves []renyi.Curve
	if sigma, _ := mechanism.JointSigma(released); !math.IsInf(sigma, 1) {
		curves = append(curves, func(alpha float64) float64 { return renyi.Gaussian(sigma, alpha) })
	}
	for _, m := range released {
		if _, ok := m.(mechanism.Gaussian); ok {
			continue
		}
		curves = append(curves, m.Curve())
		if f, ok := m.(mechanism.Failing); ok {
			failure += f.Failure()
		}
	}
	return func(alpha float64) float64 {
		rho := 0.0
		for _, curve := range curves {
			rho += curve(alpha)
		}
		return rho
	}, failure
}

// amplifiedGuarantee returns what sampling makes of an (ε, δ) guarantee of a batch: Balle, Barthe and Gaboardi, Privacy
// Amplification by Subsampling, 2018, theorems 8 (coins, add-remove) and 9 (without replacement, replace-one).
func (e Release) amplifiedGuarantee() (mechanism.Approximate, bool) {
	if len(e.Released) != 1 {
		return mechanism.Approximate{}, false
	}
	g, ok := e.Released[0].(mechanism.Guaranteed)
	if !ok {
		return mechanism.Approximate{}, false
	}
	return mechanism.Approximate(classic.Guarantee(g.Guarantee()).Amplified(e.Rate)), true
}
