package loss

import (
	"math"

	"privpipe/account/internal/renyi"
	"privpipe/pipelines/event"
)

// basic returns the sum of the events' own (ε, δ), rounded up (Dwork and Roth, The Algorithmic Foundations of
// Differential Privacy, 2014, theorem 3.16). If a mechanism has no (ε, δ), ε is infinite.
func (l *List) basic() (sum Approximate) {
	if l.NoNoise || l.Failure > 0 {
		return Approximate{Epsilon: math.Inf(1)}
	}
	for _, e := range l.Releases() {
		sum = sum.Plus(e.basic(l.Adjacency))
	}
	return sum
}

func (e Release) basic(adjacency string) Approximate {
	if e.Sampling != All && !e.Apart && !(e.Sampling == Poisson && adjacency == event.ReplaceOne) {
		batch := basicOf(1, e.Released)
		sampled := Approximate(renyi.Guarantee(batch).Amplified(e.Rate))
		sampled.Delta = timesUp(e.Rate, batch.Delta)
		return basicOf(float64(e.Count), []Mechanism{sampled})
	}
	worst := basicOf(float64(e.Count), e.Released)
	for _, released := range e.Instead {
		other := basicOf(float64(e.Count), released)
		worst = Approximate{Epsilon: max(worst.Epsilon, other.Epsilon), Delta: max(worst.Delta, other.Delta)}
	}
	return worst
}

// basicOf returns the sum for count batches with these releases.
func basicOf(count float64, released []Mechanism) (sum Approximate) {
	for _, m := range released {
		composed := m.Traits().Composed
		if composed == nil {
			return Approximate{Epsilon: math.Inf(1)}
		}
		sum = sum.Plus(composed(count))
	}
	return sum
}
