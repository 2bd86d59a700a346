package audit

import (
	"fmt"
	"math"

	"privpipe/pipelines/event"
)

// A claim is the privacy loss that the ledger states for one release or for several together.
//
// Gaussian noise of scale σ on a sum of sensitivity Δ has the trade-off function G_μ with μ = Δ/σ. Several releases
// compose to μ = √(Σ μ_i²) (Dong, Roth and Su 2022, Gaussian Differential Privacy, theorem 2.7 and corollary 3.3).
// Laplace noise of scale t has the pure loss ε = Δ/t, and such losses add up. The claim does not include the loss of
// drawing topics: in an audit the topics are given.
type claim struct {
	gaussian bool
	loss     float64 // μ, or ε
	// slack bounds the total variation distance between discrete noise and rounded continuous noise. For σ ≥ 1 it is at
	// most 1/σ² a release. (At k, the ratio of their probabilities differs from 1 by at most 1/(24σ²) + exp(k²/(24σ⁴))
	// − 1. The mean of this difference is below 1/(8σ²).) Discrete Laplace noise loses no more than Δ/t exactly.
	slack float64
}

// claimOf returns the joint claim of several charges.
func claimOf(charges []*event.Charge) claim {
	var c claim
	squares := 0.0
	for _, charge := range charges {
		part := float64(charge.Sensitivity) / float64(charge.Scale)
		if charge.Mechanism == event.Gaussian {
			c.gaussian = true
			squares += part * part
			c.slack += 1 / (float64(charge.Scale) * float64(charge.Scale))
		} else {
			c.loss += part
		}
	}
	if c.gaussian {
		c.loss = math.Sqrt(squares)
	}
	return c
}

// epsilon converts a loss in c's measure to ε: at δ for a Gaussian mechanism, at any δ for a pure one.
func (c claim) epsilon(loss, delta float64) float64 {
	if c.gaussian {
		return gaussianEpsilon(loss, delta)
	}
	return loss
}

// guesses counts the errors when a test guesses whether runs have the canary.
type guesses struct {
	with, without  int // runs
	missed, alarms int // false negatives (runs with the canary, guessed as without), and false positives
}

// The ways to bound a loss from guesses.
const (
	byErrors = iota // the share of wrong guesses among all: a fair coin chose whether each run has the canary
	byRates         // both error rates, each with its own bound
	ways
)

// lower returns a lower confidence bound on the loss, in c's measure. If the mechanism loses no more than some loss,
// the bound exceeds this loss with probability at most alpha.
func (c claim) lower(g guesses, way int, alpha float64) float64 {
	if way == byErrors {
		// A bound on the average of both error rates is enough: the trade-off functions are symmetric and convex.
		rate := upperRate(g.missed+g.alarms, g.with+g.without, alpha)
		return c.least(rate, rate)
	}
	if g.with == 0 || g.without == 0 {
		return 0
	}
	return c.least(upperRate(g.missed, g.with, alpha/2), upperRate(g.alarms, g.without, alpha/2))
}

// least returns the least loss that allows a test with these error rates.
func (c claim) least(missed, alarms float64) float64 {
	missed, alarms = min(1, missed+c.slack), min(1, alarms+c.slack)
	if missed+alarms >= 1 {
		return 0 // no better than a coin
	}
	if c.gaussian {
		// Every test against a G_μ-private mechanism has Φ(Φ⁻¹(1−alarms) − μ) ≤ missed. Nasr et al. 2023, Tight
		// Auditing of Differentially Private Machine Learning, section 3.
		return quantile(1-alarms) - quantile(missed)
	}
	// P[guess] ≤ e^ε·P[the same guess on the neighbour], for both guesses.
	return max(math.Log((1-missed)/alarms), math.Log((1-alarms)/missed))
}

// seen returns the loss at the observed error rates. It is a point estimate without confidence. No bound is above it.
func (c claim) seen(g guesses, way int) float64 {
	if way == byErrors {
		rate := float64(g.missed+g.alarms) / float64(g.with+g.without)
		return c.least(rate, rate)
	}
	return c.least(float64(g.missed)/float64(max(1, g.with)), float64(g.alarms)/float64(max(1, g.without)))
}

// checkCharge returns an error if a charge differs from the grant, because then its numbers claim something else. The
// clip, in steps, is the bound on each unit in the release.
func checkCharge(charge *event.Charge, clip uint64, grant *event.Grant) error {
	switch {
	case charge.Mechanism != grant.Mechanism:
		return fmt.Errorf("the ledger charges mechanism %s, the grant is for %s", charge.Mechanism, grant.Mechanism)
	case charge.Adjacency != grant.Adjacency || charge.Unit != grant.Unit:
		return fmt.Errorf("the ledger charges neighbours %s and unit %s, the grant is for %s and %s",
			charge.Adjacency, charge.Unit, grant.Adjacency, grant.Unit)
	case charge.Draws != grant.Draws:
		return fmt.Errorf("the ledger charges %v for the draws of a token's topic, the grant is for %v", charge.Draws,
			grant.Draws)
	case float64(charge.Scale) < grant.NoiseMultiplier*float64(clip):
		return fmt.Errorf("the ledger charges noise of %.3g times the clip, the grant is for %.3g",
			float64(charge.Scale)/float64(clip), grant.NoiseMultiplier)
	}
	return nil
}
