package renyi

import (
	"math"
)

// PoissonGaussian returns ρ(α) of one release of a sum with Gaussian noise of sigma times the sensitivity. Each unit
// takes part by a coin of probability q; neighbours differ by the addition or removal of one unit. See Mironov, Talwar
// and Zhang, Rényi Differential Privacy of the Sampled Gaussian Mechanism (arXiv 1908.10530, 2019), §3.3. alpha > 1,
// sigma > 0, 0 ≤ q ≤ 1. It is exact except for rounding, which is upwards where it counts. At α = ∞ there is no bound.
//
// It also bounds the discrete Gaussian with an integer sensitivity Δ. For integer orders the sum is made of the same
// moments, since a shift by an integer leaves Σ_x exp(−x²/(2σ²)) as it is. For other orders the sum over the grid and
// the integral differ by about exp(−2π²σ²/Δ), relatively. On privpipe's grid, where a bound is 2^20 steps or σ above
// 2^29, the difference is below a float64's digits for noise multipliers σ/Δ of at least 0.002. Theorem 5 of the paper
// (the other direction is no worse) needs only the reflection that swaps the two distributions. The discrete
// distributions have it too.
func PoissonGaussian(q, sigma, alpha float64) float64 { return PoissonGaussianCurve(q, sigma)(alpha) }

// PoissonGaussianCurve returns the curve of PoissonGaussian. The curve is not safe for concurrent use.
func PoissonGaussianCurve(q, sigma float64) Curve {
	whole := func(k float64) float64 { return Gaussian(sigma, k) }
	excess := rememberOrders(func(order int) float64 { return logExcessInteger(q, whole, order) })
	return func(alpha float64) float64 {
		switch {
		case q == 0:
			return 0
		case q == 1 || math.IsInf(alpha, 1):
			return Gaussian(sigma, alpha)
		}
		between := Between(alpha, excess)
		if alpha == math.Trunc(alpha) && alpha < 1<<16 {
			return max(0, between/(alpha-1))
		}
		// The two series are the exact moment. Where it is so close to 1 that their terms cancel, the integer orders
		// around α give the better bound.
		return max(0, min(logMomentSeries(q, sigma, alpha)+seriesError(alpha), between)/(alpha-1))
	}
}

// Gaussian returns ρ(α) without sampling: Mironov 2017, proposition 7.
func Gaussian(sigma, alpha float64) float64 { return alpha / (2 * sigma * sigma) }

// seriesError is above the rounding error of logMomentSeries: some 1e-16 for each of up to 10⁵ terms, and the error of
// logarithms as large as α. Against quadrature the most is 5e-14 at orders below 32. It is 3e-15·α up to 2^14, where
// the search for orders ends (see the tests).
func seriesError(alpha float64) float64 { return 1e-12 + 2e-14*alpha }

// logMomentSeries returns a bound of log A_α for any α > 1 from above. Apart from seriesError it is exact for the most
// part. It sums the two series of the paper's §3.3,
//
//	A_α = Σ_k C(α,k) [ (1−q)^(α−k) q^k exp((k²−k)/(2σ²)) Φ((z−k)/σ)
//	                 + (1−q)^k q^(α−k) exp(((α−k)²−(α−k))/(2σ²)) Φ((α−k−z)/σ) ],   z = σ² log(1/q − 1) + 1/2,
//
// over k = 0, 1, 2, … Beyond k = α the binomial coefficients alternate and the terms fall like k^(−α−2), so a sum that
// ends with a positive term is above the whole.
func logMomentSeries(q, sigma, alpha float64) float64 {
	logQ, log1mQ := math.Log(q), math.Log1p(-q)
	z := sigma*sigma*math.Log(1/q-1) + 0.5
	positive, negative := math.Inf(-1), math.Inf(-1)
	logBinomial, sign := 0.0, 1.0
	for k := 0.0; ; k++ {
		if k > 0 {
			ratio := (alpha - k + 1) / k
			logBinomial += math.Log(math.Abs(ratio))
			if ratio < 0 {
				sign = -sign
			}
		}
		j := alpha - k
		low := k*logQ + j*log1mQ + (k*k-k)/(2*sigma*sigma) + logNormal((z-k)/sigma)
		high := j*logQ + k*log1mQ + (j*j-j)/(2*sigma*sigma) + logNormal((j-z)/sigma)
		term := logBinomial + LogAdd(low, high)
		if sign > 0 {
			positive = LogAdd(positive, term)
		} else {
			negative = LogAdd(negative, term)
		}
		if k > alpha && sign > 0 && term < positive-30 { // exp(−30) = 1e-13
			break
		}
	}
	return positive + math.Log1p(-math.Exp(negative-positive))
}

// logNormal returns log Φ(x) = log(erfc(−x/√2)/2) (DLMF 7.18.1), below −25 by the asymptotic series of erfc
// (DLMF 7.12.1).
func logNormal(x float64) float64 {
	if x > -25 {
		return math.Log(math.Erfc(-x/math.Sqrt2) / 2)
	}
	w := 1 / (x * x)
	return -x*x/2 - math.Log(-x*math.Sqrt(2*math.Pi)) + math.Log1p(-w*(1-w*(3-15*w)))
}
