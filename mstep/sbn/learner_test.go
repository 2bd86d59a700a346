package sbn

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"privpipe/pipelines/model"
	"privpipe/pipelines/model/families"
	"privpipe/pipelines/model/modeltest"
	"privpipe/pipelines/wire"
)

func options(pixels, hidden int) Options {
	return Options{Size: model.Size{Words: pixels, Components: hidden}, NuB: 4, NuC: 9, Rate: model.Rate{Kappa: 1},
		Seed: 1}
}

func TestLearner(t *testing.T) {
	public, mode := options(5, 3), options(4, 1)
	public.Images, public.Rate = 60, model.Rate{Tau0: 1024, Kappa: 0.7}
	mode.Point = true
	for name, o := range map[string]Options{"counted": options(5, 3), "public number": public, "map": mode} {
		t.Run(name, func(t *testing.T) {
			modeltest.Learner(t, func() model.Learner { return New(o) })
			for other, change := range map[string]func(*Options){
				"pixels": func(o *Options) { o.Size.Words++ }, "hidden": func(o *Options) { o.Size.Components++ },
				"images": func(o *Options) { o.Images += 7 }, "νb": func(o *Options) { o.NuB++ },
				"νc": func(o *Options) { o.NuC++ },
				"τ0": func(o *Options) { o.Rate.Tau0++ }, "κ": func(o *Options) { o.Rate.Kappa++ },
				"point": func(o *Options) { o.Point = !o.Point },
				"seed":  func(o *Options) { o.Seed++ }, "high seed": func(o *Options) { o.Seed += 1 << 40 },
			} {
				l := New(o)
				another := o
				change(&another)
				if New(another).Restore(modeltest.Set(l, l.State())) == nil {
					t.Errorf("restored a checkpoint with another %s", other)
				}
			}
		})
	}
}

// TestSeed: the first weights differ by the seed, and are near 0.
func TestSeed(t *testing.T) {
	o := options(50, 40)
	one, again := New(o), New(o)
	o.Seed = 2
	two := New(o)
	if !slices.Equal(one.q.weights, again.q.weights) || slices.Equal(one.q.weights, two.q.weights) {
		t.Error("the first weights are not those of the seed")
	}
	square := 0.0
	for _, w := range one.q.weights {
		square += w * w
	}
	if d := math.Sqrt(square / float64(len(one.q.weights))); math.Abs(d-initial) > initial/10 {
		t.Errorf("the deviation of the first weights is %v, want %v", d, initial)
	}
}

// release passes sums of all statistics to a learner, in the order of a stream and in steps of 2⁻¹⁰.
func release(t *testing.T, l *Learner, round uint32, head func(step float64) *wire.Release, cells []float64) {
	t.Helper()
	const step = 1. / 1024
	steps := make([]int64, len(cells))
	for i, x := range cells {
		steps[i] = int64(math.Round(x / step))
	}
	if err := modeltest.Update(l, modeltest.Release{Round: round, Head: head(step), Steps: steps}); err != nil {
		t.Fatal(err)
	}
}

func quiet(rate float64) func(float64) *wire.Release {
	return func(step float64) *wire.Release { return modeltest.None(rate, step, 9) }
}

// noisy adds noise of deviation τ to each cell.
func noisy(rate, deviation float64) func(float64) *wire.Release {
	return func(step float64) *wire.Release {
		return modeltest.Gaussian(rate, step, uint64(math.Round(deviation/step)), 9)
	}
}

// images returns the statistics of random images, summed: a matrix of Σ ξ·z·zᵀ is positive semidefinite for each pixel.
func images(r *rand.Rand, pixels, hidden, n int) []float64 {
	var sum []float64
	for range n {
		z, y, xi := make([]float64, hidden), make([]float64, pixels), make([]float64, pixels)
		for k := range z {
			z[k] = r.Float64()
		}
		for j := range y {
			y[j], xi[j] = float64(r.IntN(2)), r.Float64()/4
		}
		cells := slices.Concat(z, y, xi)
		for _, f := range [][]float64{xi, y} {
			for j := range pixels {
				for k := range z {
					cells = append(cells, f[j]*z[k])
				}
			}
		}
		for j := range pixels {
			for k := range z {
				for l := k; l < hidden; l++ {
					if k == l {
						cells = append(cells, xi[j]*z[k])
					} else {
						cells = append(cells, xi[j]*z[k]*z[l])
					}
				}
			}
		}
		cells = append(cells, 1)
		if sum == nil {
			sum = make([]float64, len(cells))
		}
		for i, x := range cells {
			sum[i] += math.Round(x*1024) / 1024 // on the grid of release
		}
	}
	return sum
}

func near(t *testing.T, what string, got, want float64) {
	t.Helper()
	if !(math.Abs(got-want) <= 1e-7*max(1, math.Abs(want))) {
		t.Errorf("%s is %v, want %v", what, got, want)
	}
}

// A twin is the M-step of specification.md §3.4 with matrices that are inverted, W as J × K, and sums by their names.
type twin struct {
	j, k                       int
	w, square, inverseZeta, xi *mat.Dense
	b, squareB, c, phi         []float64
	omega                      float64
}

func twinOf(l *Learner) *twin {
	j, k := l.o.Size.Words, l.o.Size.Components
	transposed := func(x []float64) *mat.Dense { return mat.DenseCopyOf(mat.NewDense(k, j, slices.Clone(x)).T()) }
	return &twin{
		j: j, k: k, w: transposed(l.q.weights), square: transposed(l.q.squares),
		inverseZeta: transposed(l.q.precisions), xi: transposed(l.q.rates),
		b: slices.Clone(l.q.hidden), squareB: slices.Clone(l.q.hiddenSquares), c: slices.Clone(l.q.visible),
		phi: slices.Clone(l.q.scales), omega: l.q.top,
	}
}

// gigMoment returns E[x^p] of GIG(0, a, b) by the trapezoidal rule in log x.
func gigMoment(a, b, p float64) float64 {
	top, bottom := 0.0, 0.0
	for u := -60.; u < 60; u += 0.02 {
		density := math.Exp(-(a*math.Exp(u) + b*math.Exp(-u)) / 2)
		bottom += density
		top += density * math.Exp(p*u)
	}
	return top / bottom
}

func (w *twin) update(s map[string][]float64, n, nuB, nuC float64) {
	for j := range w.j {
		lambda := mat.NewDense(w.k, w.k, nil)
		at := j * w.k * (w.k + 1) / 2
		for k := range w.k {
			for l := k; l < w.k; l++ {
				lambda.Set(k, l, s[families.GZZ][at])
				lambda.Set(l, k, s[families.GZZ][at])
				at++
			}
		}
		h := mat.NewVecDense(w.k, nil)
		for k := range w.k {
			lambda.Set(k, k, lambda.At(k, k)+w.inverseZeta.At(j, k))
			h.SetVec(k, s[families.YZ][j*w.k+k]-s[families.Z][k]/2-w.c[j]*s[families.GZ][j*w.k+k])
		}
		var sigma mat.Dense
		if err := sigma.Inverse(lambda); err != nil {
			panic(err)
		}
		var mu mat.VecDense
		mu.MulVec(&sigma, h)
		for k := range w.k {
			w.w.Set(j, k, mu.AtVec(k))
			w.square.Set(j, k, mu.AtVec(k)*mu.AtVec(k)+sigma.At(k, k))
		}
	}
	for k := range w.k {
		c := math.Sqrt(w.squareB[k])
		xi := 0.25
		if c > 0 {
			xi = math.Tanh(c/2) / (2 * c)
		}
		variance := 1 / (1/nuB + n*xi)
		w.b[k] = variance * (s[families.Z][k] - n/2)
		w.squareB[k] = w.b[k]*w.b[k] + variance
	}
	for j := range w.j {
		h := s[families.Y][j] - n/2
		for k := range w.k {
			h -= s[families.GZ][j*w.k+k] * w.w.At(j, k)
		}
		w.c[j] = h / (1/nuC + s[families.G][j])
	}
	zeta := mat.NewDense(w.j, w.k, nil)
	for j := range w.j {
		for k := range w.k {
			a, b := 2*w.xi.At(j, k), w.square.At(j, k)
			zeta.Set(j, k, gigMoment(a, b, 1))
			w.inverseZeta.Set(j, k, gigMoment(a, b, -1))
		}
	}
	for j := range w.j {
		for k := range w.k {
			w.xi.Set(j, k, 1/(zeta.At(j, k)+w.phi[k]))
		}
	}
	phi := 0.0
	for k := range w.k {
		sum := 0.0
		for j := range w.j {
			sum += w.xi.At(j, k)
		}
		w.phi[k] = (float64(w.j)/2 + 0.5) / (w.omega + sum)
		phi += w.phi[k]
	}
	w.omega = (float64(w.k)/2 + 0.5) / (1 + phi)
}

// split returns the cells of each statistic.
func split(l *Learner, cells []float64) map[string][]float64 {
	s := make(map[string][]float64)
	for _, m := range l.Family().Statistics(l.o.Size) {
		s[m.Name], cells = cells[:m.Cells()], cells[m.Cells():]
	}
	return s
}

// TestTwin: three rounds of exact sums, which the learner averages.
func TestTwin(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	const pixels, hidden, n = 4, 3, 30
	for _, public := range []bool{false, true} {
		o := options(pixels, hidden)
		if public {
			o.Images = n
		}
		l := New(o)
		w := twinOf(l)
		var mean []float64
		for round := range 3 {
			cells := images(r, pixels, hidden, n)
			if mean == nil {
				mean = make([]float64, len(cells))
			}
			for i, x := range cells {
				mean[i] += (x/0.5 - mean[i]) / float64(round+1)
			}
			images := float64(n)
			if public {
				cells = cells[:len(cells)-1]
			} else {
				images /= 0.5
			}
			release(t, l, uint32(round+1), quiet(0.5), cells)
			w.update(split(l, mean), images, o.NuB, o.NuC)
			for k := range hidden {
				for j := range pixels {
					at := k*pixels + j
					near(t, "a weight", l.q.weights[at], w.w.At(j, k))
					near(t, "a square", l.q.squares[at], w.square.At(j, k))
					near(t, "1/ζ", l.q.precisions[at], w.inverseZeta.At(j, k))
					near(t, "ξ", l.q.rates[at], w.xi.At(j, k))
				}
				near(t, "b", l.q.hidden[k], w.b[k])
				near(t, "φ", l.q.scales[k], w.phi[k])
			}
			for j := range pixels {
				near(t, "c", l.q.visible[j], w.c[j])
			}
			near(t, "ω", l.q.top, w.omega)
			if t.Failed() {
				t.FailNow()
			}
		}
	}
}

// TestInitial: the first values of the prior are those of the specification, whatever the data.
func TestInitial(t *testing.T) {
	q := New(options(2, 3)).q
	if q.top != 0.5 || slices.ContainsFunc(q.scales, func(x float64) bool { return x != 1 }) ||
		slices.ContainsFunc(q.rates, func(x float64) bool { return x != 0.5 }) {
		t.Errorf("the initial values are ω = %v, φ = %v, ξ = %v", q.top, q.scales, q.rates)
	}
	near(t, "1/ζ", q.precisions[0], gigMoment(1, initial*initial, -1))
}

// TestInverseGaussian: the moments are those of the density, by an integral.
func TestInverseGaussian(t *testing.T) {
	for _, c := range []struct{ a, b float64 }{{1, 1}, {1e-3, 2}, {40, 0.01}, {3, 900}, {1e-4, 1e-4}} {
		mean, inverse := inverseGaussian(c.a, c.b)
		near(t, "E[x]", mean, gigMoment(c.a, c.b, 1))
		near(t, "E[1/x]", inverse, gigMoment(c.a, c.b, -1))
	}
}

// TestPoint: with point masses there is no variance: W solves the same equations, and E[W²] = E[W]².
func TestPoint(t *testing.T) {
	o := options(3, 2)
	cells := images(rand.New(rand.NewPCG(5, 6)), 3, 2, 20)
	bayes := New(o)
	o.Point = true
	point := New(o)
	release(t, bayes, 1, quiet(1), cells)
	release(t, point, 1, quiet(1), cells)
	for i, w := range point.q.weights {
		near(t, "a weight", w, bayes.q.weights[i])
		near(t, "a square", point.q.squares[i], w*w)
		if !(bayes.q.squares[i] > w*w+1e-6) {
			t.Errorf("a square is %v, of the weight %v", bayes.q.squares[i], w)
		}
	}
	for k, b := range point.q.hidden {
		near(t, "the square of b", point.q.hiddenSquares[k], b*b)
	}
}

// TestAverage: the average of the releases over their rates, or what ρ_t makes of them, where the first replaces 0; and
// its variance.
func TestAverage(t *testing.T) {
	for _, c := range []struct {
		rate  model.Rate
		third float64 // weight of the third release
	}{{model.Rate{Kappa: 1}, 1. / 3}, {model.Rate{}, 1}, {model.Rate{Tau0: 6, Kappa: 0.5}, 1. / 3}} {
		o := options(2, 2)
		o.Rate = c.rate
		l := New(o)
		cells := make([]float64, 2+2+2+4+4+6+1)
		for i := range cells {
			cells[i] = float64(i)
		}
		for round := range 3 {
			for i := range cells {
				cells[i] *= 2
			}
			release(t, l, uint32(round+1), noisy(0.5, 4), cells)
		}
		second := c.rate.At(2)
		weights := []float64{(1 - second) * (1 - c.third), second * (1 - c.third), c.third}
		near(t, "count", l.averages[families.Count][0], 20*2*(weights[0]*2+weights[1]*4+weights[2]*8))
		near(t, "gzz", l.averages[families.GZZ][5], 19./20*l.averages[families.Count][0])
		variance := 64 * (weights[0]*weights[0] + weights[1]*weights[1] + weights[2]*weights[2]) // (4/0.5)²
		near(t, "the variance of g", l.varianceG, variance)
		near(t, "the variance of gzz", l.varianceGZZ, variance)
		near(t, "the floor of g", l.sums().floorG, math.Sqrt(variance))
		near(t, "the floor of eigenvalues", l.sums().floorGZZ, 2*math.Sqrt(2*variance))
	}
}

// TestFloorIsNoise: 2τ·√K is the largest eigenvalue of noise in the triangle, within a seventh.
func TestFloorIsNoise(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 9))
	const k = 60
	noise := make([]float64, k*(k+1)/2)
	for i := range noise {
		noise[i] = 3 * r.NormFloat64()
	}
	full, _ := project(k, noise, -1e9)
	var eigen mat.EigenSym
	eigen.Factorize(full, false)
	l := New(options(1, k))
	l.varianceGZZ = 9
	if floor, most := l.sums().floorGZZ, eigen.Values(nil)[k-1]; math.Abs(most/floor-1) > 0.15 {
		t.Errorf("the largest eigenvalue of noise is %v, the floor %v", most, floor)
	}
}

// TestProject: eigenvalues below the floor become it, others and all vectors stay; without noise negative ones become
// about 0.
func TestProject(t *testing.T) {
	// Eigenvalues 5 and −1, of (1, 1) and (1, −1).
	for floor, want := range map[float64][2]float64{0: {2.5, 2.5}, 2: {3.5, 1.5}, 7: {7, 0}} {
		got, ok := project(2, []float64{2, 3, 2}, floor)
		if !ok || math.Abs(got.At(0, 0)-want[0]) > 1e-9 || math.Abs(got.At(0, 1)-want[1]) > 1e-9 ||
			math.Abs(got.At(1, 1)-want[0]) > 1e-9 {
			t.Errorf("floor %v gives %v, %v, want %v", floor, got.At(0, 0), got.At(0, 1), want)
		}
	}
}

// TestNoisyReleases: strongly negative noise, with which the equations have no solution, gives weights near 0 and
// biases of the right sign.
func TestNoisyReleases(t *testing.T) {
	l := New(options(2, 2))
	cells := slices.Repeat([]float64{-50}, 17+4)
	cells[2], cells[3], cells[len(cells)-1] = 90, 5, 100 // y of 100 images
	release(t, l, 1, noisy(1, 40), cells)
	if !(l.q.visible[0] > 0 && l.q.visible[1] < 0) {
		t.Errorf("the biases of pixels are %v", l.q.visible)
	}
	for _, w := range l.q.weights {
		if math.Abs(w) > 1.5 {
			t.Errorf("a weight is %v", w)
		}
	}
	// A number of images that is negative by noise counts as 1.
	cells[len(cells)-1] = -30
	l = New(options(2, 2))
	release(t, l, 1, noisy(1, 40), cells)
	near(t, "the number of images", l.sums().images, 1)
}

func FuzzExtreme(f *testing.F) {
	f.Add(1.0, 1.0, uint64(1), uint32(1), int64(1), int64(-1))
	f.Add(1e59, 1.0, uint64(1<<32-1), uint32(1<<31), int64(math.MaxInt64), int64(math.MinInt64))
	f.Add(1e59, 1.0, uint64(0), uint32(1), int64(math.MaxInt64), int64(0))
	f.Add(5e-324, 1.0, uint64(1), uint32(3), int64(1), int64(0))
	f.Add(1e-40, 1e-3, uint64(0), uint32(3), int64(-1), int64(-9))
	f.Fuzz(func(t *testing.T, grid, rate float64, scale uint64, rounds uint32, a, b int64) {
		modeltest.Extreme(t, New(options(4, 3)), grid, rate, scale, rounds, a, b)
		o := options(4, 3)
		o.Point = true
		modeltest.Extreme(t, New(o), grid, rate, scale, rounds, a, b)
	})
}
