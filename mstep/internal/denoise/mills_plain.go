package denoise

import "math"

// For t ≥ 0, R(−t) falls from √(π/2) like 1/t. R′(−t) = 1 − t·R(−t) falls from 1 like 1/t², because R′ = 1 + zR, as φ′
// = −zφ. Let u = 1/(t + 4) and v = 1 − 8u in [−1, 1). Then R(−t)/u and R′(−t)/u² are smooth on [−1, 1]. Such a map
// gives erfc, over its density, quickly falling Chebyshev series (Shepherd and Laframboise, Chebyshev Approximation of
// (1 + 2x)exp(x²)erfc x, Mathematics of Computation 1981). Here the series are cut at degree 9. TestConstants computes
// them again.
//
// For z > 0, R(z) = √(2π)·exp(z²/2) − R(−z), because Φ(z) = 1 − Φ(−z). R′(z) = 1 + zR(z) loses no digits.

// constants are the constants for all kernels. A row has one number in each lane, as vector instructions read it.
var constants = [...][vector]float64{
	// 0: R(−t)/u is the polynomial in v with these coefficients. The relative error is 4.2e-8.
	each(1.8932190550863282), each(-1.5237703138482683), each(0.9704099613640732), each(-0.46755312744496808),
	each(0.15138855628233358),
	each(-0.018830371587137462), each(-0.0087134607327263858), each(0.0039198324561495745),
	each(0.00032417140947016421), each(-0.00039434418790396109),
	// 10: R′(−t)/u² is the polynomial in v with these coefficients. The relative error is 6.5e-7.
	each(3.4169887343143861), each(-4.9883542042225431), each(4.3139146512357716), each(-2.4758682741435813),
	each(0.85094233049542078),
	each(-0.060275000341843299), each(-0.088148742465419705), each(0.028115437273084076),
	each(0.0063041776013168516), each(-0.0036185163290234357),
	// 20: Taylor's series of exp. For |r| ≤ ln(2)/2 the remainder r⁸/8! is below 6e-9.
	each(1), each(1), each(1.0 / 2), each(1.0 / 6), each(1.0 / 24), each(1.0 / 120), each(1.0 / 720),
	each(1.0 / 5040),
	// 28: log₂ e, then 1.5·2⁵², which rounds to whole numbers, then ln 2 in two parts. The first part has 21 bits, so k
	// times it is exact.
	each(math.Log2E), each(3 << 51), each(ln2High), each(math.Ln2 - ln2High),
	// 32
	each(0.5), each(1), each(4), each(8), each(sqrt2Pi),
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
		u := 1 / (math.Abs(z) + 4)
		v := 1 - float64(8*u)
		r, d := constants[9][0], constants[19][0]
		for j := 8; j >= 0; j-- {
			r = float64(r*v) + constants[j][0]
			d = float64(d*v) + constants[10+j][0]
		}
		r, d = float64(r*u), float64(d*float64(u*u))
		if z > 0 {
			r = float64(exp(float64(float64(z*z)*0.5))*sqrt2Pi) - r
			d = float64(r*z) + 1
		}
		ratio[i] += float64(r * weight)
		derivative[i] += float64(d * weight)
	}
}

// exp returns e^x for 0 ≤ x ≤ 700.
func exp(x float64) float64 {
	shifted := float64(x*math.Log2E) + 3<<51 // its last bits are the whole number k
	k := shifted - 3<<51
	r := x - float64(k*ln2High) - float64(k*(math.Ln2-ln2High))
	power := constants[27][0]
	for j := 26; j >= 20; j-- {
		power = float64(power*r) + constants[j][0]
	}
	return math.Float64frombits(math.Float64bits(power) + math.Float64bits(shifted)<<52) // times 2^k
}
