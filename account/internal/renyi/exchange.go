package renyi

import "math"

// The curves of exchanging one unit for another. The release is a sum with Gaussian noise of sigma times the units'
// norm C; both units take part by the same coin of probability q. N is N(0, σ²), M is (1−q)·N(0, σ²) + q·N(1, σ²), and
// M′ is M reflected at 0. Both curves are upper bounds, exact except for rounding up to some α for each σ. alpha > 1,
// sigma > 0, 0 ≤ q ≤ 1. At α = ∞ there is no bound.

// PoissonOpposite returns ρ(α) for opposite contributions: D_α(M‖M′). It never exceeds the ρ(α) of a unit that takes
// part for sure. Beyond the reach of quadrature it is the lesser of this ρ(α) and the bound through N.
func PoissonOpposite(q, sigma, alpha float64) float64 {
	whole := 2 * alpha / (sigma * sigma) * (1 + 1e-15)
	switch {
	case q == 0:
		return 0
	case q == 1 || math.IsInf(alpha, 1):
		return whole
	}
	if rho, ok := trapezoidal(q, sigma, alpha, alpha); ok {
		return min(whole, rho)
	}
	return min(whole, throughNothing(q, sigma, alpha))
}

// PoissonOrthogonal returns ρ(α) for orthogonal contributions. One distribution is M on the first axis and N on the
// second; the other is N on the first and M on the second. Divergences of independent axes add up (Mironov, Rényi
// Differential Privacy, 2017, proposition 1) to D_α(M‖N) + D_α(N‖M). The second is at most the first (Mironov, Talwar
// and Zhang 2019, theorem 5), and at most the divergence of a unit that takes part for sure.
func PoissonOrthogonal(q, sigma, alpha float64) float64 {
	removed := PoissonGaussian(q, sigma, alpha)
	if q == 0 || q == 1 || math.IsInf(alpha, 1) {
		return 2 * removed
	}
	if added, ok := trapezoidal(q, sigma, alpha, 0); ok {
		return removed + min(removed, added)
	}
	return 2 * removed
}

// throughNothing bounds D_α(M‖M′) by the losses of both against N. With their densities p and q over N, ∫ p^α·q^(1−α)
// dN ≤ (∫ p^(2α) dN)^½·(∫ q^(2−2α) dN)^½ (Cauchy and Schwarz). The two integrals are e^((2α−1)·D_2α(M‖N)) and
// e^((2α−2)·D_(2α−1)(N‖M′)). So D_α(M‖M′) ≤ (α−½)/(α−1)·D_2α(M‖N) + D_(2α−1)(N‖M), by reflection. PoissonGaussian
// bounds both directions.
func throughNothing(q, sigma, alpha float64) float64 {
	return ((alpha-0.5)/(alpha-1)*PoissonGaussian(q, sigma, 2*alpha) + PoissonGaussian(q, sigma, 2*alpha-1)) * (1 +
		1e-15)
}

// mostNodes bounds the nodes of trapezoidal.
const mostNodes = 1 << 14

// trapezoidal returns an upper bound of D_α(M‖M′) for power α, and of D_α(N‖M) for power 0. In units of σ, with m = 1/σ
// and g(z) = 1−q + q·e^(mz−m²/2), e^((α−1)·D_α) is
//
//	I = ∫ f(z) dz,   f(z) = φ(z)·g(z)^power·g(−z)^(1−α),
//
// and at least 1. Let f be analytic for |Im z| < a, with an integral of |f| along each line there of at most K. Then
// the trapezoidal sum of step h has an error of at most 2K/(e^(2πa/h)−1) (Trefethen and Weideman, The Exponentially
// Convergent Trapezoidal Rule, SIAM Review 2014, theorem 5.1). Let b = Im z, |b| ≤ a and m·a ≤ 1. Then
// |φ(x+ib)| = φ(x)·e^(b²/2) and |g(x+ib)| ≤ g(x). The real parts of g(x+ib) and g(−x−ib) are at least cos(mb)·g(x) and
// cos(mb)·g(−x), above 0. So the powers are analytic, and K ≤ e^(a²/2)·cos(ma)^(1−α)·I. With a = 1/(m·√α), at most 3,
// the bound of K is below e^(4.5+0.62)·I, as −log cos x ≤ 0.62·x² for x ≤ 1. So with 2πa/h = 42 the relative error is
// below 2e-16.
//
// Tails: for z ≤ −m/2, g(z) ≤ 1 and g(−z) ≥ 1, so f ≤ φ. For z ≥ 0, g(z) ≤ e^(mz), and
// g(z)·g(−z) ≥ (1−q + q·e^(−m²/2))² ≥ e^(−m²) (Cauchy and Schwarz). So 1/g(−z) ≤ e^(mz+m²) and, with s = (2α−1)·m,
// f ≤ φ(z)·e^(sz+(α−1)m²) = φ(z−s)·e^(s²/2+(α−1)m²). The ends below leave out less than e^(−50) on each side. ok is
// false if the sum would take too many nodes.
func trapezoidal(q, sigma, alpha, power float64) (rho float64, ok bool) {
	m := 1 / sigma
	step := 2 * math.Pi / 42 * min(3, sigma/math.Sqrt(alpha))
	shift := (2*alpha - 1) * m
	low := -(10.5 + m/2)
	high := shift + math.Sqrt(shift*shift+2*(alpha-1)*m*m+100)
	if nodes := (high - low) / step; !(nodes <= mostNodes) {
		return 0, false
	}
	var logs []float64
	most := math.Inf(-1)
	for z := low; z <= high+step; z += step {
		log := power*logRatio(q, m*z-m*m/2) + (1-alpha)*logRatio(q, -m*z-m*m/2) - z*z/2
		logs, most = append(logs, log), max(most, log)
	}
	sum := 0.0
	for _, log := range logs {
		sum += math.Exp(log - most)
	}
	moment := most + math.Log(sum*step) - math.Log(2*math.Pi)/2
	// A logarithm has an error of some roundings of the largest numbers in it. The sum has one rounding for each node.
	edge := max(-low, high) + step
	moment += 4e-12 + 8*0x1p-53*((power+alpha)*(2+m*edge+m*m/2)+edge*edge/2)
	return max(0, moment/(alpha-1)), true
}

// logRatio is log(1−q + q·e^x), with an absolute error of some roundings of 2+|x|: no form subtracts a number close to
// 1 from 1.
func logRatio(q, x float64) float64 {
	if x > 1 {
		return x + math.Log(q+(1-q)*math.Exp(-x))
	}
	if change := q * math.Expm1(x); change > -0.5 {
		return math.Log1p(change)
	}
	return math.Log((1 - q) + q*math.Exp(x))
}
