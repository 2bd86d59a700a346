package renyi

import "math"

// A Curve is ρ as a function of the order α in (1, ∞]. +Inf is no guarantee. At ∞ it is a pure ε.
type Curve func(alpha float64) float64

// Remember returns a curve that works out each order once: searches for the best order begin with the same orders, and
// a nightly job's ledger has many kinds of charges. The curve is not safe for concurrent use.
func Remember(curve Curve) Curve {
	known := make(map[float64]float64)
	return func(alpha float64) float64 {
		rho, ok := known[alpha]
		if !ok {
			rho = curve(alpha)
			known[alpha] = rho
		}
		return rho
	}
}

// Epsilon returns the least ε that the curve proves at δ, and the order that proves it: Canonne, Kamath and Steinke,
// The Discrete Gaussian for Differential Privacy (NeurIPS 2020), proposition 12,
//
//	ε = ρ(α) + log(1 − 1/α) − (log δ + log α)/(α − 1).
//
// The result is 0 if the total variation distance is at most δ already. It is ρ(∞) if ρ(∞) is less than the formula's
// ε: ρ(∞) holds at every δ, at 0 too. Every order is a valid bound, so the search for the best one cannot make the
// answer wrong. delta is in [0, 1).
func Epsilon(curve Curve, delta float64) (epsilon, alpha float64) {
	epsilon, alpha = math.Inf(1), math.NaN()
	if delta > 0 {
		if delta >= totalVariation(curve) {
			return 0, orders[0]
		}
		epsilon, alpha = minimize(curve, func(alpha, rho float64) float64 {
			return rho + math.Log1p(-1/alpha) - (math.Log(delta)+math.Log(alpha))/(alpha-1)
		})
	}
	if pure := curve(math.Inf(1)); pure <= epsilon && !math.IsInf(pure, 1) {
		return pure, math.Inf(1)
	}
	return max(epsilon, 0), alpha
}

// Delta returns the least δ that the curve proves at ε, and the order that proves it, by the same proposition. It is 0
// if the pure ε is at most epsilon.
func Delta(curve Curve, epsilon float64) (delta, alpha float64) {
	if curve(math.Inf(1)) <= epsilon {
		return 0, math.Inf(1)
	}
	logDelta, alpha := minimize(curve, func(alpha, rho float64) float64 {
		return (alpha-1)*(rho-epsilon+math.Log1p(-1/alpha)) - math.Log(alpha)
	})
	delta = min(math.Exp(logDelta), 1)
	if tv := totalVariation(curve); tv < delta {
		return tv, orders[0] // (0, δ) is more than (ε, δ)
	}
	return delta, alpha
}

// totalVariation bounds the total variation distance, the δ of ε = 0: √(1 − exp(−KL)) (Bretagnolle and Huber,
// Estimation des densités: risque minimax, 1979), with the Kullback-Leibler divergence KL ≤ ρ(α) for every α > 1.
func totalVariation(curve Curve) float64 { return math.Sqrt(-math.Expm1(-curve(orders[0]))) }

// orders are where the search begins. They are dense where the best order of a strong guarantee lies. Beyond, they are
// integers, which cost less.
var orders = func() (orders []float64) {
	for x := 1.0 / 64; x < 16; x *= 1.25 {
		orders = append(orders, 1+x)
	}
	for x := 17.0; x < 1<<14; x = math.Ceil(x * 1.25) {
		orders = append(orders, x)
	}
	return orders
}()

// minimize returns the least value of f at (α, ρ(α)) that it finds over orders, and its order. It takes the best of a
// grid and refines it between the best order's neighbours by golden-section search. f is +Inf where there is no bound,
// and grows with ρ.
//
// ρ grows with the order (van Erven and Harremoës 2014, theorem 3). So if f is already too large with a smaller order's
// ρ, the curve is not asked: large orders cost the most.
func minimize(curve Curve, f func(alpha, rho float64) float64) (value, alpha float64) {
	best, rho := 0, 0.0
	value = math.Inf(1)
	for i, a := range orders {
		if !(f(a, rho) < value) {
			continue
		}
		is := curve(a)
		if !math.IsInf(is, 1) { // which is no bound, and says nothing
			rho = max(rho, is)
		}
		if v := f(a, is); v < value {
			value, alpha, best = v, a, i
		}
	}
	if math.IsInf(value, 1) {
		return value, math.NaN()
	}
	low, high := orders[max(best-1, 0)], orders[min(best+1, len(orders)-1)]
	const ratio = 0.61803398874989485 // (√5 − 1)/2
	a, b := high-ratio*(high-low), low+ratio*(high-low)
	at := func(alpha float64) float64 { return f(alpha, curve(alpha)) }
	fa, fb := at(a), at(b)
	for range 25 { // 0.62^25 = 6e-6 of an order, squared in the value
		if fa < fb {
			high, b, fb = b, a, fa
			a = high - ratio*(high-low)
			fa = at(a)
		} else {
			low, a, fa = a, b, fb
			b = low + ratio*(high-low)
			fb = at(b)
		}
		for _, try := range [2][2]float64{{a, fa}, {b, fb}} {
			if try[1] < value {
				alpha, value = try[0], try[1]
			}
		}
	}
	return value, alpha
}
