package lda

import (
	"privpipe/pipelines/mixture"
	"privpipe/pipelines/model"
)

// floor is the least β relative to the word's largest β. Below floor float32 products would become denormal, which is a
// hundred times slower. They would add no information: φ ≥ 1e-18 does not add up to 1 in 10^17 words.
const floor = 1e-18

// leastShare prunes topics. A topic that explains fewer words of the document than leastShare is dropped from the
// iteration, with γ = α. For α well below 1 such a topic does not come back, since exp(ψ(α)) is vanishing (2e-22 at α =
// 0.02). For larger α no topic is that small.
const leastShare = 1e-6

// topics are the released topics in the form that inference needs.
type topics struct {
	k, v  int
	alpha float64
	// weight is exp(E[log β_kv]), or β_kv for point estimates. Each word's weights are divided by their largest,
	// because φ does not depend on a word's scale. largest has the divisor.
	weight  *mixture.Table
	largest []float32 // v
	taken   int       // number of weights so far
}

// newTopics returns topics without weights yet.
func newTopics(k, v int, alpha float64) *topics {
	return &topics{k: k, v: v, alpha: alpha, weight: mixture.NewTable(k, v), largest: make([]float32, v)}
}

// take takes the next of K×V weights, row by row, as parameters carry them.
func (t *topics) take(weights []float32) {
	for len(weights) > 0 {
		topic, w := t.taken/t.v, t.taken%t.v
		n := min(len(weights), t.v-w)
		t.weight.SetComponent(topic, w, weights[:n])
		weights = weights[n:]
		t.taken += n
	}
}

// finish divides each weight by the word's largest weight. All weights must have been taken.
func (t *topics) finish() {
	for w := range t.largest {
		row, largest := t.weight.Row(w), float32(0)
		for _, weight := range row {
			if weight > largest { // much faster than max, which also looks for NaN and −0
				largest = weight
			}
		}
		t.largest[w] = largest
		if largest == 0 { // all topics explain the word equally
			largest = 1
		}
		for topic, weight := range row {
			row[topic] = weight / largest
			if row[topic] < floor { // much faster than max
				row[topic] = floor
			}
		}
	}
}

// limits are the conditions that end the iteration over a document.
type limits struct {
	tolerance  float64 // mean absolute change of γ over the topics
	iterations int
}

// inference is the state for one document at a time; its memory is reused.
type inference struct {
	t *topics
	// Of the document's words. Components are topics, and live components are topics that are not pruned.
	m       mixture.Mixture
	chosen  []int       // see contribution
	shares  []float32   // see contribution
	factors []float32   // see contribution
	rows    []uint32    // see contribution
	parts   model.Parts // see contribution
}

// newInference returns an inference on t.
func newInference(t *topics) *inference {
	return &inference{t: t}
}

// run finds the document's γ. It iterates from γ = 1 on until the limits (Hoffman et al. 2010, algorithm 2, lines 5 to
// 9). Afterwards the mixture has θ by this γ: φ_ik is in proportion to θ_k β_ki. A document without words has γ = α,
// and no live topic.
func (f *inference) run(ids []uint32, counts []float32, l limits) {
	f.m.Gather(f.t.weight, ids, counts)    // sets γ = 1, and correctly makes all θ equal
	alpha := float32(min(f.t.alpha, 1e30)) // a float32 ends at 3e38; topics are equal long before
	tolerance := l.tolerance * float64(f.t.k)
	for range l.iterations {
		f.m.Explain()
		f.m.Share()
		change := f.m.Update(alpha, leastShare)
		f.m.ExpectWeights()
		if float64(change) <= tolerance {
			break
		}
	}
}

// gamma returns γ of all topics.
func (f *inference) gamma() []float64 {
	gamma := make([]float64, f.t.k)
	for k := range gamma {
		gamma[k] = f.t.alpha
	}
	for j := range f.m.Live() {
		gamma[f.m.Component(j)] = float64(f.m.Gammas()[j])
	}
	return gamma
}
