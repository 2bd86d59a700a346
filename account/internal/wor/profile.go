package wor

import (
	"math"

	"privpipe/account/internal/classic"
)

// Delta returns the hockey-stick divergence at e^ε, for any finite ε, of the pair that dominates one round of Gaussian
// noise σ on a sample of the given rate q in (0, 1], rounded up; it is δ(ε) of one round for ε ≥ 0. With P = N(1, σ²) and
// Q = N(0, σ²)
//
//	H_t((1−q)Q + qP ‖ Q) = q·H_t'(P ‖ Q),  t' = 1 + (t−1)/q,   for t = e^ε ≥ 1,
//	H_t(P ‖ (1−q)P + qQ) = 1 − t + t·H_(1/t)((1−q)Q + qP ‖ Q)  for t < 1
//
// (Balle, Barthe and Gaboardi 2018, theorems 2 and 9; the second is H_t(P‖Q) = 1 − t + t·H_(1/t)(Q‖P) for the pair in the
// other order, with the reflection that swaps P and Q). As a function of t it is convex, 1 at 0 and never below 1−t, so one
// pair of distributions has it, of which rounds compose: Zhu, Dong and Wang, Optimal Accounting of Differential Privacy via
// Characteristic Function (AISTATS 2022), theorem 10. pld.GaussianWithoutReplacement is that pair.
func Delta(q, sigma, epsilon float64) float64 {
	if epsilon < 0 {
		return -math.Expm1(epsilon) + math.Exp(epsilon)*Delta(q, sigma, -epsilon)
	}
	if q == 1 {
		return classic.GaussianDelta(sigma, epsilon)
	}
	return classic.Guarantee{Delta: classic.GaussianDelta(sigma, classic.BeforeAmplification(epsilon, q))}.Amplified(q).Delta
}
