package gibbs

import (
	"math"
	"slices"
	"testing"

	"google.golang.org/protobuf/proto"

	"privpipe/estep/latent"
	"privpipe/pipelines/model"
	"privpipe/pipelines/wire"
)

// tiny is a model of three topics and four words whose weights are its mean topics.
const (
	tinyTopics = 3
	tinyWords  = 4
	tinyAlpha  = 0.4
)

var tinyWeights = []float32{.7, .1, .1, .1, .05, .8, .1, .05, .25, .25, .25, .25}

func tinyModel(sweeps, burnIn int) *Model {
	m := &Model{options: Options{Sweeps: sweeps, BurnIn: burnIn, Statistic: Expected}}
	m.size = model.Size{Components: tinyTopics, Words: tinyWords}
	m.weights = newWeights(tinyTopics, tinyWords, tinyAlpha, tinyWeights, 0)
	lambda := make([]float64, len(tinyWeights))
	for i, w := range tinyWeights {
		lambda[i] = 40 * float64(w)
	}
	m.topics = latent.TopicsOf(lambda, m.size, nil)
	return m
}

// posteriorMean enumerates all topics z of the tokens: the mean of (n_k + α)/(N + Kα) under p(z | words) ∝ Π_i w_z,i
// Π_k Γ(α + n_k). It shares no code with the sampler.
func posteriorMean(b latent.Bag) []float64 {
	var tokens []uint32
	for i, id := range b.IDs {
		tokens = append(tokens, slices.Repeat([]uint32{id}, int(b.Counts[i]))...)
	}
	mean, total := make([]float64, tinyTopics), 0.0
	for _, z := range states(tinyTopics, len(tokens)) {
		p, n := 1.0, make([]float64, tinyTopics)
		for i, topic := range z {
			p *= float64(tinyWeights[topic*tinyWords+int(tokens[i])])
			n[topic]++
		}
		for _, m := range n {
			p *= math.Gamma(tinyAlpha + m)
		}
		total += p
		for k, m := range n {
			mean[k] += p * (m + tinyAlpha) / (float64(len(tokens)) + tinyTopics*tinyAlpha)
		}
	}
	for k := range mean {
		mean[k] /= total
	}
	return mean
}

// likelihood is log p(words of b) under shares, by hand.
func likelihood(b latent.Bag, shares []float64) float64 {
	sum := 0.0
	for i, id := range b.IDs {
		p := 0.0
		for k, share := range shares {
			p += share * float64(tinyWeights[k*tinyWords+int(id)])
		}
		sum += float64(b.Counts[i]) * math.Log(p)
	}
	return sum
}

// TestPosteriorMean compares shares and scores with the enumerated posterior. A share is within 0.01 of it. In one
// sweep, the largest standard deviation among the shares is below 0.35. The correlation of 40,000 sweeps lasts for less
// than ten. So 0.01 is more than 1.8 standard deviations, and the document's words fix the coins. The plug-in
// likelihood and the completion are within 2 %.
func TestPosteriorMean(t *testing.T) {
	m := tinyModel(40_500, 500)
	for _, counts := range [][]uint32{{3, 2}, {1, 1}, {6, 1}} {
		d := &wire.Document{Id: "d", WordGaps: []uint32{0, 1}, Counts: counts}
		w := m.NewWorker()
		shares, err := w.(model.Inferrer).Infer(d)
		if err != nil {
			t.Fatal(err)
		}
		all := latent.BagOf(d)
		want := posteriorMean(all)
		for k := range want {
			if !(math.Abs(shares[k]-want[k]) <= 0.01) {
				t.Errorf("%v: share %d is %v, want %v", counts, k, shares[k], want[k])
			}
		}
		s, err := w.(model.Scorer).Score(d)
		if err != nil {
			t.Fatal(err)
		}
		if exact := likelihood(all, shares); !(math.Abs(s.PlugIn-exact) <= 1e-6*math.Abs(exact)) {
			t.Errorf("%v: plug-in %v, want %v of the shares that Infer returns", counts, s.PlugIn, exact)
		}
		seen, hidden := latent.Halves(d)
		if exact := likelihood(hidden, posteriorMean(seen)); !(math.Abs(s.Completion-exact) <= 0.02*math.Abs(exact)) {
			t.Errorf("%v: completion %v, want %v", counts, s.Completion, exact)
		}
		if s.Bound != 0 || s.Tokens != all.Tokens || s.CompletionTokens != hidden.Tokens {
			t.Errorf("%v: score %v", counts, s)
		}
	}
}

// TestBurnIn: the shares are the mean over the sweeps behind the burn-in, not over those before it.
func TestBurnIn(t *testing.T) {
	d := &wire.Document{WordGaps: []uint32{0, 2}, Counts: []uint32{5, 4}}
	shares := func(sweeps, burnIn int) []float64 {
		s, err := tinyModel(sweeps, burnIn).NewWorker().(model.Inferrer).Infer(d)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	first, second, both, last := shares(1, 0), shares(2, 1), shares(2, 0), shares(3, 1)
	third := shares(3, 2)
	for k := range first {
		if !(math.Abs(both[k]-(first[k]+second[k])/2) <= 1e-12 && math.Abs(last[k]-(second[k]+third[k])/2) <= 1e-12) {
			t.Errorf("share %d is %v of sweeps %v and %v, and %v of %v and %v", k, both[k], first[k], second[k],
				last[k], second[k], third[k])
		}
	}
	if slices.Equal(first, second) && slices.Equal(second, third) {
		t.Error("three sweeps have one topic: the test tells nothing")
	}
}

// TestScoreOfWords: a score depends on the words of a document alone, not on its names nor on the documents before it.
func TestScoreOfWords(t *testing.T) {
	m := tinyModel(7, 2)
	d := &wire.Document{Id: "a", WordGaps: []uint32{1, 2}, Counts: []uint32{30, 9}}
	want, err := m.NewWorker().(model.Scorer).Score(d)
	if err != nil {
		t.Fatal(err)
	}
	w := m.NewWorker().(model.Scorer)
	if _, err := w.Score(&wire.Document{Id: "before", WordGaps: []uint32{0}, Counts: []uint32{50}}); err != nil {
		t.Fatal(err)
	}
	got, err := w.Score(&wire.Document{Id: "b", User: "u", WordGaps: d.WordGaps, Counts: d.Counts})
	if err != nil {
		t.Fatal(err)
	}
	if got.Id = "a"; !proto.Equal(got, want) {
		t.Errorf("score %v, want %v", got, want)
	}
	if other, err := w.Score(&wire.Document{WordGaps: d.WordGaps, Counts: []uint32{30, 10}}); err != nil ||
		other.PlugIn == want.PlugIn {
		t.Errorf("another document has score %v, %v", other, err)
	}
}

// TestEmpty: nothing is known of the topics of an empty document.
func TestEmpty(t *testing.T) {
	shares, err := tinyModel(3, 1).NewWorker().(model.Inferrer).Infer(new(wire.Document))
	if err != nil {
		t.Fatal(err)
	}
	for _, share := range shares {
		if !(math.Abs(share-1./tinyTopics) <= 1e-12) {
			t.Errorf("shares %v", shares)
		}
	}
}
