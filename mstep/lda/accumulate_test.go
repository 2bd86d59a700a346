package lda

import (
	"slices"
	"strings"
	"testing"

	"privpipe/pipelines/model"
	"privpipe/pipelines/model/lda"
	"privpipe/pipelines/model/modeltest"
)

// counts returns the counts that a snapshot carries, and the variance of their noise.
func counts(t *testing.T, l *Learner, s *model.Snapshot) ([]float32, float64) {
	t.Helper()
	set := modeltest.Set(l, s)
	variance, err := lda.CountsVariance.Of(set)
	if err != nil {
		t.Fatal(err)
	}
	c, err := lda.Counts.Of(set, l.Size())
	if err != nil {
		t.Fatal(err)
	}
	return c, variance
}

// TestAccumulate: S is the sum of the increments, and its variance the sum of theirs. Cells below 0 stay in the counts
// and are 0 in λ.
func TestAccumulate(t *testing.T) {
	base := Options{Topics: 1, Words: 3, Alpha: 1, Eta: 0.5, Tau0: 7, Kappa: 0.5, AverageFrom: 1, Seed: 3,
		Accumulate: true}
	for name, c := range map[string]struct {
		learner  *Learner
		counts   []float32 // after increments of (4, −1.5, 0) and (−1, 0.5, 2), each with noise of deviation 2
		variance float64
		lambda   []float64
	}{
		"from 0": {New(base), []float32{3, -1, 2}, 8, []float64{3.5, 0.5, 2.5}},
		"from counts": {NewFromCounts(base, []float32{-5, 2, 0.25}, 3), []float32{-2, 1, 2.25}, 11,
			[]float64{0.5, 1.5, 2.75}},
	} {
		l := c.learner
		for i, steps := range [][]int64{{8, -3, 0}, {-2, 1, 4}} {
			update(t, l, modeltest.Release{Round: uint32(i + 1), Head: modeltest.OfAll(0.5, 4, 9), Steps: steps})
		}
		s, err := l.Model()
		if err != nil {
			t.Fatal(err)
		}
		for where, s := range map[string]*model.Snapshot{"parameters": l.Parameters(), "model": s} {
			got, variance := counts(t, l, s)
			if !slices.Equal(got, c.counts) || variance != c.variance {
				t.Errorf("%s: %s hold counts %v of variance %v, want %v and %v", name, where, got, variance, c.counts,
					c.variance)
			}
		}
		if lambda := cells[float64](t, l, s, "lambda"); !slices.Equal(lambda, c.lambda) {
			t.Errorf("%s: λ is %v, want %v", name, lambda, c.lambda)
		}
	}
}

// TestAccumulateShrinks: the noise of all rounds is that of the estimate.
func TestAccumulateShrinks(t *testing.T) {
	o := Options{Topics: 2, Words: 3, Alpha: 1, Eta: 0.5, AverageFrom: 1, Accumulate: true,
		Estimate: Estimate{Shrink: true}}
	l := NewFromCounts(o, []float32{40, 3, 1, 2, -6, 30}, 16)
	update(t, l, modeltest.Release{Round: 1, Head: modeltest.OfAll(1, 3, 9), Steps: make([]int64, 6)})
	s, err := l.Model()
	if err != nil {
		t.Fatal(err)
	}
	want := o.estimate(make([]float64, 6), []float64{40, 3, 1, 2, -6, 30}, nil, 5).lambda // √(16 + 9)
	if got := cells[float64](t, l, s, "lambda"); !slices.Equal(got, want) {
		t.Errorf("λ is %v, want %v", got, want)
	}
}

// TestAccumulateRefuses releases that do not add up to counts, and leaves S as it is.
func TestAccumulateRefuses(t *testing.T) {
	o := Options{Topics: 1, Words: 1, Alpha: 1, Eta: 1, AverageFrom: 1, Accumulate: true}
	l := New(o)
	update(t, l, modeltest.Release{Round: 1, Head: modeltest.OfAll(1, 1, 9), Steps: []int64{7}})
	for rule, r := range map[string]modeltest.Release{
		"release of round 2 is of a sample of the documents": {Round: 2, Head: modeltest.Gaussian(0.5, 1, 1, 9),
			Steps: []int64{5}},
		"release of round 3 comes after that of round 1": {Round: 3, Head: modeltest.OfAll(1, 1, 9),
			Steps: []int64{5}},
		"release of round 4 is of a sample of the documents: only": {Round: 4, Head: modeltest.Gaussian(1, 1, 1, 9),
			Steps: []int64{5}},
	} {
		if err := modeltest.Update(l, r); err == nil || !strings.Contains(err.Error(), rule) {
			t.Errorf("got %v, want an error about %q", err, rule)
		}
	}
	if l.sum[0] != 7 || l.variance != 1 || l.Round() != 1 {
		t.Errorf("S is %v of variance %v after round %d, want 7, 1 and 1", l.sum[0], l.variance, l.Round())
	}
}

// TestCeiling: cells of the estimate are in [0, C], in the parameters and in the model, and C goes out. S keeps its
// cells.
func TestCeiling(t *testing.T) {
	o := Options{Topics: 1, Words: 4, Alpha: 1, Eta: 1, AverageFrom: 1, Accumulate: true,
		Estimate: Estimate{Ceiling: 4}}
	l := New(o)
	update(t, l, modeltest.Release{Round: 1, Head: modeltest.OfAll(1, 1, 9), Steps: []int64{-4, 1, 4, 9}})
	s, err := l.Model()
	if err != nil {
		t.Fatal(err)
	}
	if got, want := cells[float64](t, l, s, "lambda"), []float64{1, 2, 5, 5}; !slices.Equal(got, want) {
		t.Errorf("λ is %v, want %v", got, want)
	}
	for where, s := range map[string]*model.Snapshot{"parameters": l.Parameters(), "model": s} {
		set := modeltest.Set(l, s)
		if c, err := lda.Ceiling.Of(set); err != nil || c != 4 {
			t.Errorf("%s: ceiling %v, %v", where, c, err)
		}
		if eta, err := lda.Eta.Of(set); err != nil || eta != 1 {
			t.Errorf("%s: eta %v, %v", where, eta, err)
		}
		for v, w := range cells[float32](t, l, s, "weights") {
			near(t, where+": weight", float64(w), []float64{1, 2, 5, 5}[v]/13, 1e-6)
		}
		if c, _ := counts(t, l, s); !slices.Equal(c, []float32{-4, 1, 4, 9}) {
			t.Errorf("%s: counts %v are clamped", where, c)
		}
	}
}

// TestOptionalFields: a run without the options writes none of their fields.
func TestOptionalFields(t *testing.T) {
	l := New(Options{Topics: 2, Words: 2, Alpha: 1, Eta: 1})
	set := modeltest.Set(l, l.Parameters())
	if lda.Ceiling.In(set) || lda.Counts.In(set) || lda.CountsVariance.In(set) {
		t.Errorf("parameters %v with a field of an option that was not given", set.Parameters)
	}
}
