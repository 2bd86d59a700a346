package gibbs

import "math/rand/v2"

// A table is the counts of words by topic of all documents, which a sweep in place changes. The probability of topic k for a token of
// word t, whose own count is taken out, is in proportion to
//
//	(min(max(n_kt, 0), C) + η) / (max(Σ_t n_kt, 1) + Vη) · max(n_mk + α, 1e-9)
//
// (HDP-LDA, equation 2, with the clip C of its algorithm 1). The limits matter only where n has noise: the papers do not say what to do
// with negative counts.
type table struct {
	k, v         int
	eta, ceiling float64
	alpha        float64

	counts  []float64 // n_kt at t·K+k
	factors []float64 // min(max(n_kt, 0), C) + η
	totals  []float64 // Σ_t n_kt
	members []float64 // n_mk of the document that was entered
	topic   []float64 // what the probability has besides the factor of the word
	ends    []float64 // running sums
	tokens  []uint32  // that a sweep draws again
}

// leastMember is the least value of n_mk + α.
const leastMember = 1e-9

// newTable returns a table of the counts among the parameters; without them it is empty. A prior counts like tokens that are not drawn.
func newTable(m *Model) *table {
	k, v := m.size.Components, m.size.Words
	t := &table{
		k: k, v: v, eta: m.eta, ceiling: m.ceiling, alpha: m.alpha,
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

// add adds to the count of a word in a topic.
func (t *table) add(word, topic uint32, by float64) {
	at := int(word)*t.k + int(topic)
	t.counts[at] += by
	t.factors[at] = min(max(t.counts[at], 0), t.ceiling) + t.eta
	t.totals[topic] += by
}

// enter makes members the numbers of tokens by topic of the current document.
func (t *table) enter(members []float64) {
	t.members = members
	for topic := range t.topic {
		t.weigh(topic)
	}
}

// weigh computes what the probability of a topic has besides the factor of the word.
func (t *table) weigh(topic int) {
	t.topic[topic] = max(t.members[topic]+t.alpha, leastMember) / (max(t.totals[topic], 1) + float64(t.v)*t.eta)
}

// move adds a token of the current document to a topic, or takes it out.
func (t *table) move(word, topic uint32, by float64) {
	t.add(word, topic, by)
	t.members[topic] += by
	t.weigh(int(topic))
}

// draw draws the topic of a token of the current document.
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
