package mean

import (
	"math"
	"testing"

	"privpipe/pipelines/model"
	"privpipe/pipelines/model/modeltest"
	"privpipe/pipelines/wire/stream"
)

func TestWords(t *testing.T) {
	modeltest.Learner(t, func() model.Learner { return NewWords(40) })
	if NewWords(41).Restore(modeltest.Set(NewWords(40), NewWords(40).State())) == nil {
		t.Error("restored a checkpoint over another vocabulary")
	}
}

// TestMeanOfReleases: the state is the mean of the releases, each over its rate, and its variance that of a mean.
func TestMeanOfReleases(t *testing.T) {
	l := NewWords(2)
	for i, steps := range [][]int64{{4, -2}, {1, 0}, {-2, 5}} {
		r := modeltest.Release{Round: uint32(i + 1), Head: modeltest.Gaussian(0.5, 1, 3, 3), Steps: steps}
		if err := modeltest.Update(l, r); err != nil {
			t.Fatal(err)
		}
	}
	for v, want := range []float64{2 * (4 + 1 - 2) / 3., 2 * (-2 + 0 + 5) / 3.} {
		if math.Abs(l.Cells[v]-want) > 1e-12 {
			t.Errorf("mean of word %d is %v, want %v", v, l.Cells[v], want)
		}
	}
	if want := (2 * 3) * (2 * 3) / 3.; math.Abs(l.Variance-want) > 1e-12 {
		t.Errorf("variance is %v, want %v", l.Variance, want)
	}
}

// TestProbabilities: without noise they are the relative counts.
func TestProbabilities(t *testing.T) {
	l := NewWords(3)
	r := modeltest.Release{Round: 1, Head: modeltest.None(1, 0.25, 1), Steps: []int64{2, 4, 10}}
	if err := modeltest.Update(l, r); err != nil {
		t.Fatal(err)
	}
	s, err := l.Model()
	if err != nil {
		t.Fatal(err)
	}
	p, err := stream.Cells[float64](modeltest.Set(l, s), "probabilities")
	if err != nil {
		t.Fatal(err)
	}
	for v, want := range []float64{2. / 16, 4. / 16, 10. / 16} {
		if math.Abs(p[v]-want) > 1e-12 {
			t.Errorf("probability of word %d is %v, want %v", v, p[v], want)
		}
	}
}

func FuzzExtreme(f *testing.F) {
	f.Add(1.0, 1.0, uint64(1), uint32(1), int64(1), int64(-1))
	f.Add(1e59, 1.0, uint64(1<<32-1), uint32(1<<31), int64(math.MaxInt64), int64(math.MinInt64))
	f.Add(5e-324, 1.0, uint64(1), uint32(3), int64(1), int64(0))
	f.Add(1e-40, 1e-3, uint64(0), uint32(3), int64(-1), int64(-9))
	f.Fuzz(func(t *testing.T, grid, rate float64, scale uint64, rounds uint32, a, b int64) {
		modeltest.Extreme(t, NewWords(7), grid, rate, scale, rounds, a, b)
	})
}
