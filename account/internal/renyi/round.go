package renyi

import "math"

// roundoff is more than the relative error of a product, quotient or sum of some ten positive terms, each with an error
// of 1 ulp, 2^-52.
const roundoff = 1.0 / (1 << 48)

// RoundUp returns more than the exact value, if x ≥ 0 is the computed one.
func RoundUp(x float64) float64 { return x * (1 + roundoff) }

// down returns less than the exact value, if x ≥ 0 is the computed one.
func down(x float64) float64 { return x * (1 - roundoff) }

// logOf returns log x for x ≥ 0. math.Log is wrong for the numbers below 2^-1022 (on amd64, Go 1.26: −709.1 for all).
func logOf(x float64) float64 {
	if x > 0 && x < 0x1p-1022 {
		return math.Log(x*(1<<52)) - 52*math.Ln2
	}
	return math.Log(x)
}

// bisect returns a number x in (no, yes] with holds(x) true, next to a number with holds false; it does not call
// holds(yes). If holds is monotone, x is the least number with holds(x) true, except for a few ulp.
func bisect(no, yes float64, holds func(float64) bool) float64 {
	for math.Abs(yes-no) > math.Abs(yes)/(1<<50) {
		middle := no + (yes-no)/2
		if middle == no || middle == yes {
			break
		}
		if holds(middle) {
			yes = middle
		} else {
			no = middle
		}
	}
	return yes
}

// least returns the least x > 0 with holds(x) true. holds has to stay true for larger numbers. least goes by factors of
// 2 from start ≥ 0, then by bisect. It returns +Inf if holds is true nowhere.
func least(start float64, holds func(float64) bool) float64 {
	if math.IsInf(start, 1) {
		return start
	}
	start = max(start, math.SmallestNonzeroFloat64)
	if holds(start) {
		for holds(start/2) && start > math.SmallestNonzeroFloat64 {
			start /= 2
		}
		return bisect(start/2, start, holds)
	}
	for !holds(2 * start) {
		start *= 2
		if math.IsInf(start, 1) {
			return start
		}
	}
	return bisect(start, 2*start, holds)
}
