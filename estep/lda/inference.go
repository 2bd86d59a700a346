package lda

import (
	"math"

	"gonum.org/v1/gonum/mathext"

	"privpipe/pipelines/mixture"
)

// floor is the least β or θ, relative to the largest of its word or document. Below floor float32 products would become
// denormal, which is a hundred times slower and adds no information: φ ≥ 1e-18 does not add up to 1 in 10^17 words.
const floor = 1e-18

// leastShare prunes topics: a topic that explains fewer words of a document than leastShare is dropped from the iteration, with
// γ = α. For α well below 1 such a topic does not come back, since exp(ψ(α)) is vanishing (2e-22 at α = 0.02). For larger α no
// topic is that small.
const leastShare = 1e-6

// topics are the released topics in the form that inference needs.
type topics struct {
	k, v  int
	alpha float64
	// weight is exp(E[log β_kv]), or β_kv for a point estimate. The weights of a word are adjacent and divided by their largest,
	// because φ does not depend on a word's scale. scale has the natural logarithm of the divisor.
	weight []float32 // v·k
	scale  []float64 // v
}

// newTopics takes K×V weights, row by row, as parameters carry them.
func newTopics(k, v int, alpha float64, weights []float32) *topics {
	t := &topics{k: k, v: v, alpha: alpha, weight: make([]float32, k*v), scale: make([]float64, v)}
	for w := range v {
		largest := float32(0)
		for topic := range k {
			largest = max(largest, weights[topic*v+w])
		}
		// If all weights of a word are 0, all topics explain it equally.
		t.scale[w] = math.Log(max(float64(largest), math.SmallestNonzeroFloat32))
		row := t.weight[w*k : (w+1)*k]
		for topic := range row {
			row[topic] = floor
			if largest > 0 {
				row[topic] = max(floor, float32(float64(weights[topic*v+w])/float64(largest)))
			}
		}
	}
	return t
}

// limits are the conditions that end the iteration over a document.
type limits struct {
	tolerance  float64 // mean absolute change of γ over the topics
	iterations int
}

// inference is the state for one document at a time; its memory is reused.
type inference struct {
	t      *topics
	counts []float32 // of the document's words
	width  int       // number of the document's words, padded to mixture.Lanes

	cells   []float32   // β of the document: width words for each topic
	active  []int       // topics not pruned, ascending
	beta    [][]float32 // of the active topics
	theta   []float32   // exp(E[log θ]) of the active topics, relative to the largest
	s, p    []float32   // of package mixture
	gamma   []float64   // of all topics
	exact   []float64   // exp(ψ(γ)) of the active topics, over exp(shift)
	shift   float64     // 0 except for tiny γ
	largest float64     // of exact
	shares  []float32   // see contribution
}

// newInference returns an inference on t.
func newInference(t *topics) *inference {
	return &inference{
		t: t, active: make([]int, t.k), beta: make([][]float32, t.k), theta: make([]float32, t.k),
		s: make([]float32, t.k), gamma: make([]float64, t.k), exact: make([]float64, t.k),
	}
}

// run finds γ of a document, from γ = 1 on until the limits (Hoffman et al. 2010, algorithm 2, lines 5 to 9), and then
// sets theta and p of the active topics by it, so that c_i φ_ik = p_i θ_k β_ki.
func (f *inference) run(ids []uint32, counts []float32, l limits) {
	f.gather(ids, counts)
	for range l.iterations {
		f.expectTheta()
		mixture.Explain(f.p, f.counts[:f.width], f.beta, f.theta)
		mixture.Share(f.s, f.beta, f.p)
		change := f.update()
		if len(f.active) == 0 {
			return // a document without words: γ = α
		}
		if change <= l.tolerance*float64(f.t.k) {
			break
		}
	}
	f.expectTheta()
	mixture.Explain(f.p, f.counts[:f.width], f.beta, f.theta)
}

// update sets γ from theta and s and prunes topics. It returns the sum over the topics of the absolute change of γ.
func (f *inference) update() (change float64) {
	alpha := f.t.alpha
	kept := 0
	for j, k := range f.active {
		share := float64(f.theta[j]) * float64(f.s[j])
		change += math.Abs(alpha + share - f.gamma[k])
		if share < leastShare {
			f.gamma[k] = alpha
			continue
		}
		f.gamma[k] = alpha + share
		f.active[kept], f.beta[kept] = k, f.beta[j]
		kept++
	}
	f.active, f.beta = f.active[:kept], f.beta[:kept]
	return change
}

// gather takes a document, collects β of its words and sets γ = 1.
func (f *inference) gather(ids []uint32, counts []float32) {
	n, k := len(ids), f.t.k
	f.width = (n + mixture.Lanes - 1) / mixture.Lanes * mixture.Lanes
	if cap(f.cells) < f.width*k {
		f.cells = make([]float32, f.width*k*3/2)
		f.p = make([]float32, f.width*3/2)
		f.counts = make([]float32, f.width*3/2)
	}
	f.p = f.p[:f.width]
	f.counts = append(f.counts[:0], counts...)
	clear(f.counts[n:f.width])
	cells := f.cells[:f.width*k]
	row := func(i int) []float32 { return f.t.weight[int(ids[i])*k:][:k] }
	i := 0
	for ; i+4 <= n; i += 4 { // four words at a time, since a row of β is seldom in the cache
		w0, w1, w2, w3 := row(i), row(i+1), row(i+2), row(i+3)
		at := i
		for topic := range k {
			to := cells[at : at+4]
			to[0], to[1], to[2], to[3] = w0[topic], w1[topic], w2[topic], w3[topic]
			at += f.width
		}
	}
	for ; i < n; i++ {
		at := i
		for _, w := range row(i) {
			cells[at] = w
			at += f.width
		}
	}
	f.active, f.beta = f.active[:k], f.beta[:k]
	for topic := range k {
		words := cells[topic*f.width : (topic+1)*f.width]
		for i := n; i < f.width; i++ {
			words[i] = 1
		}
		f.active[topic], f.beta[topic] = topic, words
		f.gamma[topic] = 1
	}
}

// expectTheta sets theta of the active topics: exp(E[log θ_k]) = exp(ψ(γ_k) − ψ(Σγ)), relative to the largest, in which
// the common ψ(Σγ) cancels.
func (f *inference) expectTheta() {
	f.largest, f.shift = 0, 0
	for j, k := range f.active {
		f.exact[j] = expDigamma(f.gamma[k])
		f.largest = max(f.largest, f.exact[j])
	}
	if f.largest == 0 {
		f.expectTinyTheta()
	}
	for j := range f.active {
		theta := float32(f.exact[j] / f.largest)
		if theta < floor {
			theta = 0
		}
		f.theta[j] = theta
	}
}

// expectTinyTheta is expectTheta for a γ without an element above 1/700, for example of a short document over thousands of
// topics: exp(ψ(γ)) underflows to 0 in a float64, so theta is computed from ratios.
func (f *inference) expectTinyTheta() {
	f.largest, f.shift = 1, math.Inf(-1)
	for _, k := range f.active {
		f.shift = max(f.shift, mathext.Digamma(f.gamma[k]))
	}
	for j, k := range f.active {
		f.exact[j] = math.Exp(mathext.Digamma(f.gamma[k]) - f.shift)
	}
}
