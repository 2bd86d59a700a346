package lda

import (
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"

	"privpipe/pipelines/model"
	"privpipe/pipelines/model/lda"
	"privpipe/pipelines/model/modeltest"
)

// batches are of half of the documents each: of a release of (8, 4, 0)/q the batch's counts are (8, 4, 0).
func batches(t *testing.T, l *Learner, steps ...[]int64) {
	t.Helper()
	for _, s := range steps {
		update(t, l, modeltest.Release{Round: l.Round() + 1, Head: modeltest.Gaussian(0.5, 1, 2, 9), Steps: s})
	}
}

// TestOnline: βˡ = βˡ⁻¹ + λNˡ⁻¹, and the model is of βˡ + Nˡ, by hand. Noise of deviation 2 is on each count.
func TestOnline(t *testing.T) {
	base := Options{Topics: 1, Words: 3, Alpha: 1, Eta: 0.5, AverageFrom: 1, Online: Online{Lambda: 0.25}}
	for name, c := range map[string]struct {
		learner  *Learner
		prior    []float32 // after batches of (8, 4, 0) and (−4, 0, 20)
		lambda   []float64
		variance float64
	}{
		// β² = ¼N¹, β³ = β² + ¼N².
		"from 0": {New(base), []float32{1, 1, 5}, []float64{0.5, 1.5, 20.5}, 4.25},
		// β¹ = ¼N⁰ with N⁰ = (16, 0, 4).
		"from counts": {NewFromCounts(base, []float32{16, 0, 4}, 16), []float32{5, 1, 6}, []float64{2.5, 1.5, 21.5},
			5.25},
	} {
		batches(t, c.learner, []int64{8, 4, 0}, []int64{-4, 0, 20})
		s, err := c.learner.Model()
		if err != nil {
			t.Fatal(err)
		}
		for where, s := range map[string]*model.Snapshot{"parameters": c.learner.Parameters(), "model": s} {
			if got := cells[float32](t, c.learner, s, "prior"); !slices.Equal(got, c.prior) {
				t.Errorf("%s: %s hold the prior %v, want %v", name, where, got, c.prior)
			}
		}
		if got := cells[float64](t, c.learner, s, "lambda"); !slices.Equal(got, c.lambda) {
			t.Errorf("%s: λ is %v, want %v", name, got, c.lambda)
		}
		if c.learner.variance != c.variance {
			t.Errorf("%s: variance %v, want %v", name, c.learner.variance, c.variance)
		}
	}
	l := New(base)
	err := modeltest.Update(l, modeltest.Release{Round: 2, Head: modeltest.Gaussian(0.5, 1, 2, 9),
		Steps: []int64{1, 1, 1}})
	if err == nil || !strings.Contains(err.Error(), "release of round 2 comes after that of round 0") {
		t.Errorf("a batch is left out: %v", err)
	}
}

// TestOnlinePriorIsNotNegative: where noise has made a sum negative.
func TestOnlinePriorIsNotNegative(t *testing.T) {
	l := New(Options{Topics: 1, Words: 2, Alpha: 1, Eta: 0.5, AverageFrom: 1, Online: Online{Lambda: 0.5}})
	batches(t, l, []int64{-6, 4})
	if got := cells[float32](t, l, l.Parameters(), "prior"); !slices.Equal(got, []float32{0, 2}) {
		t.Errorf("prior %v", got)
	}
}

// TestLogEvidence: for two words the Dirichlet–multinomial is the beta–binomial, here as an integral over the share of
// the first word.
func TestLogEvidence(t *testing.T) {
	l := New(Options{Topics: 1, Words: 2, Alpha: 1, Eta: 0.5, AverageFrom: 1, Online: Online{Lambda: 0.5}})
	batches(t, l, []int64{6, 1})
	n := []float64{3, 2}
	integral := func(lambda float64) float64 {
		beta := distuv.Beta{Alpha: 0.5 + lambda*6, Beta: 0.5 + lambda*1}
		const steps = 400_000
		sum := 0.0
		for i := range steps {
			x := (float64(i) + 0.5) / steps
			sum += beta.Prob(x) * math.Pow(x, n[0]) * math.Pow(1-x, n[1]) / steps
		}
		return math.Log(sum)
	}
	for _, lambda := range []float64{0.3, 0.9} {
		want := integral(lambda) - integral(0.6)
		if got := l.logEvidence(n, lambda) - l.logEvidence(n, 0.6); math.Abs(got-want) > 1e-5 {
			t.Errorf("λ = %v: %v, want %v", lambda, got, want)
		}
	}
}

// TestCorrelation: over many batches λ has its posterior. Here all batches have the same last counts and counts, so the
// chain's stationary distribution is in proportion to the evidence. The chain's steps are not independent. The test
// compares every 20th of 20,000 steps, in ten bins.
func TestCorrelation(t *testing.T) {
	l := New(Options{Topics: 1, Words: 2, Alpha: 1, Eta: 0.5, AverageFrom: 1, Online: Online{Lambda: 0.5, Learn: true}})
	batches(t, l, []int64{40, 5})
	counts := []float64{30, 9}
	var seen, want [10]float64
	for round := range uint32(20_000) {
		l.online.lambda = l.redraw(counts, round)
		if round%20 == 0 {
			seen[int(10*l.online.lambda)]++
		}
	}
	total := 0.0
	for i := range 1000 {
		p := math.Exp(l.logEvidence(counts, (float64(i)+0.5)/1000))
		want[i/100] += p
		total += p
	}
	square := 0.0
	for i := range want {
		w := want[i] / total * 1000
		square += (seen[i] - w) * (seen[i] - w) / w
	}
	if limit := (distuv.ChiSquared{K: 9}).Quantile(1 - 1e-6); square > limit {
		t.Errorf("χ² is %v, above %v: %v", square, limit, seen)
	}
	if got, err := lda.Correlation.Of(modeltest.Set(l, l.Parameters())); err != nil || got != l.online.lambda {
		t.Errorf("the parameters have λ = %v, %v", got, err)
	}
}
