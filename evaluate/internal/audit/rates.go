package audit

import (
	"math"

	"gonum.org/v1/gonum/mathext"
)

// upperRate returns an upper confidence bound on an event's probability, if the event occurred in count of n > 0
// independent trials. The bound is too low with probability at most alpha. It is the quantile 1−alpha of Beta(count+1,
// n−count) (Clopper and Pearson 1934, The Use of Confidence or Fiducial Limits).
func upperRate(count, n int, alpha float64) float64 {
	if count >= n {
		return 1
	}
	return 1 - mathext.InvRegIncBeta(float64(n-count), float64(count+1), alpha)
}

// cumulative is Φ, the distribution function of the standard normal distribution.
func cumulative(x float64) float64 { return math.Erfc(-x/math.Sqrt2) / 2 }

// quantile is Φ⁻¹.
func quantile(p float64) float64 { return mathext.NormalQuantile(p) }

// MaxMu bounds the μ that gaussianEpsilon converts. A larger μ has an ε above 400: no privacy.
const MaxMu = 25

// gaussianEpsilon returns the least ε ≥ 0 such that a mechanism with the trade-off function G_μ is (ε, δ)-private, for
// μ ≥ 0. It is infinite above MaxMu. Balle and Wang, Improving the Gaussian Mechanism for Differential Privacy (ICML
// 2018), theorem 8: δ = Φ(μ/2 − ε/μ) − e^ε·Φ(−μ/2 − ε/μ), which falls as ε grows.
func gaussianEpsilon(mu, delta float64) float64 {
	if mu <= 0 {
		return 0
	}
	if mu > MaxMu {
		return math.Inf(1)
	}
	private := func(epsilon float64) bool {
		return cumulative(mu/2-epsilon/mu)-math.Exp(epsilon)*cumulative(-mu/2-epsilon/mu) <= delta
	}
	// At the upper end Φ(μ/2 − ε/μ), the first term, is at most δ.
	return leastWhere(0, mu*mu/2-mu*quantile(delta), private)
}

// leastWhere returns the least x in [low, high] with a monotone property. The property must hold at high.
func leastWhere(low, high float64, holds func(float64) bool) float64 {
	if high <= low || holds(low) {
		return low
	}
	for {
		middle := low + (high-low)/2
		if middle <= low || middle >= high {
			return high
		}
		if holds(middle) {
			high = middle
		} else {
			low = middle
		}
	}
}
