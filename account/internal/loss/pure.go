package loss

import (
	"math"

	"privpipe/account/internal/classic"
	"privpipe/pipelines/event"
)

// pure returns the sum of pure ε, rounded up; +Inf where a mechanism has none.
func (l *List) pure() (epsilon float64) {
	if l.NoNoise || l.Failure > 0 {
		return math.Inf(1)
	}
	for _, e := range l.Events() {
		if e.Sampling != All && e.Rate == 0 {
			continue
		}
		count := float64(e.Count)
		worst := pureOf(count, e.Released)
		if e.Sampling != All && !e.Apart && !(e.Sampling == Poisson && l.Adjacency == event.ReplaceOne) {
			batch := classic.Guarantee{Epsilon: pureOf(1, e.Released)}
			worst = timesUp(count, batch.Amplified(e.Rate).Epsilon)
		}
		for _, released := range e.Instead {
			worst = max(worst, pureOf(count, released))
		}
		epsilon = addUp(epsilon, worst)
	}
	return epsilon
}

// pureOf is that of so many batches.
func pureOf(count float64, released []Mechanism) (epsilon float64) {
	for _, m := range released {
		switch m := m.(type) {
		case Laplace:
			epsilon = addUp(epsilon, quotientUp(timesUp(count, m.Sensitivity), m.Scale))
		case DiscreteLaplace:
			epsilon = addUp(epsilon, quotientUp(timesUp(count, float64(m.Sensitivity)), m.Scale))
		case Pure:
			epsilon = addUp(epsilon, timesUp(count, m.Epsilon))
		default:
			return math.Inf(1)
		}
	}
	return epsilon
}

// quotientUp returns a/b, timesUp a·b and addUp a+b, rounded up where they have to be rounded: the rest of a division and of
// a product is exact with one rounding, and so is the rest of a sum (Knuth, The Art of Computer Programming, vol. 2, §4.2.2,
// theorem B). a, b ≥ 0.
func quotientUp(a, b float64) float64 {
	q := a / b
	if math.FMA(q, b, -a) < 0 {
		return math.Nextafter(q, math.Inf(1))
	}
	return q
}

func timesUp(a, b float64) float64 {
	p := a * b
	if math.FMA(a, b, -p) > 0 {
		return math.Nextafter(p, math.Inf(1))
	}
	return p
}

func addUp(a, b float64) float64 {
	s := a + b
	back := s - a
	if rest := (a - (s - back)) + (b - back); rest > 0 {
		return math.Nextafter(s, math.Inf(1))
	}
	return s
}
