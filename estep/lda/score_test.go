package lda

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mathext"

	"privpipe/estep/latent"
	"privpipe/pipelines/model"
	"privpipe/pipelines/wire"
)

// exactLogLikelihood sums p(words, z) over all assignments z of topics to words, with θ integrated out:
// p(z) = Γ(Kα)/Γ(Kα+N) Π_k Γ(α+n_k)/Γ(α).
func exactLogLikelihood(words []int, k, v int, alpha float64, weights []float32) float64 {
	n := len(words)
	z := make([]int, n)
	sum := 0.0
	for {
		logP := lgamma(float64(k)*alpha) - lgamma(float64(k)*alpha+float64(n))
		inTopic := make([]int, k)
		for i, topic := range z {
			inTopic[topic]++
			logP += math.Log(float64(weights[topic*v+words[i]]))
		}
		for _, m := range inTopic {
			logP += lgamma(alpha+float64(m)) - lgamma(alpha)
		}
		sum += math.Exp(logP)
		i := 0
		for ; i < n; i++ {
			if z[i]++; z[i] < k {
				break
			}
			z[i] = 0
		}
		if i == n {
			return math.Log(sum)
		}
	}
}

// elbo is the bound before φ is taken out of it: E_q[log p(w, z, θ)] − E_q[log q(z, θ)] with φ_ik as the E-step leaves
// it.
func elbo(f *inference, ids []uint32, counts []float32, v int, weights []float32) float64 {
	alpha, k := f.t.alpha, f.t.k
	total := 0.0
	for _, g := range f.gamma() {
		total += g
	}
	logTheta := make([]float64, k) // E[log θ_k]
	value := lgamma(float64(k)*alpha) - lgamma(total)
	for topic, g := range f.gamma() {
		logTheta[topic] = mathext.Digamma(g) - mathext.Digamma(total)
		value += (alpha-g)*logTheta[topic] + lgamma(g) - lgamma(alpha)
	}
	for i, id := range ids {
		norm := 0.0
		for topic := range k {
			norm += math.Exp(logTheta[topic]) * float64(weights[topic*v+int(id)])
		}
		for topic := range k {
			beta := float64(weights[topic*v+int(id)])
			phi := math.Exp(logTheta[topic]) * beta / norm
			value += float64(counts[i]) * phi * (logTheta[topic] + math.Log(beta) - math.Log(phi))
		}
	}
	return value
}

// TestBoundIsABound compares the bound with its definition, and with the exact log likelihood of short documents.
func TestBoundIsABound(t *testing.T) {
	const k, v, alpha = 3, 5, 0.4
	topics, weights := randomTopics(9, k, v, alpha)
	f := newInference(topics)
	random := rand.New(rand.NewPCG(4, 4))
	for range 40 {
		var words []int
		bag := make(map[int]float32)
		for range 1 + random.IntN(7) {
			w := random.IntN(v)
			words = append(words, w)
			bag[w]++
		}
		var ids []uint32
		var counts []float32
		for w := range v {
			if bag[w] > 0 {
				ids, counts = append(ids, uint32(w)), append(counts, bag[w])
			}
		}
		f.run(ids, counts, limits{1e-6, 1000})
		bound, exact := f.bound(ids), exactLogLikelihood(words, k, v, alpha, weights)
		near(t, "bound", bound, elbo(f, ids, counts, v, weights), 1e-6, 0)
		if bound > exact+1e-6 {
			t.Errorf("bound %v of %d words is above the exact %v", bound, len(words), exact)
		}
	}
}

// TestBoundOfOneTopic has nothing to infer: the bound is the likelihood.
func TestBoundOfOneTopic(t *testing.T) {
	topics := topicsOf(1, 3, 0.7, []float32{0.5, 0.25, 0.25})
	f := newInference(topics)
	f.run([]uint32{0, 2}, []float32{3, 2}, limits{1e-6, 100})
	near(t, "bound", f.bound([]uint32{0, 2}), 3*math.Log(0.5)+2*math.Log(0.25), 1e-6, 0)
}

func TestScore(t *testing.T) {
	const k, v = 2, 4
	lambda := []float64{5, 1, 1, 1, 1, 1, 1, 5}
	weights := make([]float32, len(lambda))
	for i, l := range lambda {
		weights[i] = float32(l / 8)
	}
	m := New(Options{Tolerance: 1e-6, Iterations: 1000})
	m.k, m.v, m.topics, m.scores = k, v, topicsOf(k, v, 0.5, weights), new(latent.Topics)
	w := m.NewWorker().(*worker)
	d := &wire.Document{Id: "x", WordGaps: []uint32{0, 3}, Counts: []uint32{40, 7}}
	if _, err := w.Score(d); err == nil {
		t.Error("scored without the mean topics of a model file")
	}
	m.scores = latent.TopicsOf(lambda, model.Size{Components: k, Words: v}, nil)
	s, err := w.Score(d)
	if err != nil {
		t.Fatal(err)
	}
	if s.Id != "x" || s.Tokens != 47 || s.CompletionTokens == 0 || s.CompletionTokens >= 47 {
		t.Errorf("got %v", s)
	}
	near(t, "unigram", s.Unigram, 47*math.Log(6.0/16), 1e-12, 0) // both words have λ 5+1 of 16
	near(t, "unigram of the hidden half", s.CompletionUnigram, float64(s.CompletionTokens)*math.Log(6.0/16), 1e-12, 0)
	// The hidden half is of words 0 and 3, which the document's topics give p = θ_0·5/8 + θ_1/8 and the converse.
	seen, hidden := latent.Halves(d)
	gamma := w.Shares(seen)
	theta := gamma[0] / (gamma[0] + gamma[1])
	want := 0.0
	for i, id := range hidden.IDs {
		p := theta*5/8 + (1-theta)/8
		if id == 3 {
			p = theta/8 + (1-theta)*5/8
		}
		want += float64(hidden.Counts[i]) * math.Log(p)
	}
	near(t, "completion", s.Completion, want, 1e-9, 0)
	renamed := &wire.Document{Id: "y", User: "u", WordGaps: d.WordGaps, Counts: d.Counts}
	again, err := w.Score(renamed)
	if err != nil || again.Completion != s.Completion || again.CompletionTokens != s.CompletionTokens {
		t.Errorf("under another id the score is %v, %v, was %v", again, err, s)
	}
	if seen.Tokens+hidden.Tokens != 47 {
		t.Errorf("halves of %d and %d words of 47", seen.Tokens, hidden.Tokens)
	}
}

// TestPlugIn: the likelihood of the tokens under the mean of θ that was inferred from them, by hand from what Infer
// says.
func TestPlugIn(t *testing.T) {
	m := New(Options{Tolerance: 1e-9, Iterations: 1000})
	m.k, m.v = 2, 3
	m.topics = topicsOf(2, 3, 0.7, []float32{.7, .2, .1, .1, .3, .6})
	m.scores = latent.TopicsOf([]float64{7, 2, 1, 1, 3, 6}, model.Size{Components: 2, Words: 3}, nil)
	d := &wire.Document{WordGaps: []uint32{0, 2}, Counts: []uint32{3, 4}} // words 0 and 2
	w := m.NewWorker().(*worker)
	shares, err := w.Infer(d)
	if err != nil {
		t.Fatal(err)
	}
	want := 3*math.Log(shares[0]*.7+shares[1]*.1) + 4*math.Log(shares[0]*.1+shares[1]*.6)
	ids := wire.AppendIDs(nil, d.WordGaps)
	if len(ids) != 2 || ids[1] != 2 {
		t.Fatalf("the document has words %v", ids)
	}
	s, err := w.Score(d)
	if err != nil || math.Abs(s.PlugIn-want) > 1e-9 {
		t.Errorf("plug-in %v, %v; want %v", s.PlugIn, err, want)
	}
	if s.PlugIn <= s.Bound {
		t.Errorf("plug-in %v is not above the bound %v", s.PlugIn, s.Bound)
	}
}
