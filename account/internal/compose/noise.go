package compose

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"privpipe/account/internal/renyi"
	"privpipe/pipelines/event"
)

// A noise is what the loss of a release follows from, for a unit that is known to take part.
type noise struct {
	mechanism          string // event.Gaussian, Laplace or RandomizedResponse
	sensitivity, scale uint64 // as in the charge
}

func noiseOf(c *event.Charge) noise {
	n := noise{c.Mechanism, c.Sensitivity, c.Scale}
	if c.Mechanism == event.Select { // thresholds are post-processing
		n.mechanism = event.Gaussian
	}
	return n
}

// compare orders noises, so that the same ledger gives the same digits.
func (n noise) compare(m noise) int {
	return cmp.Or(cmp.Compare(n.mechanism, m.mechanism), cmp.Compare(n.sensitivity, m.sensitivity),
		cmp.Compare(n.scale, m.scale))
}

// A kind is releases of one curve.
type kind struct {
	curve renyi.Curve
	count int
}

// joint returns the curve of releases of one batch, of which each unit takes part in all or none, by a coin of
// probability rate; and a name that tells it from other curves.
//
// Given the coin the curves add up, and so the squares of sensitivity over noise, of Gaussian noise: all sums, each
// divided by its noise, are one sum. With a rate below 1 the whole is amplified once (see package renyi, on dominance).
// Amplified one by one as if each had coins of its own, they would seem to lose less than they do.
//
// To take two batches for one, where their coins have no name, only adds to the loss. Let X and Y be 1−q+qL for the ratios
// of densities L of the two releases of a unit that takes part: independent, of mean 1. With one coin the ratio of both is
// XY + (X−1)(Y−1)(1−q)/q, and t^α lies above its tangent at XY, so the moment is at least that of two coins plus
// α·E[X^(α−1)(X−1)]·E[Y^(α−1)(Y−1)]·(1−q)/q. Neither mean is negative, since x^(α−1)(x−1) ≥ x−1.
func joint(rate float64, noises []noise) (name string, curve renyi.Curve) {
	noises = slices.SortedFunc(slices.Values(noises), noise.compare)
	squares := 0.0
	var others []noise
	for _, n := range noises {
		if n.mechanism == event.Gaussian {
			ratio := float64(n.sensitivity) / float64(n.scale)
			squares += ratio * ratio
		} else {
			others = append(others, n)
		}
	}
	gaussian := 1 / math.Sqrt(squares) // noise over sensitivity; +Inf for none
	if len(others) == 0 {
		curve = func(alpha float64) float64 { return renyi.PoissonGaussian(rate, gaussian, alpha) }
		return fmt.Sprint(rate, noises), curve
	}
	curve = func(alpha float64) float64 {
		rho := 0.0
		if squares > 0 {
			rho = renyi.Gaussian(gaussian, alpha)
		}
		for _, n := range others {
			rho += n.curve(alpha)
		}
		return rho
	}
	if rate < 1 {
		curve = renyi.Poisson(rate, curve)
	}
	return fmt.Sprint(rate, noises), curve
}

// curve is that of noise other than Gaussian.
func (n noise) curve(alpha float64) float64 {
	sensitivity := float64(n.sensitivity)
	if n.mechanism == event.Laplace {
		return renyi.Laplace(sensitivity, float64(n.scale), alpha)
	}
	// The bits of a document are reported independently, and as many can differ.
	return sensitivity * renyi.RandomizedResponse(Bit(n.scale), alpha)
}

// Bit returns the pure ε of a bit that is reported wrong with probability p = scale/2^32: log((1−p)/p).
func Bit(scale uint64) float64 { return math.Log(float64(event.FlipSteps-scale) / float64(scale)) }
