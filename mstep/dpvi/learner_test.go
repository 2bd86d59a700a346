package dpvi

import (
	"math"
	"slices"
	"testing"

	"privpipe/pipelines/model"
	"privpipe/pipelines/model/families"
	"privpipe/pipelines/model/modeltest"
)

var options = Options{Words: 3, Prior: 2, Deviation: 0.5, Rate: 0.2, Seed: 1 << 40}

func TestLearner(t *testing.T) {
	modeltest.Learner(t, func() model.Learner { return New(options) })
	for other, change := range map[string]func(*Options){
		"features": func(o *Options) { o.Words++ }, "prior": func(o *Options) { o.Prior++ },
		"deviation": func(o *Options) { o.Deviation++ },
		"rate":      func(o *Options) { o.Rate++ }, "seed": func(o *Options) { o.Seed++ },
		"high seed": func(o *Options) { o.Seed <<= 1 },
	} {
		l, o := New(options), options
		change(&o)
		if New(o).Restore(modeltest.Set(l, l.State())) == nil {
			t.Errorf("restored a checkpoint with another %s", other)
		}
	}
}

// TestStep: the first step has the length of the rate along the sign of the gradient, the second is Adagrad's, with the
// gradients of prior and entropy: −μ/4 and 1 − d²/4.
func TestStep(t *testing.T) {
	l := New(options)
	release := func(round uint32, steps ...int64) {
		t.Helper()
		if err := modeltest.Update(l,
			modeltest.Release{Round: round, Head: modeltest.None(0.5, 0.5, 2), Steps: steps}); err != nil {
			t.Fatal(err)
		}
	}
	near := func(what string, got, want float64) {
		t.Helper()
		if math.Abs(got-want) > 1e-12 {
			t.Errorf("%s is %v, want %v", what, got, want)
		}
	}
	release(1, 7, -3, 0, 2, -9, 0) // sums are equal to the steps: 0.5/0.5
	logs := math.Log(0.5)
	for i, want := range []float64{0.2, -0.2, 0, logs + 0.2, logs - 0.2, logs + 0.2} {
		near("q", l.q[i], want)
	}
	release(2, 1, 0, 0, 0, 0, 0)
	g := 1 - 0.2/4
	near("the mean", l.q[0], 0.2+0.2*g/math.Sqrt(49+g*g))
	g = 0.2 / 4
	near("the mean", l.q[1], -0.2+0.2*g/math.Sqrt(9+g*g))
	before, now := 2+1-0.25/4, 1-math.Exp(2*(logs+0.2))/4
	near("the log deviation", l.q[3], logs+0.2+0.2*now/math.Sqrt(before*before+now*now))
}

// TestDraws: the draw is of the round and the seed, and standard normal.
func TestDraws(t *testing.T) {
	draw := func(seed uint64, round uint32) []float64 {
		l := New(Options{Words: 20000, Prior: 1, Deviation: 1, Rate: 1, Seed: seed})
		l.round = round
		cells, err := families.Draw.Of(modeltest.Set(l, l.Parameters()), l.Size())
		if err != nil {
			t.Fatal(err)
		}
		return cells
	}
	e := draw(1, 1)
	if !slices.Equal(e, draw(1, 1)) || slices.Equal(e, draw(1, 2)) || slices.Equal(e, draw(2, 1)) {
		t.Error("draws are not those of their round and seed")
	}
	sum, square := 0.0, 0.0
	for _, x := range e {
		sum += x
		square += x * x
	}
	if n := float64(len(e)); math.Abs(sum/n) > 5/math.Sqrt(n) || math.Abs(square/n-1) > 5*math.Sqrt(2/n) {
		t.Errorf("mean %v and square %v of draws", sum/n, square/n)
	}
}

func FuzzExtreme(f *testing.F) {
	f.Add(1.0, 1.0, uint64(1), uint32(1), int64(1), int64(-1))
	f.Add(1e59, 1.0, uint64(1<<32-1), uint32(1<<31), int64(math.MaxInt64), int64(math.MinInt64))
	f.Add(5e-324, 1.0, uint64(1), uint32(3), int64(1), int64(0))
	f.Fuzz(func(t *testing.T, grid, rate float64, scale uint64, rounds uint32, a, b int64) {
		modeltest.Extreme(t, New(options), grid, rate, scale, rounds, a, b)
	})
}
