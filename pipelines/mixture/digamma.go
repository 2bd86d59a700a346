package mixture

import (
	"math"
	"slices"
)

// exp(ψ(x)) is f·exp(−s). The recurrence ψ(x) = ψ(x+n) − Σ_{i<n} 1/(x+i) (DLMF 5.5.2) gives s, the sum. The asymptotic
// series of exp(ψ(x+n)) gives f. For z = x + n − 1/2 the series is z + 1/(24z) − 37/(5760z³) + 10313/(2903040z⁵) −
// 5509121/(1393459200z⁷) + … (from DLMF 5.11.2 by exponentiating). The largest x has the least s. It is subtracted from
// the others before exp, so that no weight underflows that matters.

// plainExpect sets the weights to 1e-8 relative, before they are rounded to float32.
func plainExpect(m *Mixture) {
	f0, s0 := expDigamma(float64(slices.Max(m.gamma[:m.n])))
	for j, g := range m.gamma[:m.n] {
		f, s := expDigamma(float64(g))
		m.theta[j] = float32(f / f0 * expNegative(s0-s))
		if m.theta[j] < leastWeight {
			m.theta[j] = 0
		}
	}
}

// expDigamma returns f and s ≥ 0 such that exp(ψ(x)) = f·exp(−s), to 1e-8 relative, for x > 0. It takes n = 6 for x
// below 6, and else n = 0. The six terms of s are paired as i and 5−i, which share (x+i)(x+5−i) = x(x+5) + i(5−i). The
// first term that the series lacks is 4e-9 relative at z = 5.5.
func expDigamma(x float64) (f, s float64) {
	if x >= 6 {
		return expDigammaSeries(x - 0.5), 0
	}
	u := x * (x + 5)
	v, w := u+4, u+6
	return expDigammaSeries(x + 5.5), (2*x + 5) * (v*w + u*w + u*v) / (u * v * w)
}

func expDigammaSeries(z float64) float64 {
	w := 1 / z
	w2 := w * w
	return z + w*(1.0/24+w2*(-37.0/5760+w2*(10313.0/2903040)))
}

// expNegative returns exp(x) for x ≤ 0, to 1e-8 relative, and 0 below −700. It takes a third of the time of math.Exp.
func expNegative(x float64) float64 {
	if x < -700 {
		return 0
	}
	k := math.Floor(x*math.Log2E + 0.5)
	r := x - k*math.Ln2 // |r| ≤ ln(2)/2; Taylor's remainder r⁸/8! is below 6e-9
	p := 1 + r*(1+r*(1.0/2+r*(1.0/6+r*(1.0/24+r*(1.0/120+r*(1.0/720+r*(1.0/5040)))))))
	return p * math.Float64frombits(uint64(int64(k)+1023)<<52) // 2^k
}
