package loss

import (
	"math"

	"privpipe/account/internal/classic"
	"privpipe/account/internal/mechanism"
	"privpipe/pipelines/event"
)

// basic returns the sum of the events' own (ε, δ), rounded up (Dwork and Roth, The Algorithmic Foundations of
// Differential Privacy, 2014, theorem 3.16). If a mechanism has no (ε, δ), ε is infinite.
func (l *List) basic() (sum mechanism.Approximate) {
	if l.NoNoise || l.Failure > 0 {
		return mechanism.Approximate{Epsilon: math.Inf(1)}
	}
	for _, e := range l.Releases() {
		sum = sum.Plus(e.basic(l.Adjacency))
	}
	return sum
}

func (e Release) basic(adjacency string) mechanism.Approximate {
	if e.Sampling != mechanism.All && !e.Apart && !(e.Sampling == mechanism.Poisson && adjacency == event.ReplaceOne) {
		batch := basicOf(1, e.Released)
		sampled := mechanism.Approximate(classic.Guarantee(batch).Amplified(e.Rate))
		sampled.Delta = mechanism.TimesUp(e.Rate, batch.Delta)
		return basicOf(float64(e.Count), []mechanism.Mechanism{sampled})
	}
	worst := basicOf(float64(e.Count), e.Released)
	for _, released := range e.Instead {
		other := basicOf(float64(e.Count), released)
		worst = mechanism.Approximate{Epsilon: max(worst.Epsilon, other.Epsilon), Delta: max(worst.Delta, other.Delta)}
	}
	return worst
}

// basicOf returns the sum for count batches with these releases.
func basicOf(count float64, released []mechanism.Mechanism) (sum mechanism.Approximate) {
	for _, m := range released {
		c, ok := m.(mechanism.Composed)
		if !ok {
			return mechanism.Approximate{Epsilon: math.Inf(1)}
		}
		sum = sum.Plus(c.Composed(count))
	}
	return sum
}
