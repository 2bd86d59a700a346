package loss

import "math"

// quotientUp returns a/b, rounded up unless it is exact. a, b ≥ 0. A fused multiply-add computes the remainder exactly,
// and likewise for a product. For a sum see Knuth, The Art of Computer Programming, vol. 2, §4.2.2, theorem B.
func quotientUp(a, b float64) float64 {
	q := a / b
	if math.FMA(q, b, -a) < 0 {
		return math.Nextafter(q, math.Inf(1))
	}
	return q
}

// timesUp returns a·b, rounded up unless it is exact. a, b ≥ 0.
func timesUp(a, b float64) float64 {
	p := a * b
	if math.FMA(a, b, -p) > 0 {
		return math.Nextafter(p, math.Inf(1))
	}
	return p
}

// addUp returns a+b, rounded up unless it is exact.
func addUp(a, b float64) float64 {
	s := a + b
	back := s - a
	if rest := (a - (s - back)) + (b - back); rest > 0 {
		return math.Nextafter(s, math.Inf(1))
	}
	return s
}
