// Package search finds the least number for which a monotone condition holds.
package search

import "math"

// Bisect returns the least x in [low, high] for which holds is true, to a part of 1e-9. What holds for x holds for larger ones;
// high is not asked.
func Bisect(low, high float64, holds func(float64) bool) float64 {
	if holds(low) {
		return low
	}
	for high/low > 1+1e-9 {
		middle := math.Sqrt(low) * math.Sqrt(high)
		if holds(middle) {
			high = middle
		} else {
			low = middle
		}
	}
	return high
}

// Least returns the least x in [low, high] that it finds with value(x) ≤ 1, to which end done says when an x that does
// not have it and one that has it are near enough. value does not rise, and is at most 1 at high.
//
// The method is that of false position in logarithms, as Illinois amends it (Dahlquist and Björck, Numerical Methods, 1974,
// §6.3), with a bisection where two steps have not halved the interval.
func Least(low, high float64, done func(low, high float64) bool, value func(x float64) (float64, error)) (float64, error) {
	at := func(x float64) (float64, error) {
		v, err := value(x)
		return math.Log(max(v, 1e-300)), err
	}
	atLow, err := at(low)
	if err != nil || atLow <= 0 {
		return low, err
	}
	atHigh, err := at(high)
	if err != nil {
		return 0, err
	}
	widths := [2]float64{math.Inf(1), math.Inf(1)}
	for !done(low, high) {
		a, b := math.Log(low), math.Log(high)
		middle := (a + b) / 2
		if width := b - a; width <= widths[0]/2 && !math.IsInf(atLow, 1) && atHigh < 0 {
			middle = (a*atHigh - b*atLow) / (atHigh - atLow)
			middle = min(max(middle, a+width/50), b-width/50)
		}
		widths = [2]float64{widths[1], b - a}
		x := math.Exp(middle)
		v, err := at(x)
		switch {
		case err != nil:
			return 0, err
		case !(x > low && x < high):
			return high, nil // nothing in between
		case v > 0:
			low, atLow = x, v
			atHigh /= 2
		default:
			high, atHigh = x, v
			atLow /= 2
		}
	}
	return high, nil
}

// Within says that two ends are apart by a part of fine at most.
func Within(fine float64) func(low, high float64) bool {
	return func(low, high float64) bool { return high <= low*(1+fine) }
}
