package classic

import "math"

// roundoff is more than the relative error of a product, quotient or sum of some ten positive terms that each have one of
// 1 ulp, 2^-52.
const roundoff = 1.0 / (1 << 48)

// up returns more than the exact value of which x, at least 0, is the computed one.
func up(x float64) float64 { return x * (1 + roundoff) }

// down returns less than the exact value of which x, at least 0, is the computed one.
func down(x float64) float64 { return x * (1 - roundoff) }

// logOf returns log x for x ≥ 0. math.Log is wrong for the numbers below 2^-1022 (on amd64, Go 1.26: −709.1 for all).
func logOf(x float64) float64 {
	if x > 0 && x < 0x1p-1022 {
		return math.Log(x*(1<<52)) - 52*math.Ln2
	}
	return math.Log(x)
}

// bisect returns a number in (no, yes], next to one for which holds is false, for which it is true; holds(yes) is not asked.
// Where holds is monotone that is the least such number, except for a few ulp.
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

// least returns the least x > 0 for which holds, a condition that stays true for larger ones, is true: by steps of 2 from
// start ≥ 0, then by bisect. +Inf where it does not hold for any.
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
