package lda

import (
	"math"
	"slices"
	"testing"

	"privpipe/pipelines/model"
	"privpipe/pipelines/model/modeltest"
)

// TestPartsOfARelease: a release comes in several parts. Each cell goes to its own cell of the sum, in each way of
// learning.
func TestPartsOfARelease(t *testing.T) {
	const k, v = 7, 9001 // four parts
	steps := make([]int64, k*v)
	for i := range steps {
		steps[i] = int64(i*i%977) - 300
	}
	rho := model.Rate{Tau0: 1, Kappa: 0.5}.At(1)
	for name, c := range map[string]struct {
		options  Options
		want     func(before, statistic float64) float64
		averaged bool
	}{
		"mixed": {Options{}, func(before, x float64) float64 { return (1-rho)*before + rho*x }, true},
		"accumulated": {Options{Accumulate: true, AverageFrom: 1},
			func(before, x float64) float64 { return before + x }, false},
		// N⁰ is 0
		"online": {Options{Online: Online{Lambda: 0.5}, AverageFrom: 1}, func(_, x float64) float64 { return x },
			false},
	} {
		o := c.options
		o.Topics, o.Words, o.Alpha, o.Eta, o.Tau0, o.Kappa = k, v, 0.1, 0.1, 1, 0.5
		l := New(o)
		before, head := slices.Clone(l.sum), modeltest.OfAll(1, 7, 9)
		if err := modeltest.Update(l, modeltest.Release{Round: 1, Head: head, Steps: steps}); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for i, step := range steps {
			x := float64(step) * head.Grid / head.Scheme.Rate
			if got, want := l.sum[i], c.want(before[i], x); math.Abs(got-want) > 1e-9 {
				t.Fatalf("%s: cell %d is %v, want %v", name, i, got, want)
			}
			if c.averaged && l.average[i] != x {
				t.Fatalf("%s: the average of cell %d is %v, want %v", name, i, l.average[i], x)
			}
		}
	}
}
