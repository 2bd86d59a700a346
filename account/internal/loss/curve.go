package loss

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"privpipe/account/internal/renyi"
	"privpipe/pipelines/event"
)

// errReplacedPoisson says that the textbooks' theorems do not amplify by coins under an exchange of units.
var errReplacedPoisson = errors.New("no theorem here for Poisson sampling under replace-one: " +
	"use pld or renyi, or sampling without replacement, or add-remove")

// curve returns the Rényi curve for one release of the event, and the probability that this release fails (see
// List.Failure).
//
// For a unit that takes part, the curves of one batch add up. For Gaussian noise the squares of sensitivity over noise
// add up: all sums, each divided by its noise, are one sum. Sampling amplifies the batch as a whole, once (see package
// renyi, on dominance). If each curve were amplified by itself, as if it had its own coins, the bound would be too
// small.
//
// It may be unknown whether two releases share one batch. If units take part by coins, one batch is the worse case for
// the curve. Let X and Y be 1−q+qL, where L is the ratio of densities of each release for a unit that takes part. X and
// Y are independent with mean 1. With one coin the ratio of both releases is XY + (X−1)(Y−1)(1−q)/q. Since t^α lies
// above its tangent at XY, the moment is at least the moment with two coins plus
// α·E[X^(α−1)(X−1)]·E[Y^(α−1)(Y−1)]·(1−q)/q. Neither mean is negative, since x^(α−1)(x−1) ≥ x−1. (Other divergences may
// be smaller with one coin: see pairs.)
//
// Under replace-one, coins amplify Gaussian noise on one batch (Exchange). The proof does not cover other
// noise, or two batches that may be one. There all units count as if they took part.
func (e Release) curve(l *List) (curve renyi.Curve, failure float64, err error) {
	if e.Sampling == All {
		curve, failure = e.whole()
		return curve, failure, nil
	}
	sigma, onlyGaussian := JointSigma(e.Released)
	guarantee, generic := e.amplifiedGuarantee()
	switch {
	case e.Rate == 0:
		return func(float64) float64 { return 0 }, 0, nil
	case e.Sampling == Poisson && l.Adjacency == event.ReplaceOne && onlyGaussian && !e.Apart:
		exchange, err := ExchangeByCoin(e.Rate, Continuous(e.Released), l.NonNegative)
		if err != nil {
			return nil, 0, fmt.Errorf("%s: %w", e.Name(), err)
		}
		return exchange.Curve(), 0, nil
	case e.Sampling == Poisson && l.Adjacency == event.ReplaceOne:
		curve, failure = sum(e.Released)
		return curve, failure, nil
	case generic:
		return guarantee.curve(), guarantee.Delta, nil
	case e.Sampling == Fixed && e.Apart: // the bound below for two batches holds only for coins
		curve, failure = sum(e.Released)
		return curve, failure, nil
	case e.Sampling == Fixed && onlyGaussian:
		continuous, _ := JointSigma(Continuous(e.Released))
		return renyi.GaussianSample(e.Rate, continuous), 0, nil
	case onlyGaussian:
		return renyi.PoissonGaussianCurve(e.Rate, sigma), 0, nil
	}
	curve, failure = sum(e.Released)
	if e.Sampling == Poisson && failure == 0 && e.dominated() {
		curve = renyi.Poisson(e.Rate, curve)
	}
	// If nothing amplifies, the unit counts as if it took part for certain: a divergence of mixtures is at most the
	// largest of their parts'.
	return curve, failure, nil
}

// dominated says whether each mechanism of the release has a dominating pair of distributions. zCDP does not.
func (e Release) dominated() bool {
	return !slices.ContainsFunc(e.Released, func(m Mechanism) bool {
		return m.Traits().Pair == nil
	})
}

// whole is curve without sampling: at each order the worst of the batches that a unit may be in.
//
// The rounds are disjoint: whatever the throw, a unit is in one of them. So adding or removing a unit changes the
// releases of one round only, and ρ is the largest over the rounds, at each order. This is parallel composition. For a
// secret throw it holds because Rényi divergence is quasi-convex and the bound holds for each throw. Within one round
// the curves add up.
func (e Release) whole() (renyi.Curve, float64) {
	worst, failure := sum(e.Released)
	for _, released := range e.Instead {
		other, mayFail := sum(released)
		before := worst
		worst, failure = func(alpha float64) float64 { return max(before(alpha), other(alpha)) }, max(failure, mayFail)
	}
	return worst, failure
}

// sum returns the curve for all releases from one batch, for a unit that takes part, and the probability that any of
// them fails.
func sum(released []Mechanism) (curve renyi.Curve, failure float64) {
	var curves []renyi.Curve
	if sigma, _ := JointSigma(released); !math.IsInf(sigma, 1) {
		curves = append(curves, func(alpha float64) float64 { return renyi.Gaussian(sigma, alpha) })
	}
	for _, m := range released {
		if _, ok := m.(Gaussian); ok {
			continue
		}
		traits := m.Traits()
		curves = append(curves, traits.Curve)
		failure += traits.Failure
	}
	return func(alpha float64) float64 {
		rho := 0.0
		for _, curve := range curves {
			rho += curve(alpha)
		}
		return rho
	}, failure
}

// amplifiedGuarantee returns a batch's (ε, δ) guarantee after amplification by sampling: Balle, Barthe and Gaboardi,
// Privacy Amplification by Subsampling, 2018, theorems 8 (coins, add-remove) and 9 (without replacement, replace-one).
func (e Release) amplifiedGuarantee() (Approximate, bool) {
	if len(e.Released) != 1 {
		return Approximate{}, false
	}
	guarantee := e.Released[0].Traits().Guarantee
	if guarantee == nil {
		return Approximate{}, false
	}
	return Approximate(renyi.Guarantee(*guarantee).Amplified(e.Rate)), true
}
