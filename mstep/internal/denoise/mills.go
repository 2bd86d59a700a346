package denoise

import "math"

// For one exponential component with mean m, and z = y/τ − τ/m,
//
//	p(y | m) = φ(y/τ)/m · Φ(z)/φ(z)      and      E[s | y, m] = τ (z + φ(z)/Φ(z)),
//
// by completing the square in ∫ exp(−s/m)/m · N(y; s, τ²) ds over s ≥ 0: s given y is normal around τz with deviation
// τ, truncated to s ≥ 0. Below, ratio(z) = Φ(z)/φ(z) and slope(z) = z + 1/ratio(z), the derivative of its logarithm.

// Between low and high both are looked up and interpolated linearly: the error is at most step²/8 times the second
// derivative, which is below 30 of ratio's value and below 1 for slope: 4e-6 relative.
const (
	tableLow  = -10
	tableHigh = 5
	tableStep = 1.0 / 1024
)

type entry struct{ ratio, slope float64 }

var table = func() (t [(tableHigh-tableLow)/tableStep + 2]entry) {
	for i := range t {
		z := float64(i)*tableStep + tableLow
		t[i] = entry{exactRatio(z), exactSlope(z)}
	}
	return t
}()

// lookUp returns ratio(z) and slope(z) for z ≤ 37, beyond which the ratio overflows.
func lookUp(z float64) (ratio, slope float64) {
	if z < tableLow {
		return far(z)
	}
	if z >= tableHigh { // Φ(z) is 1 to 3e-7 there
		ratio = sqrt2Pi * math.Exp(z*z/2)
		return ratio, z + 1/ratio
	}
	x := (z - tableLow) / tableStep
	i := int(x)
	x -= float64(i)
	a, b := &table[i], &table[i+1]
	return a.ratio + x*(b.ratio-a.ratio), a.slope + x*(b.slope-a.slope)
}

const sqrt2Pi = 2.50662827463100050241576528481104525

// exactRatio uses Φ(z) = erfc(−z/√2)/2 (DLMF 7.18.1).
func exactRatio(z float64) float64 {
	if z < -20 {
		ratio, _ := far(z)
		return ratio
	}
	return math.Erfc(-z/math.Sqrt2) / 2 * sqrt2Pi * math.Exp(z*z/2)
}

func exactSlope(z float64) float64 {
	if z < -20 {
		_, slope := far(z)
		return slope
	}
	return z + 1/exactRatio(z)
}

// far returns ratio(z) by the asymptotic series of Mills' ratio (DLMF 7.12.1), −1/z · (1 − 1/z² + 3/z⁴ − 15/z⁶ + 105/z⁸), and
// slope(z) by the quotient series, −1/z · (1 − 2/z² + 10/z⁴ − 74/z⁶ + 706/z⁸). The error is 1e-6 relative at z = −10.
func far(z float64) (ratio, slope float64) {
	u := -1 / z
	w := u * u
	return u * (1 - w*(1-w*(3-w*(15-w*105)))), u * (1 - w*(2-w*(10-w*(74-w*706))))
}
