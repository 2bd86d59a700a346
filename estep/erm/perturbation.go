package erm

import (
	"math"
	"math/rand/v2"
)

// curvature is c: the second derivative of the logistic loss log(1 + e^−z) is at most ¼.
const curvature = 0.25

// A perturbation is the change to the objective (Chaudhuri, Monteleoni, Sarwate, Differentially Private Empirical Risk
// Minimization, JMLR 12, 2011, Algorithm 2).
type perturbation struct {
	more float64 // Δ: added to Λ
	rate float64 // ε′/2: b has a density in proportion to e^(−rate·|b|)
}

// perturb returns the perturbation for n rows with a norm of at most 1. ε′ = ε − log(1 + 2c/(nΛ) + c²/(nΛ)²) and Δ = 0,
// if this ε′ is above 0. Else Δ = c/(n·(e^(ε/4) − 1)) − Λ and ε′ = ε/2.
func perturb(epsilon, lambda float64, n int) perturbation {
	part := curvature / (float64(n) * lambda)
	rest := epsilon - 2*math.Log1p(part) // 1 + 2·part + part² is a square
	if rest > 0 {
		return perturbation{rate: rest / 2}
	}
	return perturbation{more: curvature/(float64(n)*math.Expm1(epsilon/4)) - lambda, rate: epsilon / 4}
}

// draw draws b for d features by coins. Its direction is uniform, and its norm has the distribution Gamma(d, 1/rate):
// the sum of d exponential variables has this distribution. Floating-point numbers stand for real numbers, so no
// theorem covers the low bits of b: see claim.md.
func (p perturbation) draw(features int, coins *rand.Rand) []float64 {
	b := make([]float64, features)
	norm, square := 0.0, 0.0
	for i := range b {
		norm -= math.Log(uniform(coins)) / p.rate
		b[i] = math.Sqrt(-2*math.Log(uniform(coins))) * math.Cos(2*math.Pi*uniform(coins)) // Box and Muller, 1958
		square += b[i] * b[i]
	}
	scale := norm / math.Sqrt(square)
	for i := range b {
		b[i] *= scale
	}
	return b
}

// uniform returns a number in (0, 1]: a multiple of 2^−53.
func uniform(coins *rand.Rand) float64 { return float64(coins.Uint64()>>11+1) / (1 << 53) }
