package renyi

import "math"

// Laplace returns ρ(α) of a sum with discrete Laplace noise, under an integer shift of L1 norm at most Δ = shift. The
// noise has the given scale t: P[x] = (1−r)/(1+r)·r^|x| with r = exp(−1/t). alpha in (1, ∞], shift ≥ 0, scale > 0, in
// the same steps. At α = ∞ it is the pure ε = Δ/t, rounded to the nearest float64. It is below the truth by no more
// than this rounding, and above it by 1e-14·Δ/t at most.
//
// For a shift in one cell, sum P[x−Δ]^α·P[x]^(1−α) over x ≤ 0, 0 < x < Δ and x ≥ Δ: three geometric series. With
// s = r^(2α−1) the sum is
//
//	A·exp((α−1)Δ/t) + B·exp(−αΔ/t),   A = (1−rs)/((1+r)(1−s)),   B = 1−A = (r−s)/((1+r)(1−s)),
//
// and ρ is the logarithm of the sum over α−1. For large t it is ρ of the continuous Laplace, with A = α/(2α−1) (Mironov
// 2017, proposition 6). Written as Δ/t plus log(1 − B(1 − exp(−(2α−1)Δ/t)))/(α−1) nothing is out of range. The two
// nearly cancel where Δ/t is small. The rounding error of log(…) is some 1e-16 of the (α−1)Δ/t that cancel, so the code
// adds a multiple of Δ/t.
//
// For a shift over several cells: A and B are not negative, so (α−1)ρ is the logarithm of a sum of exponentials of Δ.
// So ρ is convex in Δ and 0 at 0, and such a function is superadditive. So Σρ(Δ_i) ≤ ρ(ΣΔ_i): one cell is the worst.
// Dominance says more.
func Laplace(shift, scale, alpha float64) float64 {
	x := shift / scale
	if x == 0 {
		return 0
	}
	// B = r(1−r^(2α−2))/((1+r)(1−r^(2α−1))); for α = ∞ it is r/(1+r).
	r := math.Exp(-1 / scale)
	b := r * math.Expm1(-2*(alpha-1)/scale) / ((1 + r) * math.Expm1(-(2*alpha-1)/scale))
	rho := x + math.Log1p(b*math.Expm1(-(2*alpha-1)*x))/(alpha-1)
	return min(x, max(0, rho)+1e-14*x)
}

// RandomizedResponse returns ρ(α) of one bit that is reported wrong with probability 1/(1+e^ε), under a change of the
// bit. alpha in (1, ∞], epsilon ≥ 0. It is discrete Laplace noise of t = 1/ε under a shift by 1. Both have a ratio of
// probabilities with the values e^ε and e^−ε, of probability e^ε/(1+e^ε) and 1/(1+e^ε).
func RandomizedResponse(epsilon, alpha float64) float64 {
	if epsilon == 0 {
		return 0
	}
	return Laplace(1, 1/epsilon, alpha)
}
