package renyi

import "math"

// PoissonGaussian returns ρ(α) of one release of a sum with Gaussian noise of sigma times the sensitivity, of units that
// each took part by a coin of probability q, under the addition or removal of one unit: Mironov, Talwar and Zhang, Rényi
// Differential Privacy of the Sampled Gaussian Mechanism (arXiv 1908.10530, 2019), §3.3. alpha > 1, sigma > 0,
// 0 ≤ q ≤ 1. It is exact but for rounding, which is upwards where it counts.
//
// It also bounds the discrete Gaussian with an integer sensitivity Δ: for integer orders the moments that the sum is
// made of are the same, since shifting by an integer leaves Σ_x exp(−x²/(2σ²)) as it is; for others the sum over the
// grid and the integral differ by about exp(−2π²σ²/Δ), relatively. On privpipe's grid, where a bound is 2^20 steps or σ
// above 2^29, that is below a float64's digits from a noise multiplier σ/Δ of 0.002. Theorem 5 of the paper (the other
// direction is no worse) needs only the reflection that swaps the two distributions, which the discrete ones have too.
func PoissonGaussian(q, sigma, alpha float64) float64 {
	switch {
	case q == 0:
		return 0
	case q == 1:
		return alpha / (2 * sigma * sigma) // Mironov 2017, proposition 7
	case alpha == math.Trunc(alpha) && alpha < 1<<16:
		return max(0, logMomentInteger(q, sigma, int(alpha))/(alpha-1))
	}
	return max(0, logMomentReal(q, sigma, alpha)/(alpha-1))
}

// logMomentInteger returns log A_α for an integer α ≥ 2: the binomial sum of the paper's §3.3,
//
//	A_α = Σ_{k=0..α} C(α,k) (1−q)^(α−k) q^k exp((k²−k)/(2σ²)).
func logMomentInteger(q, sigma float64, alpha int) float64 {
	return logAdd(0, logExcessInteger(q, sigma, alpha))
}

// logExcessInteger returns log(A_α − 1) for an integer α ≥ 2: the sum above less the binomial probabilities, which add
// up to 1. What is left has no term below 0, so nothing cancels, and a loss far below a float64's resolution of 1 keeps
// all its digits. Many rounds of it may be a lot.
func logExcessInteger(q, sigma float64, alpha int) float64 {
	logQ, log1mQ := math.Log(q), math.Log1p(-q)
	sum := math.Inf(-1)
	logBinomial := math.Log(float64(alpha))
	for k := 2; k <= alpha; k++ { // for 0 and 1 the exponent is 0
		logBinomial += math.Log(float64(alpha-k+1) / float64(k))
		x := float64(k)
		sum = logAdd(sum, logBinomial+x*logQ+float64(alpha-k)*log1mQ+logExpm1((x*x-x)/(2*sigma*sigma)))
	}
	return sum
}

// logMomentReal returns a bound of log A_α for any α > 1 from above, for the most part exact: the two series of the
// paper's §3.3,
//
//	A_α = Σ_k C(α,k) [ (1−q)^(α−k) q^k exp((k²−k)/(2σ²)) Φ((z−k)/σ)
//	                 + (1−q)^k q^(α−k) exp(((α−k)²−(α−k))/(2σ²)) Φ((α−k−z)/σ) ],   z = σ² log(1/q − 1) + 1/2,
//
// over k = 0, 1, 2, … Beyond k = α the binomial coefficients alternate and the terms fall like k^(−α−2), so a sum that
// ends with a positive term is above the whole. Where A_α is so close to 1 that the terms cancel, the integer orders
// around α give the better bound.
func logMomentReal(q, sigma, alpha float64) float64 {
	return min(logMomentSeries(q, sigma, alpha)+seriesError(alpha), logMomentBetween(q, sigma, alpha))
}

// seriesError is above the rounding error of logMomentSeries: some 1e-16 for each of up to 10⁵ terms, and that of
// logarithms as large as α. Against quadrature the most is 5e-14 at orders below 32, and 3e-15·α up to 2^14, where the
// search for orders ends (see the tests).
func seriesError(alpha float64) float64 { return 1e-12 + 2e-14*alpha }

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
		term := logBinomial + logAdd(low, high)
		if sign > 0 {
			positive = logAdd(positive, term)
		} else {
			negative = logAdd(negative, term)
		}
		if k > alpha && sign > 0 && term < positive-30 { // exp(−30) = 1e-13
			break
		}
	}
	return positive + math.Log1p(-math.Exp(negative-positive))
}

// logMomentBetween bounds log A_α from above by the integer orders around α.
//
// Below 2 it is (α−1)·log A_2, since log A_α is convex in α and 0 at 1. Beyond, with the ratio of densities 1+u, whose
// mean E[1+u] is 1, Taylor's remainder is
//
//	(A_α − 1)/(α(α−1)) = ∫_{s=0..1} (1−s) E[u² (1+su)^(α−2)] ds,
//
// a mixture of exponentials in α, so its logarithm is convex and lies below the chord between two integers. For a small
// loss u is small and the chord is close.
func logMomentBetween(q, sigma, alpha float64) float64 {
	if alpha < 2 {
		return (alpha - 1) * logMomentInteger(q, sigma, 2)
	}
	below := math.Floor(alpha)
	share := alpha - below
	atBelow := logExcessInteger(q, sigma, int(below)) - math.Log(below*(below-1))
	atAbove := logExcessInteger(q, sigma, int(below)+1) - math.Log((below+1)*below)
	return logAdd(0, math.Log(alpha*(alpha-1))+(1-share)*atBelow+share*atAbove)
}

// logAdd returns log(exp(a) + exp(b)).
func logAdd(a, b float64) float64 {
	if a < b {
		a, b = b, a
	}
	if math.IsInf(b, -1) {
		return a
	}
	return a + math.Log1p(math.Exp(b-a))
}

// logExpm1 returns log(exp(x) − 1) for x ≥ 0.
func logExpm1(x float64) float64 {
	if x > 37 { // exp(−37) is below the resolution of 1
		return x
	}
	return math.Log(math.Expm1(x))
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
