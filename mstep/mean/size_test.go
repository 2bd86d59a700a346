package mean

import (
	"math"
	"testing"

	"privpipe/pipelines/model"
	"privpipe/pipelines/model/families"
	"privpipe/pipelines/model/modeltest"
)

func TestSize(t *testing.T) {
	modeltest.Learner(t, func() model.Learner { return NewSize() })
}

// TestDoubled: documents contributed half of their features, so a model has twice the released sums and twice their
// noise; over two rounds it has their mean.
func TestDoubled(t *testing.T) {
	l := NewSize()
	for i, steps := range [][]int64{{500, 10, 100, 150}, {520, 14, 140, 130}} {
		r := modeltest.Release{Round: uint32(i + 1), Head: modeltest.Gaussian(1, 1, 3, 2), Steps: steps}
		if err := modeltest.Update(l, r); err != nil {
			t.Fatal(err)
		}
	}
	s, err := l.Model()
	if err != nil {
		t.Fatal(err)
	}
	set := modeltest.Set(l, s)
	sums, err := families.SizeSums.Of(set, l.Size())
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []float64{1020, 24, 240, 280} {
		if sums[i] != want {
			t.Errorf("sum %d is %v, want %v", i, sums[i], want)
		}
	}
	deviation, err := families.SizeDeviation.Of(set)
	if want := 2 * 3 / math.Sqrt2; err != nil || math.Abs(deviation-want) > 1e-12 {
		t.Errorf("deviation %v, %v; want %v", deviation, err, want)
	}
}
