package mechanism

import "math"

// quotientUp returns a/b, rounded up if it has to be rounded. a, b ≥ 0. The rest of a division and of a product is exact with one
// rounding, and so is the rest of a sum (Knuth, The Art of Computer Programming, vol. 2, §4.2.2, theorem B).
func quotientUp(a, b float64) float64 {
	q := a / b
	if math.FMA(q, b, -a) < 0 {
		return math.Nextafter(q, math.Inf(1))
	}
	return q
}

// TimesUp returns a·b, rounded up if it has to be rounded. a, b ≥ 0.
func TimesUp(a, b float64) float64 {
	p := a * b
	if math.FMA(a, b, -p) > 0 {
		return math.Nextafter(p, math.Inf(1))
	}
	return p
}

// addUp is the same for a+b.
func addUp(a, b float64) float64 {
	s := a + b
	back := s - a
	if rest := (a - (s - back)) + (b - back); rest > 0 {
		return math.Nextafter(s, math.Inf(1))
	}
	return s
}
