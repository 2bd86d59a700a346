package renyi

import "math"

// Rho returns the ρ of zero-concentrated differential privacy for rounds of Gaussian noise without sampling:
// rounds/(2σ²) (Bun and Steinke, Concentrated Differential Privacy, TCC 2016-B, proposition 1.6). By their lemma 1.7
// the ρ of successive releases add up. The discrete Gaussian has the same ρ (Canonne, Kamath and Steinke 2020,
// proposition 5).
func Rho(sigma float64, rounds uint64) float64 {
	if rounds == 0 {
		return 0
	}
	return max(math.SmallestNonzeroFloat64, RoundUp(float64(rounds)/(2*sigma*sigma)))
}

// PureRho returns the ρ of one release with pure ε: ε²/2 (Bun and Steinke 2016, proposition 1.4).
func PureRho(epsilon float64) float64 {
	if epsilon == 0 {
		return 0
	}
	return max(math.SmallestNonzeroFloat64, RoundUp(epsilon*epsilon/2))
}

// ZCDPEpsilon returns ε = ρ + 2√(ρ log(1/δ)) (Bun and Steinke 2016, proposition 1.3), which the workshop paper uses.
// ZCDPEpsilonTight is never more. rho ≥ 0, delta in [0, 1].
func ZCDPEpsilon(rho, delta float64) float64 {
	if rho == 0 || delta >= 1 {
		return 0
	}
	return RoundUp(rho + 2*math.Sqrt(rho)*math.Sqrt(-logOf(delta)))
}

// ZCDPEpsilonTight returns the least ε at δ that follows from ρ for Rényi divergences of at most ρα at every order α:
// Canonne, Kamath and Steinke, The Discrete Gaussian for Differential Privacy (NeurIPS 2020), corollary 13,
//
//	δ = min over α > 1 of exp((α−1)(αρ−ε))/(α−1)·(1−1/α)^α,
//
// solved for ε at each α. rho ≥ 0, delta in [0, 1]. It is 0 if the total variation distance is already at most δ.
func ZCDPEpsilonTight(rho, delta float64) float64 {
	switch {
	case rho == 0 || delta >= zcdpTotalVariation(rho):
		return 0
	case delta == 0 || math.IsInf(rho, 1):
		return math.Inf(1)
	}
	log := logOf(delta)
	least := leastOverOrders(func(o order) float64 {
		return sumUp(rho, rho*o.less1, o.logRatio, -log/o.less1, -o.log/o.less1)
	})
	return max(0, min(least, ZCDPEpsilon(rho, delta)))
}

// ZCDPDelta returns the least δ at ε, by the same corollary. rho ≥ 0, epsilon ≥ 0. It is positive unless ρ is 0.
func ZCDPDelta(rho, epsilon float64) float64 {
	if rho == 0 {
		return 0
	}
	if math.IsInf(rho, 1) {
		return 1
	}
	log := leastOverOrders(func(o order) float64 {
		return sumUp(o.less1*rho, o.less1*o.less1*rho, -o.less1*epsilon, o.less1*o.logRatio, -o.log)
	})
	return min(1, zcdpTotalVariation(rho), max(math.SmallestNonzeroFloat64, RoundUp(math.Exp(log))))
}

// zcdpTotalVariation bounds the total variation distance, the δ of ε = 0. The Kullback-Leibler divergence is at most ρ,
// so two bounds hold: √(ρ/2) (Pinsker) and √(1−e^−ρ) (Bretagnolle and Huber 1979).
func zcdpTotalVariation(rho float64) float64 {
	return RoundUp(min(math.Sqrt(rho)/math.Sqrt2, math.Sqrt(-math.Expm1(-rho))))
}

// An order is α > 1 as the terms of the formulas, without cancellation: α−1, log α and log(1−1/α).
type order struct{ less1, log, logRatio float64 }

func orderAt(x float64) order { // x = log(α−1)
	o := order{less1: math.Exp(x), logRatio: -math.Log1p(math.Exp(-x))}
	o.log = math.Log1p(o.less1)
	return o
}

// leastOverOrders returns the least f it finds over orders from 1+e^−50 to e^50. It goes by steps of e, then by a
// golden-section search from the best. f has one valley, because log δ of corollary 13 is convex in α at every ε. Every
// order is a valid bound, so the search cannot make the answer wrong.
func leastOverOrders(f func(order) float64) float64 {
	at, value := 0.0, math.Inf(1)
	for x := -50.0; x <= 50; x++ {
		if v := f(orderAt(x)); v < value {
			at, value = x, v
		}
	}
	const ratio = 0.61803398874989485 // (√5 − 1)/2
	low, high := at-1, at+1
	for range 45 { // 0.62^45 = 4e-10 of α−1, squared in the value
		a, b := high-ratio*(high-low), low+ratio*(high-low)
		fa, fb := f(orderAt(a)), f(orderAt(b))
		value = min(value, fa, fb)
		if fa < fb {
			high = b
		} else {
			low = a
		}
	}
	return value
}

// sumUp bounds the sum of terms from above, each good to a few ulp.
func sumUp(terms ...float64) float64 {
	sum, size := 0.0, 0.0
	for _, t := range terms {
		sum += t
		size += math.Abs(t)
	}
	return sum + size*roundoff
}
