package gibbs

import "math/rand/v2"

// A table has the counts of words by topic of all documents. A sweep in place changes it. To draw a token of word t,
// the token is first taken out of the counts. Then its probability of topic k is in proportion to
//
//	(min(max(n_kt, 0), C) + η) / (max(Σ_t n_kt, 1) + Vη) · max(n_mk + α, 1e-9)
//
// (HDP-LDA, equation 2, with the clip C of its algorithm 1). The limits 0, 1 and 1e-9 matter only where n has noise.
// The papers do not say how to treat negative counts.
type table struct {
	k, v         int
	eta, ceiling float64
	alpha        float64
	noise        float64 // standard deviation of what a draw adds to the counts of its word; 0: nothing

	counts  []float64 // n_kt at t·K+k
	factors []float64 // min(max(n_kt, 0), C) + η
	totals  []float64 // Σ_t n_kt
	members []float64 // n_mk of the current document
	topic   []float64 // the factors of the probability except the word's own factor
	ends    []float64 // running sums
	tokens  []uint32  // that a sweep draws again
}

// leastMember is the least value of n_mk + α.
const leastMember = 1e-9

// newTable returns a table with the counts among the parameters. Without them it is empty. A prior counts like tokens
// that are never drawn.
func newTable(m *Model) *table {
	k, v := m.size.Components, m.size.Words
	t := &table{
		k: k, v: v, eta: m.eta, ceiling: m.ceiling, alpha: m.alpha, noise: m.options.DrawNoise,
		counts: make([]float64, k*v), factors: make([]float64, k*v), totals: make([]float64, k),
		topic: make([]float64, k), ends: make([]float64, k),
	}
	for i := range t.factors {
		t.factors[i] = t.eta
	}
	for _, begun := range [][]float32{m.counts, m.prior} {
		for i, c := range begun {
			t.add(uint32(i%v), uint32(i/v), float64(c))
		}
	}
	return t
}

// add adds to one word's count in a topic.
func (t *table) add(word, topic uint32, by float64) {
	at := int(word)*t.k + int(topic)
	t.counts[at] += by
	t.factors[at] = min(max(t.counts[at], 0), t.ceiling) + t.eta
	t.totals[topic] += by
}

// enter makes members the current document's numbers of tokens by topic.
func (t *table) enter(members []float64) {
	t.members = members
	for topic := range t.topic {
		t.weigh(topic)
	}
}

// weigh computes a topic's probability except for the word's own factor.
func (t *table) weigh(topic int) {
	t.topic[topic] = max(t.members[topic]+t.alpha, leastMember) / (max(t.totals[topic], 1) + float64(t.v)*t.eta)
}

// move adds a token of the current document to a topic, or takes it out.
func (t *table) move(word, topic uint32, by float64) {
	t.add(word, topic, by)
	t.members[topic] += by
	t.weigh(int(topic))
}

// draw draws a topic for one token in the current document.
func (t *table) draw(word uint32, random *rand.Rand) uint32 {
	total := 0.0
	factors, ends := t.factors[int(word)*t.k:][:len(t.topic)], t.ends[:len(t.topic)]
	for topic, x := range t.topic {
		total += factors[topic] * x
		ends[topic] = total
	}
	at := random.Float64() * total
	low, high := 0, len(ends)-1
	for low < high {
		if middle := (low + high) / 2; ends[middle] > at {
			high = middle
		} else {
			low = middle + 1
		}
	}
	return uint32(low)
}
