package renyi

import "math"

// LogAdd returns log(e^a + e^b).
func LogAdd(a, b float64) float64 {
	if a < b {
		a, b = b, a
	}
	// Most sums have many terms that change no digit, because e^−40 is below 2^−57.
	if difference := b - a; difference < -40 && math.Abs(a) > 0.125 || math.IsInf(b, -1) {
		return a
	}
	return a + math.Log1p(math.Exp(b-a))
}

// LogExpm1 returns log(e^x − 1) for x ≥ 0.
func LogExpm1(x float64) float64 {
	if x > 37 { // e^−37 is below the resolution of 1
		return x
	}
	return math.Log(math.Expm1(x))
}
