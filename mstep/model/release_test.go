package model_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"privpipe/mstep/model"
	"privpipe/mstep/model/modeltest"
	"privpipe/mstep/words"
	"privpipe/pipelines/event"
	"privpipe/pipelines/wire"
)

// catcher is a learner that keeps the release.
type catcher struct {
	*words.Learner
	release *model.Release
}

func (c *catcher) Update(r *model.Release) error { c.release = r; return nil }

// TestScale: a step is worth grid over the public rate, and so is the noise. Negative cells stay.
func TestScale(t *testing.T) {
	c := &catcher{Learner: words.New(3)}
	head := modeltest.Gaussian(0.25, 0.5, 7, 9)
	if err := modeltest.Update(c, modeltest.Release{Round: 4, Head: head, Steps: []int64{-3, 0, 10}}); err != nil {
		t.Fatal(err)
	}
	r := c.release
	values, err := r.Values("words")
	if err != nil || !slices.Equal(values, []float64{-6, 0, 20}) || r.Deviation != 14 || r.Round != 4 || r.Rounds != 9 {
		t.Errorf("values %v, deviation %v, round %d of %d, error %v", values, r.Deviation, r.Round, r.Rounds, err)
	}
	if _, err := r.Values("topics"); err == nil {
		t.Error("values of a matrix that the release does not have")
	}
}

func TestNewReleaseRefuses(t *testing.T) {
	for rule, change := range map[string]func(*wire.Release){
		"unknown mechanism": func(r *wire.Release) { r.Mechanism = "laplace" },
		"grid or a rate":    func(r *wire.Release) { r.Grid = math.MaxFloat64 },
		"rate out of range": func(r *wire.Release) { r.Scheme.Rate = math.SmallestNonzeroFloat64 },
	} {
		head := modeltest.Gaussian(0.5, 1, 1, 1)
		change(head)
		err := modeltest.Update(words.New(1), modeltest.Release{Round: 1, Head: head, Steps: []int64{1}})
		if err == nil || !strings.Contains(err.Error(), rule) {
			t.Errorf("got %v, want an error about %q", err, rule)
		}
	}
	none := modeltest.Gaussian(0.5, 1, 0, 1)
	none.Mechanism = event.None
	if err := modeltest.Update(words.New(1), modeltest.Release{Round: 1, Head: none, Steps: []int64{1}}); err != nil {
		t.Errorf("a release without privacy: %v", err)
	}
}

func TestCheckShapes(t *testing.T) {
	l := words.New(3)
	for rule, change := range map[string]func(*wire.Header){
		"":                                   func(*wire.Header) {},
		`of model "lda", must be of "words"`: func(h *wire.Header) { h.Model = "lda" },
		`no matrix "words" of 1 × 3`:         func(h *wire.Header) { h.Matrices[0].Columns = 4 },
		`no matrix "words"`:                  func(h *wire.Header) { h.Matrices[0].Name = "topics" },
	} {
		h := modeltest.Header(l, nil, 3)
		change(h)
		if err := model.CheckShapes(h, l); (err == nil) != (rule == "") || err != nil && !strings.Contains(err.Error(), rule) {
			t.Errorf("got %v, want an error about %q", err, rule)
		}
	}
}
