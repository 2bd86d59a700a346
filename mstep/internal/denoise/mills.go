package denoise

import (
	"math"
	"sync"
)

// For one exponential component with mean m, and z = y/τ − τ/m,
//
//	p(y | m) = φ(y/τ)/m · R(z)      and      E[s | y, m] = τ (z + 1/R(z)) = τ R′(z)/R(z),      with R = Φ/φ,
//
// by completing the square in ∫ exp(−s/m)/m · N(y; s, τ²) ds over s ≥ 0: s given y is normal around τz with deviation
// τ, truncated to s ≥ 0. R′ = 1 + zR, because φ′ = −zφ.

// Between low and high both are looked up and interpolated linearly: the error is at most step²/8 times the second
// derivative, which is below 30 of the value: 4e-6 relative.
const (
	tableLow  = -10
	tableHigh = 5
	tableStep = 1.0 / 1024
)

type entry struct{ ratio, derivative float64 }

var table [(tableHigh-tableLow)/tableStep + 2]entry

// fill fills the table before the first cell, not at the start of every mstep: it takes a millisecond.
var fill = sync.OnceFunc(func() {
	for i := range table {
		z := float64(i)*tableStep + tableLow
		ratio := exactRatio(z)
		table[i] = entry{ratio, 1 + z*ratio}
	}
})

// lookUp returns R(z) and R′(z) for low ≤ z < high, from the table after fill. Like far it is small enough for the compiler to put it into a loop, which halves its time.
func lookUp(z float64) (ratio, derivative float64) {
	x := (z - tableLow) / tableStep
	i := int(x)
	x -= float64(i)
	a, b := &table[i], &table[i+1]
	return a.ratio + x*(b.ratio-a.ratio), a.derivative + x*(b.derivative-a.derivative)
}

// above returns R(z) and R′(z) for high ≤ z ≤ 37, beyond which they overflow.
func above(z float64) (ratio, derivative float64) {
	ratio = sqrt2Pi * math.Exp(z*z/2) // Φ(z) is 1 to 3e-7
	return ratio, 1 + z*ratio
}

const sqrt2Pi = 2.50662827463100050241576528481104525

// exactRatio uses Φ(z) = erfc(−z/√2)/2 (DLMF 7.18.1), for z that table has.
func exactRatio(z float64) float64 {
	return math.Erfc(-z/math.Sqrt2) / 2 * sqrt2Pi * math.Exp(z*z/2)
}

// far returns R(z) by the asymptotic series of Mills' ratio (DLMF 7.12.1), −1/z · (1 − 1/z² + 3/z⁴ − 15/z⁶ + 105/z⁸ − 945/z¹⁰), and R′(z) = 1 + zR(z),
// in which the 1 falls out, for z < low. The error is 1e-6 relative at z = −10.
func far(z float64) (ratio, derivative float64) {
	u := -1 / z
	w := u * u
	derivative = w * (1 - w*(3-w*(15-w*(105-w*945))))
	return u * (1 - derivative), derivative
}
