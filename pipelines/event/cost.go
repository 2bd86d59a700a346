package event

import "math"

// leastCost returns the least cost that a charge's release can have in the filter's measure. It is the cost itself if
// the cost has a formula. Else it is a lower bound, a little rounded down. c must have a mechanism that the filter
// counts.
//
// A round may hold one unit and nothing else. The sums of neighbouring data sets are then two distributions of one or
// two numbers. Their divergence is at most the cost.
func (f *Filter) leastCost(c *Charge) float64 {
	noise := c.NoiseMultiplier()
	switch {
	case c.Mechanism == RandomizedResponse:
		p := float64(c.Scale) / FlipSteps
		return float64(c.Sensitivity) * f.leastOfBit(math.Log1p(-p)-math.Log(p))
	case f.Measure == ZCDP:
		// Gaussian noise: Bun and Steinke, Concentrated Differential Privacy, 2016, proposition 1.6. Laplace noise is
		// pure with ε = 1/noise, and ε²/2-zCDP by proposition 1.4.
		return 1 / (2 * noise * noise)
	case f.Measure == GDP:
		return 1 / (noise * noise) // Dong, Roth and Su, Gaussian Differential Privacy, 2022, theorem 2.7
	}
	rate := 1.0
	if sampled(c) && c.Scheme.Secret {
		rate = c.Scheme.Rate
	}
	norm, nonNegative, known := c.ExchangedNorm()
	switch {
	// nothing here amplifies a Laplace release
	case c.Mechanism == Laplace && (c.Scheme.Method != Poisson || c.Adjacency == ReplaceOne):
		return leastOfLaplace(1, float64(c.Sensitivity), float64(c.Scale), f.Order)
	case c.Mechanism == Laplace:
		return leastOfLaplace(rate, float64(c.Sensitivity), float64(c.Scale), f.Order)
	case rate == 1 || c.Adjacency == ReplaceOne && !known && c.Scheme.Method == Poisson:
		return f.Order / (2 * noise * noise) // Mironov, Rényi Differential Privacy, 2017, proposition 7
	case c.Adjacency != ReplaceOne || !known:
		return leastOfGaussian(rate, 1/noise, f.Order, 0)
	case nonNegative: // two axes, on one of which the unit was, and on the other is
		over := float64(norm) / float64(c.Scale)
		return leastOfGaussian(rate, over, f.Order, 0) + leastOfGaussian(rate, over, 1-f.Order, 0)
	}
	return leastOfGaussian(rate, float64(norm)/float64(c.Scale), f.Order, 1-f.Order)
}

// leastOfBit is the cost, a little rounded down, of one bit of a randomized response with pure ε: the bit's Rényi
// divergence. For zCDP it is the divergence of order 1, and no ρ is below that.
func (f *Filter) leastOfBit(epsilon float64) float64 {
	if f.Measure == ZCDP {
		return (1 - 1e-6) * epsilon * math.Tanh(epsilon/2)
	}
	// With the probabilities p and 1−p: p^α·(1−p)^(1−α) + (1−p)^α·p^(1−α).
	right := -math.Log1p(math.Exp(-epsilon))
	wrong := right - epsilon
	high, low := f.Order*right+(1-f.Order)*wrong, f.Order*wrong+(1-f.Order)*right
	return (1 - 1e-6) * max(0, high+math.Log1p(math.Exp(low-high))-1e-12) / (f.Order - 1)
}

// leastOfGaussian bounds log(∫ φ(z)·g(z)^a·g(−z)^b dz)/(α−1) from below, for g(z) = 1−q + q·exp(z/m' − 1/(2m'²)) with
// 1/m' = over. The ratio of the densities with and without a unit is g. The unit takes part by a coin of probability q,
// and moves the sum by over times σ. The order α is a, or 1−a for a below 0. The trapezoidal rule converges
// exponentially there (Trefethen and Weideman, SIAM Review 2014). The final subtraction covers its error.
func leastOfGaussian(q, over, a, b float64) float64 {
	alpha := max(a, 1-a)
	// Far out g(z)^α is at least q^α·exp(α·(over·z − over²/2)). On half of that function's integral, g(−z)^(1−α) is at
	// least 1.
	far := 0.0
	if a > 0 {
		far = max(0, alpha*math.Log(q)+alpha*(alpha-1)*over*over/2-1)
	}
	step := 0.15 * min(3, 1/(over*math.Sqrt(alpha)))
	low, high := -12-over, 12+(2*alpha-1)*over
	if far > 50 || !((high-low)/step < 1<<14) {
		return (1 - 1e-6) * far / (alpha - 1)
	}
	sum := 0.0
	for z := low; z < high; z += step {
		u, mirrored := q*math.Expm1(over*z-over*over/2), q*math.Expm1(-over*z-over*over/2)
		// u and mirrored have mean 0. Their first-order terms are subtracted, so that the sum loses no digits to the 1.
		x := a*math.Log1p(u) + b*math.Log1p(mirrored)
		if x < 1 {
			sum += math.Exp(-z*z/2) * (math.Expm1(x) - a*u - b*mirrored)
		} else {
			sum += math.Exp(x-z*z/2) - math.Exp(-z*z/2)*(1+a*u+b*mirrored)
		}
	}
	return (1 - 1e-6) * max(0, math.Log1p(max(0, sum*step/math.Sqrt(2*math.Pi)))-1e-13) / (alpha - 1)
}

// leastOfLaplace bounds from below the Rényi divergence of order α between the sums with and without a unit, under
// discrete Laplace noise of scale t. The unit takes part by a coin of probability q and moves the sum by shift.
// The bound is the divergence of the sum rounded to blocks, or less. That divergence is never above the divergence of
// the sum itself (van Erven and Harremoës 2014, theorem 9).
func leastOfLaplace(q, shift, t, alpha float64) float64 {
	const blocks = 1 << 12
	r := math.Exp(-1 / t)
	excess, largest := 0.0, 0.0          // the logarithm of the largest term
	add := func(without, with float64) { // a block's probabilities, without and with the unit
		if u := q * (with/without - 1); without > 0 {
			excess += without * (math.Expm1(alpha*math.Log1p(u)) - alpha*u)
			largest = max(largest, math.Log(without)+alpha*math.Log1p(u))
		}
	}
	add(1/(1+r), math.Exp(-shift/t)/(1+r))   // up to 0
	add(r*math.Exp(-shift/t)/(1+r), r/(1+r)) // beyond the shift
	for i, from := 1, 0.0; i <= blocks; i++ {
		to := math.Floor(shift * float64(i) / blocks)
		if to > from { // r^(from+1) − r^(to+1) without the unit, and r^(shift−to) − r^(shift−from) with it
			size := -math.Expm1((from-to)/t) / (1 + r)
			add(size*math.Exp(-(from+1)/t), size*math.Exp((to-shift)/t))
		}
		from = to
	}
	if largest > 500 { // and the sum may be beyond float64
		return (1 - 1e-5) * largest / (alpha - 1)
	}
	return (1 - 1e-5) * max(0, math.Log1p(max(0, excess))-1e-13) / (alpha - 1)
}
