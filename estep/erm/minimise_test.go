package erm

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"privpipe/pipelines/wire"
	"privpipe/pipelines/wire/stream"
)

// small are eight rows over four features, with their classes. One row is empty.
var small = []struct {
	x        []float32
	positive bool
}{
	{[]float32{.6, 0, -.3, .2}, true}, {[]float32{-.5, .5, .5, 0}, false}, {[]float32{.1, .9, 0, -.4}, true},
	{[]float32{0, 0, .7, .7}, true},
	{[]float32{-.8, .1, .2, .3}, false}, {[]float32{.3, -.6, 0, .6}, false}, {nil, true},
	{[]float32{.2, .2, -.2, .9}, false},
}

// document returns a row without its zeros. Its name has MARKER in it, which no message may quote.
func document(id int, positive bool, x ...float32) *wire.Document {
	d := &wire.Document{Id: fmt.Sprint("MARKER ", id), Label: map[bool]string{true: "yes", false: "no"}[positive]}
	var ids []uint32
	for i, v := range x {
		if v != 0 {
			ids, d.Values = append(ids, uint32(i)), stream.AppendCells(d.Values, []float32{v})
		}
	}
	d.WordGaps = wire.AppendGaps(nil, ids)
	return d
}

func smallRows(t *testing.T) *rows {
	t.Helper()
	r := &rows{norm: 1, features: 4}
	for i, row := range small {
		if err := r.add(document(i, row.positive, row.x...), row.positive); err != nil {
			t.Fatal(err)
		}
	}
	return r
}

// TestMinimiser compares with minimisers by SciPy 1.x's trust-exact, which testdata/minimisers.py makes.
func TestMinimiser(t *testing.T) {
	for _, c := range []struct {
		lambda, tolerance float64
		tilt, want        []float64
	}{
		{1e-3, 1e-6, []float64{0, 0, 0, 0},
			[]float64{9.474558479128598, 2.0876037892278134, 5.632695017367739, -4.230915256433093}},
		{.05, 1e-6, []float64{.3, -.2, .1, .4},
			[]float64{-2.5939675587144166, 2.848395674226972, -2.2205826633047123, -6.217057214197509}},
		{1e-6, 1e-4, []float64{.001, .02, 0, -.01},
			[]float64{98.75407350557857, -57.34041965653271, 115.07321748661248, -109.9751601979051}},
		{10, 1e-6, []float64{5, -5, 0, 1},
			[]float64{-0.4878893693058924, 0.5013817201861535, -0.0018165353517790883, -0.10639682976046941}},
	} {
		w, err := (&objective{rows: smallRows(t), lambda: c.lambda, tilt: c.tilt}).minimise()
		if err != nil {
			t.Fatal(err)
		}
		for i := range w {
			// SciPy reads .1, and a row holds the nearest FLOAT32.
			if math.Abs(w[i]-c.want[i]) > c.tolerance*(1+norm(c.want)) {
				t.Errorf("λ %v: weights %v, want %v", c.lambda, w, c.want)
			}
		}
	}
}

// TestGradientIsZero works out the gradient from its definition, in other words than the code, for easy and for hard
// objectives.
func TestGradientIsZero(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, c := range []struct {
		n, d         int
		lambda, tilt float64
	}{
		{300, 12, 1e-3, 0}, {300, 12, 1e-7, 1e-3}, {300, 12, 1e-12, 0}, {5, 40, 1e-5, .1}, {1000, 3, 1e3, 1e6},
		{200, 10, 1e-5, 1e6}, {1, 1, 1e-9, 0},
	} {
		r := &rows{norm: 1, features: c.d}
		for i := range c.n {
			x := make([]float32, c.d)
			for j := range x {
				if random.IntN(3) > 0 {
					x[j] = float32(random.NormFloat64())
				}
			}
			// Classes at random: some 40 % of rows lie on the wrong side of any plane, so that the minimiser is finite
			// without λ, too.
			if err := r.add(document(i, true, x...), random.IntN(2) == 0); err != nil {
				t.Fatal(err)
			}
		}
		tilt := make([]float64, c.d)
		for j := range tilt {
			tilt[j] = c.tilt * random.NormFloat64()
		}
		w, err := (&objective{rows: r, lambda: c.lambda, tilt: tilt}).minimise()
		if err != nil {
			t.Fatalf("%+v: %v", c, err)
		}
		square := 0.0
		for j := range c.d {
			slope := tilt[j] + c.lambda*w[j]
			r.each(func(_ int, ids []uint32, x []float64) {
				z, own := 0.0, 0.0
				for k, id := range ids {
					z += x[k] * w[id]
					if id == uint32(j) {
						own = x[k]
					}
				}
				slope -= own / (1 + math.Exp(z)) / float64(c.n)
			})
			square += slope * slope
		}
		if got := math.Sqrt(square); got > 1e-9*max(1, norm(tilt)) {
			t.Errorf("%+v: the gradient is %v at the result", c, got)
		}
	}
}

// TestNotFound: an objective whose minimiser is no number of binary64 is refused.
func TestNotFound(t *testing.T) {
	if w, err := (&objective{rows: smallRows(t), lambda: 1e-300,
		tilt: []float64{1e10, 0, 0, 0}}).minimise(); err == nil {
		t.Errorf("weights %v", w)
	}
}
