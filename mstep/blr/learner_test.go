package blr

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"privpipe/pipelines/model"
	"privpipe/pipelines/model/modeltest"
)

func options(words int) Options {
	return Options{Words: words, A0: 1, B0: 1, Rate: model.Rate{Kappa: 1}}
}

func TestLearner(t *testing.T) {
	negative := 0.5
	for name, o := range map[string]Options{
		"default":      options(5),
		"as published": {Words: 5, A0: 1, B0: 1, Rate: model.Rate{Tau0: 1024, Kappa: 0.7}, Negative: &negative},
		"map":          {Words: 5, A0: 2, B0: 3, Rate: model.Rate{Kappa: 0}, Point: true},
	} {
		t.Run(name, func(t *testing.T) {
			modeltest.Learner(t, func() model.Learner { return New(o) })
			for other, change := range map[string]func(*Options){
				"features": func(o *Options) { o.Words++ }, "a0": func(o *Options) { o.A0++ },
				"b0": func(o *Options) { o.B0++ },
				"τ0": func(o *Options) { o.Rate.Tau0++ }, "κ": func(o *Options) { o.Rate.Kappa++ },
				"point":    func(o *Options) { o.Point = !o.Point },
				"negative": func(o *Options) { x := 0.25; o.Negative = &x },
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

// released passes sums to a learner: s1, and the triangle of s2, in steps of 1/16.
func released(t *testing.T, l *Learner, round uint32, rate float64, scale uint64, cells ...float64) {
	t.Helper()
	steps := make([]int64, len(cells))
	for i, x := range cells {
		steps[i] = int64(math.Round(x * 16))
	}
	head := modeltest.Gaussian(rate, 1./16, scale, 9)
	if scale == 0 {
		head = modeltest.None(rate, 1./16, 9)
	}
	if err := modeltest.Update(l, modeltest.Release{Round: round, Head: head, Steps: steps}); err != nil {
		t.Fatal(err)
	}
}

func near(t *testing.T, what string, got, want float64) {
	t.Helper()
	if !(math.Abs(got-want) <= 1e-8*max(1, math.Abs(want))) {
		t.Errorf("%s is %v, want %v", what, got, want)
	}
}

// TestOneFeature: for one feature all is scalar: μ = h/(α + s), α = (a0 + ½)/(b0 + ½(μ² + 1/(α + s))).
func TestOneFeature(t *testing.T) {
	for _, point := range []bool{false, true} {
		o := Options{Words: 1, A0: 2, B0: 3, Rate: model.Rate{Kappa: 1}, Point: point}
		l := New(o)
		released(t, l, 1, 0.5, 0, 4, 2)
		alpha := 1.0
		for range 500 {
			mean, variance := 8/(alpha+4), 1/(alpha+4)
			if point {
				variance = 0
			}
			alpha = 2.5 / (3 + (mean*mean+variance)/2)
		}
		near(t, "the precision", l.q.precision, alpha)
		near(t, "the mean", l.q.mean[0], 8/(alpha+4))
		second := l.q.mean[0] * l.q.mean[0]
		if !point {
			second += 1 / (alpha + 4)
		}
		near(t, "the second moment", l.q.moments[0], second)
	}
}

// TestTwin: eq. 53 and 54 by a matrix inverse, for sums without noise.
func TestTwin(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	const n = 6
	rows := mat.NewDense(9, n, nil)
	for i := range 9 {
		for j := range n {
			rows.Set(i, j, random.NormFloat64())
		}
	}
	var s2 mat.SymDense
	s2.SymOuterK(1, rows.T())
	s1 := make([]float64, n)
	for i := range s1 {
		s1[i] = 3 * random.NormFloat64()
	}
	square := make([]float64, 0, n*n)
	for i := range n {
		for j := range n {
			square = append(square, s2.At(i, j))
		}
	}
	q, err := solve(s1, square, prior{1, 1}, func(x float64) float64 { return x }, false)
	if err != nil {
		t.Fatal(err)
	}
	alpha := 1.0
	var sigma mat.Dense
	var mean mat.VecDense
	for range 300 {
		lambda := mat.DenseCopyOf(&s2)
		for i := range n {
			lambda.Set(i, i, lambda.At(i, i)+alpha)
		}
		if err := sigma.Inverse(lambda); err != nil {
			t.Fatal(err)
		}
		mean.MulVec(&sigma, mat.NewVecDense(n, s1))
		alpha = (1 + n/2.) / (1 + (mat.Dot(&mean, &mean)+mat.Trace(&sigma))/2)
	}
	near(t, "the precision", q.precision, alpha)
	for i := range n {
		near(t, "a mean", q.mean[i], mean.AtVec(i))
		for j := range n {
			near(t, "a moment", q.moments[i*n+j], sigma.At(i, j)+mean.AtVec(i)*mean.AtVec(j))
		}
	}
}

// TestAverage: the state is the plain average of the releases over their rates, or what ρ_t makes of them, where the
// first replaces 0.
func TestAverage(t *testing.T) {
	for _, c := range []struct {
		rate            model.Rate
		third, variance float64 // weight of the third release, and the sum of squared weights
	}{
		{model.Rate{Kappa: 1}, 1. / 3, 1. / 3},
		{model.Rate{}, 1, 1},
		{model.Rate{Tau0: 6, Kappa: 0.5}, 1. / 3, 0},
	} {
		o := options(2)
		o.Rate = c.rate
		l := New(o)
		for round, x := range []float64{2, 4, 8} {
			released(t, l, uint32(round+1), 0.5, 32, x, 0, 3*x, x/2, x)
		}
		second := c.rate.At(2)
		want := 2 * (((1-second)*2+second*4)*(1-c.third) + 8*c.third)
		// (32/16/0.5)²
		variance := (math.Pow((1-second)*(1-c.third), 2) + math.Pow(second*(1-c.third), 2) + c.third*c.third) * 16
		near(t, "s1", l.first[0], want)
		near(t, "s2", l.second[0], 3*want)
		near(t, "s2 below the diagonal", l.second[2], want/2)
		near(t, "the variance", l.variance, variance)
		if c.variance > 0 {
			near(t, "the variance", l.variance, 16*c.variance)
		}
	}
}

// TestRaise: eigenvalues are at least ½·τ·√(2V), or the negative ones alone are replaced, as published.
func TestRaise(t *testing.T) {
	l := New(options(8))
	l.variance = 9
	for x, want := range map[float64]float64{-50: 6, 0: 6, 5.9: 6, 6.1: 6.1, 1e6: 1e6} { // ½·3·√16 = 6
		near(t, "the eigenvalue", l.raise(x), want)
	}
	negative := 0.25
	l.o.Negative = &negative
	for x, want := range map[float64]float64{-50: 0.25, 0: 0, 5: 5} {
		near(t, "the eigenvalue", l.raise(x), want)
	}
}

// TestFloorBeforeAlpha: noise has made an eigenvalue of S2 strongly negative. The precision is computed from raised
// eigenvalues, so it does not run away, and the posterior is a distribution.
func TestFloorBeforeAlpha(t *testing.T) {
	l := New(options(2))
	released(t, l, 1, 1, 32, 1, 1, -8, 0, 3) // τ = 2, so eigenvalues are at least ½·2·√4 = 2
	alpha := l.q.precision
	near(t, "the mean", l.q.mean[0], 1/(alpha+2))
	near(t, "the mean", l.q.mean[1], 1/(alpha+3))
	near(t, "the precision", alpha, 2/(1+(math.Pow(l.q.mean[0], 2)+math.Pow(l.q.mean[1], 2)+1/(alpha+2)+1/(alpha+3))/2))
}

// TestFirst: before the first release the parameters are the prior.
func TestFirst(t *testing.T) {
	o := options(2)
	o.A0, o.B0 = 2, 8
	for point, want := range map[bool]float64{false: 4, true: 0} {
		o.Point = point
		l := New(o)
		q, err := solve(l.first, l.second, prior{o.A0, o.B0}, l.raise, point)
		if err != nil {
			t.Fatal(err)
		}
		for i, x := range l.q.moments {
			if i%3 == 0 {
				near(t, "a variance", x, want)
			}
			if !point {
				near(t, "a moment", x, q.moments[i])
			}
		}
	}
}

func FuzzExtreme(f *testing.F) {
	f.Add(1.0, 1.0, uint64(1), uint32(1), int64(1), int64(-1))
	f.Add(1e59, 1.0, uint64(1<<32-1), uint32(1<<31), int64(math.MaxInt64), int64(math.MinInt64))
	f.Add(1e59, 1.0, uint64(0), uint32(1), int64(math.MaxInt64), int64(0))
	f.Add(5e-324, 1.0, uint64(1), uint32(3), int64(1), int64(0))
	f.Add(1e-40, 1e-3, uint64(0), uint32(3), int64(-1), int64(-9))
	f.Fuzz(func(t *testing.T, grid, rate float64, scale uint64, rounds uint32, a, b int64) {
		modeltest.Extreme(t, New(options(4)), grid, rate, scale, rounds, a, b)
		negative := 0.0
		o := options(4)
		o.Negative = &negative
		modeltest.Extreme(t, New(o), grid, rate, scale, rounds, a, b)
	})
}
