package lda

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"privpipe/pipelines/model"
	"privpipe/pipelines/model/lda"
	"privpipe/pipelines/model/modeltest"
	"privpipe/pipelines/model/publictext"
)

// informedOptions are of 3 topics and 40 words, with a public text of 4 topics, of which 2 are the first.
func informedOptions() Options {
	r := rand.New(rand.NewPCG(1, 2))
	text := &publictext.Text{First: 2, Digest: [32]byte{1, 2, 3}}
	for range 4 {
		lifts := make([]float32, 40)
		for v := range lifts {
			lifts[v] = float32(r.NormFloat64())
		}
		text.Topics = append(text.Topics, lifts)
	}
	text.Features = text.Topics[2:]
	text.Frequencies = slices.Repeat([]float64{1. / 40}, 40)
	return Options{
		Topics: 3, Words: 40, Alpha: 0.3, Eta: 0.1, Kappa: 0.6, AverageFrom: 0.3, Estimate: Estimate{Shrink: true},
		Marginal: &Marginal{Frequencies: text.Frequencies}, Public: text,
	}
}

func TestLearnerWithPublicText(t *testing.T) {
	modeltest.Learner(t, func() model.Learner { return New(informedOptions()) })
	other := informedOptions()
	text := *other.Public
	text.Digest[31]++
	other.Public = &text
	l := New(informedOptions())
	if New(other).Restore(modeltest.Set(l, l.State())) == nil {
		t.Error("restored a checkpoint of another public text")
	}
	plain := informedOptions()
	plain.Public = nil
	if New(plain).Restore(modeltest.Set(l, l.State())) == nil {
		t.Error("restored a checkpoint of a public text without one")
	}
}

// TestFirstTopicsArePublic: before the first release, topic 0 is the first public topic on the frequencies, with a
// tenth of these.
func TestFirstTopicsArePublic(t *testing.T) {
	o := informedOptions()
	l := New(o)
	weights := cells[float32](t, l, l.Parameters(), lda.Weights.Name)
	total, lifted := 0.0, make([]float64, 40)
	for v, lift := range o.Public.Topics[0] {
		lifted[v] = math.Exp(float64(lift))
		total += lifted[v]
	}
	for v, x := range lifted {
		near(t, "weight", float64(weights[v]), 0.9*x/total+0.1/40, 1e-5)
	}
}

// TestColumnsFollowMarginal: all topics together have the frequencies of words.
func TestColumnsFollowMarginal(t *testing.T) {
	o := informedOptions()
	o.Marginal = &Marginal{Frequencies: make([]float64, 40)}
	for v := range o.Marginal.Frequencies {
		o.Marginal.Frequencies[v] = float64(v+1) / 820
	}
	l := New(o)
	r := rand.New(rand.NewPCG(3, 4))
	steps := make([]int64, 120)
	for i := range steps {
		steps[i] = int64(40 + 9*r.NormFloat64())
	}
	update(t, l, modeltest.Release{Round: 1, Head: modeltest.Gaussian(0.5, 1, 3, 3), Steps: steps})
	s, err := l.Model()
	if err != nil {
		t.Fatal(err)
	}
	lambda := cells[float64](t, l, s, lda.Lambda.Name)
	total := 0.0
	for _, x := range lambda {
		total += x
	}
	for v, want := range o.Marginal.Frequencies {
		near(t, "frequency", (lambda[v]+lambda[40+v]+lambda[80+v])/total, want, 1e-9)
	}
	if got, ok := publictext.DigestOf(modeltest.Set(l, s)); !ok || got != o.Public.Digest {
		t.Errorf("the model names public text %x", got)
	}
}

func FuzzExtremeWithPublicText(f *testing.F) {
	f.Add(1.0, 1.0, uint64(1), uint32(1), int64(1), int64(-1))
	f.Add(1e59, 1.0, uint64(1<<32-1), uint32(1<<31), int64(math.MaxInt64), int64(math.MinInt64))
	f.Add(5e-324, 1.0, uint64(1), uint32(3), int64(1), int64(0))
	f.Add(1e-40, 1e-3, uint64(0), uint32(3), int64(-1), int64(-9))
	f.Fuzz(func(t *testing.T, grid, rate float64, scale uint64, rounds uint32, a, b int64) {
		modeltest.Extreme(t, New(informedOptions()), grid, rate, scale, rounds, a, b)
	})
}
