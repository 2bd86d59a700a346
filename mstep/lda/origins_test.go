package lda

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"privpipe/pipelines/model/lda"
	"privpipe/pipelines/model/modeltest"
)

// TestOriginsByHand: two topics over three words. Topic 0 is 8/10, 1/10, 1/10 with own shares 1, 1/2 and 0, and was
// expected to be as the frequencies; topic 1 follows nothing of its own, and was expected on the last word only, which
// has a quarter.
func TestOriginsByHand(t *testing.T) {
	got := origins([]float64{1, .5, 0, 0, 0, 0}, []float64{2, 1, 1, 0, 0, 7}, []float64{80, 10, 10, 1, 1, 2},
		[]float64{.5, .25, .25})
	for k, want := range []lda.Origin{{Own: 0.85, Public: 0, Frequencies: 0.15},
		{Own: 0, Public: 0.75, Frequencies: 0.25}} {
		for i, x := range [][2]float64{{got[k].Own, want.Own}, {got[k].Public, want.Public},
			{got[k].Frequencies, want.Frequencies}} {
			if math.Abs(x[0]-x[1]) > 1e-12 {
				t.Errorf("topic %d: share %d is %v, want %v", k, i, x[0], x[1])
			}
		}
	}
}

// learned trains a model for one round and returns its origins. The statistic is truth, K × V, with normal noise of
// deviation tau. The seed is fixed.
func learned(t *testing.T, o Options, truth []float64, tau float64) []lda.Origin {
	t.Helper()
	r := rand.New(rand.NewPCG(3, 4))
	const grid = 1e-3
	steps := make([]int64, len(truth))
	for i, x := range truth {
		steps[i] = int64((x + tau*r.NormFloat64()) / grid)
	}
	l := New(o)
	update(t, l, modeltest.Release{Round: 1, Head: modeltest.Gaussian(1, grid, uint64(tau/grid), 1), Steps: steps})
	s, err := l.Model()
	if err != nil {
		t.Fatal(err)
	}
	origins, err := lda.OriginsOf(modeltest.Set(l, s), l.Size())
	if err != nil || len(origins) != 3 {
		t.Fatalf("%d origins, %v", len(origins), err)
	}
	return origins
}

// TestOriginsFollowNoise: the topics are not topics of public text. Under little noise, nearly all is the data's own.
// Under much noise, nearly nothing is. In between the own share falls as the noise grows. The sum of 120 cells of noise
// alone is 11 deviations. 120 cells are then expected to share this sum.
func TestOriginsFollowNoise(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	truth := make([]float64, 120)
	for i := range truth {
		truth[i] = 200 * math.Exp(1.5*r.NormFloat64())
	}
	last := slices.Repeat([]float64{1.01}, 3)
	for _, c := range []struct{ tau, least, most float64 }{{0.01, 0.99, 1}, {100, 0.3, 0.95}, {1000, 0.01, 0.6},
		{1e6, 0, 0.15}} {
		for k, o := range learned(t, informedOptions(), truth, c.tau) {
			if !(o.Own >= c.least && o.Own <= c.most && o.Own < last[k]) {
				t.Errorf("noise %v: own share %v of topic %d, want in [%v, %v] and less than %v", c.tau, o.Own, k,
					c.least, c.most, last[k])
			}
			last[k] = o.Own
		}
	}
}

// TestOriginsTellPublicTextFromFrequencies: the noise hides cells, and the rest is the share that is not the data's
// own. In a public topic, much of the rest is of public text. In a topic that is the frequencies, little of the rest
// is. The public topics have twice the log lifts of informedOptions: the first shares 0.478 with the frequencies.
// Scaling all topics to the frequencies brings the topics nearer together, so less than 1 − 0.478 of the rest is left.
func TestOriginsTellPublicTextFromFrequencies(t *testing.T) {
	o := informedOptions()
	text := *o.Public
	text.Topics = nil
	for _, lifts := range o.Public.Topics {
		twice := slices.Clone(lifts)
		for v := range twice {
			twice[v] *= 2
		}
		text.Topics = append(text.Topics, twice)
	}
	o.Public = &text
	l := New(o)
	topic := cells[float64](t, l, l.Start(), lda.Lambda.Name)[:40] // of the sum 40
	common, truth := 0.0, slices.Repeat([]float64{500}, 120)
	for v, x := range topic {
		common += min(x, 1) / 40
		truth[v] = 500 * x
	}
	near(t, "what topic and frequencies have in common", common, 0.478, 0.01)
	got := learned(t, o, truth, 300)
	if rest := got[0].Public / (1 - got[0].Own); rest < 0.25 {
		t.Errorf("of a public topic, %v of the rest is of public text: %+v", rest, got[0])
	}
	for _, other := range got[1:] {
		if rest := other.Public / (1 - other.Own); rest > 0.15 {
			t.Errorf("of the frequencies, %v of the rest is of public text: %+v", rest, other)
		}
	}
}

// TestOriginsNeedPublicText: a model without public text has none, nor has the start.
func TestOriginsNeedPublicText(t *testing.T) {
	o := informedOptions()
	l := New(o)
	if got, err := lda.OriginsOf(modeltest.Set(l, l.Start()), l.Size()); got != nil || err != nil {
		t.Errorf("the start has origins %v, %v", got, err)
	}
	o.Public = nil
	plain := New(o)
	update(t, plain, modeltest.Release{Round: 1, Head: modeltest.Gaussian(1, 1e-3, 9, 1), Steps: make([]int64, 120)})
	s, err := plain.Model()
	if err != nil {
		t.Fatal(err)
	}
	if got, err := lda.OriginsOf(modeltest.Set(plain, s), plain.Size()); got != nil || err != nil {
		t.Errorf("a model without public text has origins %v, %v", got, err)
	}
}

// TestStartOfPublicText: the start is of round 0, has the weights of the first parameters, and λ in proportion to them.
func TestStartOfPublicText(t *testing.T) {
	l := New(informedOptions())
	start := l.Start()
	if !slices.Equal(cells[float32](t, l, start, lda.Weights.Name),
		cells[float32](t, l, l.Parameters(), lda.Weights.Name)) {
		t.Error("the start has other weights than the first parameters")
	}
	lambda, total := cells[float64](t, l, start, lda.Lambda.Name)[:40], 0.0
	for _, x := range lambda {
		total += x
	}
	for v, w := range cells[float32](t, l, start, lda.Weights.Name)[:40] {
		near(t, "λ over its sum", lambda[v]/total, float64(w), 1e-6)
	}
	if rounds, err := lda.Rounds.Of(modeltest.Set(l, start)); err != nil || rounds != 0 {
		t.Errorf("the start is of %v rounds, %v", rounds, err)
	}
}
