package model_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"privpipe/pipelines/event"
	"privpipe/pipelines/model"
	"privpipe/pipelines/model/modeltest"
	"privpipe/pipelines/wire"
)

// catcher is a learner that keeps the release.
type catcher struct {
	model.Learner
	statistics []*wire.Matrix
	release    *model.Release
}

func (c *catcher) Size() model.Size              { return model.Size{Words: 1} }
func (c *catcher) Update(r *model.Release) error { c.release = r; return nil }

func (c *catcher) Family() *model.Family {
	return &model.Family{Name: "catcher", Statistics: func(model.Size) []*wire.Matrix { return c.statistics }}
}

// caught returns a release of matrices of the given shapes as a learner gets it.
func caught(t *testing.T, r modeltest.Release, statistics ...*wire.Matrix) *model.Release {
	t.Helper()
	c := &catcher{statistics: statistics}
	if err := modeltest.Update(c, r); err != nil {
		t.Fatal(err)
	}
	return c.release
}

// counter is a learner of one row.
func counter(columns uint32) *catcher {
	return &catcher{statistics: []*wire.Matrix{{Name: "words", Rows: 1, Columns: columns}}}
}

func expect(t *testing.T, r *model.Release, name string, want model.Statistic) {
	t.Helper()
	got, err := r.Statistic(name)
	if err != nil || !slices.Equal(got.Values, want.Values) || got.Deviation != want.Deviation ||
		got.OffDiagonal != want.OffDiagonal {
		t.Errorf("%s: got %+v, %v, want %+v", name, got, err, want)
	}
}

// TestScale: a step is worth grid over the public rate, and so is the noise. Negative cells stay.
func TestScale(t *testing.T) {
	head := modeltest.Gaussian(0.25, 0.5, 7, 9)
	counts := &wire.Matrix{Name: "words", Rows: 1, Columns: 3}
	r := caught(t, modeltest.Release{Round: 4, Head: head, Steps: []int64{-3, 0, 10}}, counts)
	expect(t, r, "words", model.Statistic{Values: []float64{-6, 0, 20}, Deviation: 14, OffDiagonal: 14})
	if r.Round != 4 || r.Rounds != 9 {
		t.Errorf("round %d of %d", r.Round, r.Rounds)
	}
	if _, err := r.Statistic("topics"); err == nil {
		t.Error("values of a matrix that the release does not have")
	}
}

// TestEach: parts are the values of Statistic in order, and the deviation is the same. They are given once, and not of
// a symmetric matrix.
func TestEach(t *testing.T) {
	const n = 50_000 // several blocks
	counts, outer := &wire.Matrix{Name: "words", Rows: 1, Columns: n},
		&wire.Matrix{Name: "outer", Rows: 1, Columns: 1, Symmetric: true}
	steps := make([]int64, n+1)
	for i := range steps {
		steps[i] = int64(i*i) - 77
	}
	release := func() *model.Release {
		return caught(t, modeltest.Release{Round: 1, Head: modeltest.Gaussian(0.25, 0.5, 7, 9), Steps: steps}, counts,
			outer)
	}
	want, err := release().Statistic("words")
	if err != nil {
		t.Fatal(err)
	}
	r, got, parts := release(), []float64(nil), 0
	take := func(first int, values []float64) {
		if first != len(got) {
			t.Errorf("a part begins at %d after %d values", first, len(got))
		}
		got, parts = append(got, values...), parts+1
		clear(values)
	}
	deviation, err := r.Each("words", take)
	if err != nil || deviation != want.Deviation || !slices.Equal(got, want.Values) || parts < 2 {
		t.Errorf("%d values in %d parts, deviation %v, %v", len(got), parts, deviation, err)
	}
	for _, name := range []string{"words", "outer", "topics"} {
		if _, err := r.Each(name, take); err == nil || len(got) != n {
			t.Errorf("%s: error %v, %d values", name, err, len(got))
		}
	}
}

// TestBounds: a step of a matrix is worth its bound as much. A symmetric matrix comes as the full square, with less
// Gaussian noise off the diagonal (event.OffDiagonalScale(7) is 5).
func TestBounds(t *testing.T) {
	outer := &wire.Matrix{Name: "outer", Rows: 3, Columns: 3, Symmetric: true}
	counts := &wire.Matrix{Name: "words", Rows: 1, Columns: 2}
	square := func(scale float64) []float64 {
		values := []float64{11, 12, 13, 12, 22, 23, 13, 23, 33}
		for i := range values {
			values[i] *= scale
		}
		return values
	}
	release := func(head *wire.Release) *model.Release {
		return caught(t, modeltest.Release{Round: 1, Head: head, Steps: []int64{11, 12, 13, 22, 23, 33, -1, 2}}, outer,
			counts)
	}
	r := release(modeltest.Gaussian(0.5, 1, 7, 9))
	expect(t, r, "outer", model.Statistic{Values: square(2), Deviation: 14, OffDiagonal: 10})
	expect(t, r, "words", model.Statistic{Values: []float64{-2, 4}, Deviation: 14, OffDiagonal: 14})

	head := modeltest.Gaussian(0.5, 1, 7, 9)
	head.Bounds = []float64{0.25, 8}
	r = release(head)
	expect(t, r, "outer", model.Statistic{Values: square(0.5), Deviation: 3.5, OffDiagonal: 2.5})
	expect(t, r, "words", model.Statistic{Values: []float64{-16, 32}, Deviation: 112, OffDiagonal: 112})

	r = release(modeltest.None(0.5, 1, 9))
	expect(t, r, "outer", model.Statistic{Values: square(2)})
}

// TestLaplaceDeviation compares the deviation with the variance summed from the probabilities. For a large scale it
// compares with the continuous distribution's deviation, √2·t. The relative difference of these deviations is less than
// 1/(24·t²).
func TestLaplaceDeviation(t *testing.T) {
	deviation := func(scale uint64) float64 {
		head := modeltest.Gaussian(1, 1, scale, 1)
		head.Mechanism = event.Laplace
		s, err := caught(t, modeltest.Release{Round: 1, Head: head, Steps: []int64{0}}, &wire.Matrix{
			Name: "outer", Rows: 1, Columns: 1, Symmetric: true,
		}).Statistic("outer")
		if err != nil || s.OffDiagonal != s.Deviation {
			t.Fatalf("%+v, %v", s, err)
		}
		return s.Deviation
	}
	for _, scale := range []uint64{1, 2, 3, 10, 100} {
		mass, square := 1., 0.
		for x := 1.; x < 50*float64(scale); x++ {
			p := 2 * math.Exp(-x/float64(scale))
			mass, square = mass+p, square+p*x*x
		}
		if got, want := deviation(scale), math.Sqrt(square/mass); math.Abs(got-want) > 1e-12*want {
			t.Errorf("scale %d: deviation %v, want %v", scale, got, want)
		}
	}
	if got, want := deviation(1<<31), math.Sqrt2*(1<<31); math.Abs(got-want) > 1e-14*want {
		t.Errorf("large scale: deviation %v, want %v", got, want)
	}
}

func TestNewReleaseRefuses(t *testing.T) {
	for rule, change := range map[string]func(*wire.Release){
		"grid, a rate or a bound": func(r *wire.Release) { r.Grid = math.MaxFloat64 },
		"rate or a bound out of":  func(r *wire.Release) { r.Scheme.Rate = math.SmallestNonzeroFloat64 },
		"bound out of range":      func(r *wire.Release) { r.Bounds = []float64{1e61} },
		"noise out of range":      func(r *wire.Release) { r.Scale = 1 << 32 },
	} {
		head := modeltest.Gaussian(0.5, 1, 1, 1)
		change(head)
		err := modeltest.Update(counter(1), modeltest.Release{Round: 1, Head: head, Steps: []int64{1}})
		if err == nil || !strings.Contains(err.Error(), rule) {
			t.Errorf("got %v, want an error about %q", err, rule)
		}
	}
}

func TestCheckShapes(t *testing.T) {
	l := counter(3)
	for rule, change := range map[string]func(*wire.Header){
		"":                                     func(*wire.Header) {},
		`of model "lda", must be of "catcher"`: func(h *wire.Header) { h.Model = "lda" },
		`no matrix "words" of 1 × 3`:           func(h *wire.Header) { h.Matrices[0].Columns = 4 },
		`no matrix "words"`:                    func(h *wire.Header) { h.Matrices[0].Name = "topics" },
		`no matrix "words" of 1`:               func(h *wire.Header) { h.Matrices[0].Symmetric = true },
	} {
		h := modeltest.Header(l, nil, 3)
		change(h)
		if err := model.CheckReleases(h, l); (err == nil) != (rule == "") || err != nil &&
			!strings.Contains(err.Error(), rule) {
			t.Errorf("got %v, want an error about %q", err, rule)
		}
	}
}

// TestCheckShapesSymmetric: a learner of a symmetric matrix does not take another.
func TestCheckShapesSymmetric(t *testing.T) {
	outer := &wire.Matrix{Name: "outer", Rows: 2, Columns: 2, Symmetric: true}
	l := &catcher{statistics: []*wire.Matrix{outer}}
	h := modeltest.Header(l, nil, 1)
	if err := model.CheckReleases(h, l); err != nil {
		t.Error(err)
	}
	h.Matrices[0].Symmetric = false
	if err := model.CheckReleases(h, l); err == nil ||
		!strings.Contains(err.Error(), `no symmetric matrix "outer" of 2 × 2`) {
		t.Errorf("got %v", err)
	}
}
