package sbn

import "math"

// euler is Euler's constant (DLMF 5.2.3).
const euler = 0.57721566490153286061

// scaledK returns eˣ·K₀(x) and eˣ·K₁(x) for x > 0, with a relative error of some 10⁻¹⁵. K are the modified Bessel
// functions of the second kind, which gonum lacks. The equation numbers are from NIST's Digital Library of Mathematical
// Functions (DLMF), https://dlmf.nist.gov/10. Callers use their ratio even
// where K₀ and K₁ themselves are 0 in binary64. For x below 10⁻³⁰⁸ K₁ overflows.
func scaledK(x float64) (k0, k1 float64) {
	if x <= 1 {
		k0, k1 = besselSeries(x)
		e := math.Exp(x)
		return e * k0, e * k1
	}
	return besselIntegral(x)
}

// besselSeries returns K₀(x) and K₁(x) by DLMF 10.31.2 and 10.31.1 (n = 1), with I₀ and I₁ by 10.25.2. At x ≤ 1 the
// twelfth term is below 10⁻²².
func besselSeries(x float64) (k0, k1 float64) {
	square, log := x*x/4, math.Log(x/2)
	harmonic := 0.0 // 1 + 1/2 + … + 1/n
	term := 1.0     // (x²/4)ⁿ/(n!)²
	sum := 0.0      // Σ term/(n+1)·(ψ(n+1) + ψ(n+2))
	i0, i1 := 0.0, 0.0
	for n := range 12 {
		m := float64(n + 1)
		i0 += term
		i1 += term / m
		k0 += term * harmonic
		sum += term / m * (2*harmonic + 1/m - 2*euler) // ψ(n+1) = −γ + harmonic (DLMF 5.4.14)
		harmonic += 1 / m
		term *= square / (m * m)
	}
	return k0 - (log+euler)*i0, 1/x + x/2*(log*i1-sum/2)
}

// besselIntegral returns both by DLMF 10.32.9, eˣ·K_ν(x) = ∫₀^∞ exp(−x·(cosh t − 1))·cosh(νt) dt, with the trapezoidal
// rule.
// The rule's error falls exponentially with one over the step, because the integrand is analytic (Trefethen and
// Weideman, SIAM Review 56, 2014, Theorem 5.1).
func besselIntegral(x float64) (k0, k1 float64) {
	step := 0.2 / math.Sqrt(x)
	k0, k1 = 0.5, 0.5 // t = 0
	for n := 1; ; n++ {
		sinh := math.Sinh(float64(n) * step / 2)
		rise := 2 * sinh * sinh // cosh t − 1, without cancellation
		e := math.Exp(-x * rise)
		if e*(1+rise) < 1e-18 {
			return step * k0, step * k1
		}
		k0 += e
		k1 += e * (1 + rise)
	}
}
