package loss

import (
	"math"

	"privpipe/account/internal/classic"
	"privpipe/pipelines/event"
)

// basic returns what each event's own (ε, δ) adds up to, rounded up (Dwork and Roth, The Algorithmic Foundations of Differential
// Privacy, 2014, theorem 3.16); an infinite ε where a mechanism has none.
func (l *List) basic() (sum Approximate) {
	if l.NoNoise || l.Failure > 0 {
		return Approximate{Epsilon: math.Inf(1)}
	}
	for _, e := range l.Events() {
		one := e.basic(l.Adjacency)
		sum = Approximate{addUp(sum.Epsilon, one.Epsilon), addUp(sum.Delta, one.Delta)}
	}
	return sum
}

func (e Event) basic(adjacency string) Approximate {
	if e.Sampling != All && !e.Apart && !(e.Sampling == Poisson && adjacency == event.ReplaceOne) {
		batch := basicOf(1, e.Released)
		sampled := Approximate(classic.Guarantee(batch).Amplified(e.Rate))
		sampled.Delta = timesUp(e.Rate, batch.Delta)
		return basicOf(float64(e.Count), []Mechanism{sampled})
	}
	worst := basicOf(float64(e.Count), e.Released)
	for _, released := range e.Instead {
		other := basicOf(float64(e.Count), released)
		worst = Approximate{max(worst.Epsilon, other.Epsilon), max(worst.Delta, other.Delta)}
	}
	return worst
}

// basicOf is that of so many batches.
func basicOf(count float64, released []Mechanism) (sum Approximate) {
	for _, m := range released {
		switch m := m.(type) {
		case Laplace:
			sum.Epsilon = addUp(sum.Epsilon, quotientUp(timesUp(count, m.Sensitivity), m.Scale))
		case DiscreteLaplace:
			sum.Epsilon = addUp(sum.Epsilon, quotientUp(timesUp(count, float64(m.Sensitivity)), m.Scale))
		case Pure:
			sum.Epsilon = addUp(sum.Epsilon, timesUp(count, m.Epsilon))
		case RandomizedResponse:
			sum.Epsilon = addUp(sum.Epsilon, timesUp(count, m.epsilon()))
		case Approximate:
			sum.Epsilon = addUp(sum.Epsilon, timesUp(count, m.Epsilon))
			sum.Delta = addUp(sum.Delta, timesUp(count, m.Delta))
		default:
			return Approximate{Epsilon: math.Inf(1)}
		}
	}
	return sum
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
