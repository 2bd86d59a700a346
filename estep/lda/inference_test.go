package lda

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mathext"

	"privpipe/estep/latent"
	"privpipe/pipelines/model"
	"privpipe/pipelines/wire"
)

// randomTopics are K topics that put most of their weight on a few words each.
func randomTopics(seed uint64, k, v int, alpha float64) (*topics, []float32) {
	random := rand.New(rand.NewPCG(seed, 2))
	weights := make([]float32, k*v)
	for topic := range k {
		total := 0.0
		row := make([]float64, v)
		for w := range row {
			row[w] = math.Exp(3 * random.NormFloat64())
			total += row[w]
		}
		for w := range row {
			weights[topic*v+w] = float32(row[w] / total)
		}
	}
	return topicsOf(k, v, alpha, weights), weights
}

func randomDocument(seed uint64, v, words int) *wire.Document {
	random := rand.New(rand.NewPCG(seed, 3))
	d := &wire.Document{Id: "d"}
	for w := range v {
		if random.IntN(v) < words {
			d.WordGaps = append(d.WordGaps, uint32(w))
			d.Counts = append(d.Counts, uint32(1+random.IntN(4)))
		}
	}
	d.WordGaps = wire.AppendGaps(nil, d.WordGaps)
	return d
}

// gammaReference runs the iteration of Hoffman, Blei and Bach (2010), algorithm 2, as it is printed: all topics,
// float64, no pruning, no scaling.
func gammaReference(d *wire.Document, k, v int, weights []float32, alpha float64, l limits) []float64 {
	ids := wire.AppendIDs(nil, d.WordGaps)
	gamma, theta := make([]float64, k), make([]float64, k)
	for topic := range gamma {
		gamma[topic] = 1
	}
	for range l.iterations {
		total := 0.0
		for _, g := range gamma {
			total += g
		}
		for topic, g := range gamma {
			theta[topic] = math.Exp(mathext.Digamma(g) - mathext.Digamma(total))
		}
		next := make([]float64, k)
		for topic := range next {
			next[topic] = alpha
		}
		for i, id := range ids {
			norm := 0.0
			for topic := range theta {
				norm += theta[topic] * float64(weights[topic*v+int(id)])
			}
			for topic := range theta {
				next[topic] += float64(d.Counts[i]) * theta[topic] * float64(weights[topic*v+int(id)]) / norm
			}
		}
		change := 0.0
		for topic := range gamma {
			change += math.Abs(next[topic] - gamma[topic])
		}
		gamma = next
		if change <= l.tolerance*float64(k) {
			break
		}
	}
	return gamma
}

// TestInferenceAgainstReference compares γ with the printed algorithm for small and large α (pruning, and none).
func TestInferenceAgainstReference(t *testing.T) { everyKernel(t, testInferenceAgainstReference) }

func testInferenceAgainstReference(t *testing.T) {
	l := limits{tolerance: 1e-3, iterations: 100}
	for _, alpha := range []float64{0.005, 0.02, 0.2, 1, 5} {
		for seed := range uint64(20) {
			const k, v = 13, 300
			topics, weights := randomTopics(seed, k, v, alpha)
			d := randomDocument(seed, v, 40)
			f := newInference(topics)
			w := worker{inference: f, model: &Model{options: Options{Tolerance: l.tolerance, Iterations: l.iterations}}}
			w.infer(d, &model.Coins{Document: d})
			for topic, want := range gammaReference(d, k, v, weights, alpha, l) {
				// An iteration that stops one step earlier or later is off by the tolerance.
				near(t, "γ", f.gamma()[topic], want, 1e-3, 2*l.tolerance*k)
			}
		}
	}
}

func TestEmptyDocument(t *testing.T) { everyKernel(t, testEmptyDocument) }

func testEmptyDocument(t *testing.T) {
	topics, _ := randomTopics(1, 4, 10, 0.3)
	m := New(Options{Tolerance: 1e-3, Iterations: 10, Shape: latent.Shape{TopTopics: 2, Weight: latent.Once, Norm: 1}})
	m.k, m.v, m.topics = 4, 10, topics
	w := m.NewWorker().(*worker)
	parts, err := w.Contribute(&wire.Document{Id: "e"}, new(model.Coins))
	if err != nil || len(parts) != 0 {
		t.Errorf("got %d parts, %v, want none", len(parts), err)
	}
	for _, g := range w.inference.gamma() {
		near(t, "γ of an empty document", g, 0.3, 0, 0)
	}
	shares, err := w.Infer(&wire.Document{Id: "e"})
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range shares {
		near(t, "share", s, 0.25, 1e-12, 0)
	}
}

// TestWordsOfNoTopic checks that weights of 0, which a model may have, give numbers.
func TestWordsOfNoTopic(t *testing.T) { everyKernel(t, testWordsOfNoTopic) }

func testWordsOfNoTopic(t *testing.T) {
	topics := topicsOf(2, 3, 0.5, []float32{1, 0, 0, 1, 0, 0})
	f := newInference(topics)
	f.run([]uint32{0, 1, 2}, []float32{1, 5, 2}, limits{1e-3, 50})
	total := 0.0
	for _, g := range f.gamma() {
		total += g
	}
	near(t, "Σγ", total, 2*0.5+8, 1e-5, 0)
}

// TestWordsOnAnyScale: φ does not depend on a word's scale. So γ is the same, bit for bit, if the weights of words are
// multiplied by powers of two. All weights of rare words may lie below the floor.
func TestWordsOnAnyScale(t *testing.T) { everyKernel(t, testWordsOnAnyScale) }

func testWordsOnAnyScale(t *testing.T) {
	const k, v = 5, 7
	plain, weights := randomTopics(4, k, v, 0.1)
	scaled := slices.Clone(weights)
	for i := range scaled {
		scaled[i] *= []float32{1, 0x1p-60, 0x1p-90}[i%v%3]
	}
	ids, counts := []uint32{0, 1, 2, 4, 5}, []float32{1, 2, 1, 3, 1}
	run := func(t *topics) []float64 {
		f := newInference(t)
		f.run(ids, counts, limits{1e-3, 20})
		return f.gamma()
	}
	if got, want := run(topicsOf(k, v, 0.1, scaled)), run(plain); !slices.Equal(got, want) {
		t.Errorf("γ of scaled words is %v, want %v", got, want)
	}
}

// TestGammaSumsToTokens pins an invariant of every iteration: Σ_k γ_k = Kα + N.
func TestGammaSumsToTokens(t *testing.T) {
	topics, _ := randomTopics(5, 50, 400, 0.02)
	f := newInference(topics)
	for seed := range uint64(30) {
		d := randomDocument(seed, 400, 60)
		ids := wire.AppendIDs(nil, d.WordGaps)
		tokens := 0.0
		counts := make([]float32, len(ids))
		for i, c := range d.Counts {
			counts[i] = float32(c)
			tokens += float64(c)
		}
		f.run(ids, counts, limits{1e-3, int(1 + seed)})
		total := 0.0
		for _, g := range f.gamma() {
			total += g
		}
		near(t, "Σγ", total, 50*0.02+tokens, 1e-4, 0)
	}
}

// TestTinyGamma: over thousands of topics every γ of a short document may be so small that exp(ψ(γ)) is 0 in a float64.
// Nothing is divided by it.
func TestTinyGamma(t *testing.T) { everyKernel(t, testTinyGamma) }

func testTinyGamma(t *testing.T) {
	for _, c := range []struct {
		topics int
		alpha  float64
	}{{10000, 1e-4}, {1000, 1e-5}, {3000, 1e-3}} {
		weights := make([]float32, 2*c.topics)
		for i := range weights {
			weights[i] = 0.5
		}
		f := newInference(topicsOf(c.topics, 2, c.alpha, weights))
		f.run([]uint32{1}, []float32{1}, limits{1e-3, 100})
		parts := f.contribution([]uint32{1}, latent.Shape{}, nil)
		sum := 0.0
		for _, p := range parts {
			for i := 0; i < len(p.Values); i += 4 {
				sum += float64(math.Float32frombits(binary.LittleEndian.Uint32(p.Values[i:])))
			}
		}
		near(t, "the word's share of all topics", sum, 1, 1e-3, 0)
		if b := f.bound([]uint32{1}); math.IsNaN(b) || math.IsInf(b, 0) {
			t.Errorf("%d topics, α %v: bound %v", c.topics, c.alpha, b)
		}
	}
}

// topicsOf returns topics of K×V weights, taken in pieces that end anywhere.
func topicsOf(k, v int, alpha float64, weights []float32) *topics {
	t := newTopics(k, v, alpha)
	for len(weights) > 0 {
		n := min(5, len(weights))
		t.take(weights[:n])
		weights = weights[n:]
	}
	t.finish()
	return t
}
