package denoise

import "math"

// For t ≥ 0, R(−t) falls from √(π/2) like 1/t. R′(−t) = 1 − t·R(−t) falls from 1 like 1/t², because R′ = 1 + zR, as φ′
// = −zφ. Each of R and R′ gives the other, so one polynomial is enough.
//
// Near 0, for t ≤ 4, let u = 1/(t + 4). Then R(−t)/u is smooth in u on [1/8, 1/4]. Such a map gives erfc, over its
// density, quickly falling Chebyshev series (Shepherd and Laframboise, Chebyshev Approximation of
// (1 + 2x)exp(x²)erfc x, Mathematics of Computation 1981). Here the series is cut at degree 7. The error of
// R′ = 1 − tR, relative, is tR/R′ times as large: up to 18 times, at t = 4.
//
// Far below, for t ≥ 4, let x = 1/t². Then t²·R′(−t) is about 1 − 3x + 15x² (DLMF 7.12.1 gives R), and smooth in x on
// [0, 1/16]. Its Chebyshev series is cut at degree 5. The error of R = (1 − R′)/t, relative, is R′/(1 − R′) times as
// large: at most a 17th.
//
// For z > 0, R(z) = √(2π)·exp(z²/2) − R(−z), because Φ(z) = 1 − Φ(−z). R′(z) = 1 + zR(z) loses no digits. For z above 4
// the polynomial for R(−z) stays below 1, where R(z) is above 7,000: its error beyond [1/8, 1/4] does not count.
//
// TestConstants computes the polynomials again. TestError checks the stated errors over the whole range.

// constants are the constants for all kernels. A row has one number in each lane, as vector instructions read it.
var constants = [...][vector]float64{
	// 0: R(−t)/u is the polynomial in u with these coefficients. The relative error is 2.5e-8, and of R′ 4.4e-7.
	each(0.9729216365352923), each(5.178972129637116), each(-6.868821642043517), each(275.06284258781966),
	each(-1173.2588492190273), each(4996.448309781153), each(-6255.93717706273), each(1770.504416083204),
	// 8: t²·R′(−t) is the polynomial in x with these coefficients. The relative error is 5e-7, and of R 3e-8.
	each(0.99999950047265), each(-2.999390578142451), each(14.876273222343725), each(-95.35530872252012),
	each(569.6453584326513), each(-1900.9771256395175),
	// 14: Taylor's series of exp. For |r| ≤ ln(2)/2 the remainder r⁸/8! is below 6e-9.
	each(1), each(1), each(1.0 / 2), each(1.0 / 6), each(1.0 / 24), each(1.0 / 120), each(1.0 / 720),
	each(1.0 / 5040),
	// 22: log₂ e, then 1.5·2⁵², which rounds to whole numbers, then ln 2 in two parts. The first part has 21 bits, so k
	// times it is exact.
	each(math.Log2E), each(3 << 51), each(ln2High), each(math.Ln2 - ln2High),
	// 26
	each(0.5), each(1), each(4), each(-4), each(-1), each(sqrt2Pi),
}

const (
	vector  = 4 // numbers in one vector instruction
	ln2High = 0x162e42p-21
	sqrt2Pi = 2.50662827463100050241576528481104525
)

func each(x float64) (row [vector]float64) {
	for i := range row {
		row[i] = x
	}
	return row
}

// plainAdd gives the same bits as the kernels with vector instructions. It does the same operations in the same order.
// The conversions keep the compiler from joining a product and a sum in one rounding (The Go Programming Language
// Specification, Floating-point operators).
func plainAdd(ratio, derivative, y, pull []float64, inverse, weight float64) {
	derivative, y, pull = derivative[:len(ratio)], y[:len(ratio)], pull[:len(ratio)]
	for i := range ratio {
		z := y[i] - float64(pull[i]*inverse)
		var r, d float64
		if z <= -4 {
			w := -1 / z
			x := float64(w * w)
			d = float64(horner(8, 13, x) * x)
			r = float64((1 - d) * w)
		} else {
			u := 1 / (math.Abs(z) + 4)
			r = float64(horner(0, 7, u) * u)
			if z > 0 {
				r = float64(exp(float64(float64(z*z)*0.5))*sqrt2Pi) - r
			}
			d = float64(r*z) + 1
		}
		ratio[i] += float64(r * weight)
		derivative[i] += float64(d * weight)
	}
}

// horner is the polynomial in x with the coefficients in constants from first, of x⁰, to last.
func horner(first, last int, x float64) float64 {
	sum := constants[last][0]
	for j := last - 1; j >= first; j-- {
		sum = float64(sum*x) + constants[j][0]
	}
	return sum
}

// exp returns e^x for 0 ≤ x ≤ 700.
func exp(x float64) float64 {
	shifted := float64(x*math.Log2E) + 3<<51 // its last bits are the whole number k
	k := shifted - 3<<51
	r := x - float64(k*ln2High) - float64(k*(math.Ln2-ln2High))
	power := horner(14, 21, r)
	return math.Float64frombits(math.Float64bits(power) + math.Float64bits(shifted)<<52) // times 2^k
}
