// Package search finds the least number that meets a monotone condition.
package search

import "math"

// Bisect returns the least x in [low, high] with holds(x) true, to a relative error of 1e-9. If holds is true for x, it
// has to be true for larger numbers. Bisect takes holds(high) as true and does not call it.
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

// Least returns the least x in [low, high] that it finds with value(x) ≤ 1. value must not rise, and must be at most 1
// at high. The search keeps one number with value above 1 (low) and one with value at most 1 (high). It ends when done
// says that the two are near enough.
//
// The method is false position in logarithms, with Illinois' amendment (Dahlquist and Björck, Numerical Methods, 1974,
// §6.3). It bisects where two steps have not halved the interval.
func Least(low, high float64, done func(low, high float64) bool,
	value func(x float64) (float64, error)) (float64, error) {
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

// Within says that high exceeds low by at most the fraction fine.
func Within(fine float64) func(low, high float64) bool {
	return func(low, high float64) bool { return high <= low*(1+fine) }
}
