package lda

import "math"

// expDigamma returns exp(ψ(x)) for x > 0, to 1e-8 relative.
//
// For z = x − 1/2 the asymptotic series of exp(ψ) is z + 1/(24z) − 37/(5760z³) + 10313/(2903040z⁵) − … (from DLMF
// 5.11.2 by exponentiating; the next term is −5509121/(1393459200z⁷), 4e-9 relative at z = 5.5). Below 6 the recurrence
// ψ(x) = ψ(x+6) − Σ_{i<6} 1/(x+i) (DLMF 5.5.2) leads there; the six terms are paired as i and 5−i, which share
// (x+i)(x+5−i) = x(x+5) + i(5−i).
func expDigamma(x float64) float64 {
	if x >= 6 {
		return expDigammaSeries(x - 0.5)
	}
	u := x * (x + 5)
	v, w := u+4, u+6
	sum := (2*x + 5) * (v*w + u*w + u*v) / (u * v * w)
	return expDigammaSeries(x+5.5) * expNegative(-sum)
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
