package linear

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"privpipe/pipelines/model"
	"privpipe/pipelines/model/modeltest"
)

func options(words int) Options { return Options{Words: words, Precision: 1, A0: 2, B0: 1} }

func TestLearner(t *testing.T) {
	for name, o := range map[string]Options{"default": options(5),
		"map": {Words: 5, Precision: 0.5, A0: 3, B0: 2, Point: true}} {
		t.Run(name, func(t *testing.T) {
			modeltest.Learner(t, func() model.Learner { return New(o) })
			for other, change := range map[string]func(*Options){
				"features": func(o *Options) { o.Words++ }, "λ0": func(o *Options) { o.Precision++ },
				"a0": func(o *Options) { o.A0++ },
				"b0": func(o *Options) { o.B0++ }, "point": func(o *Options) { o.Point = !o.Point },
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

func near(t *testing.T, what string, got, want float64) {
	t.Helper()
	if !(math.Abs(got-want) <= 1e-9*max(1, math.Abs(want))) {
		t.Errorf("%s is %v, want %v", what, got, want)
	}
}

// data are some rows with responses, and their sums.
func data(rows, n int) (x *mat.Dense, y []float64, s *sums) {
	random := rand.New(rand.NewPCG(3, 4))
	x, y = mat.NewDense(rows, n, nil), make([]float64, rows)
	s = &New(options(n)).sums
	for i := range rows {
		y[i] = 2*random.Float64() - 1
		for j := range n {
			x.Set(i, j, random.NormFloat64())
		}
		for j := range n {
			s.xy[j] += y[i] * x.At(i, j)
			for k := range n {
				s.xx[j*n+k] += x.At(i, j) * x.At(i, k)
			}
		}
		s.yy[0] += y[i] * y[i]
		s.count[0]++
	}
	return x, y, s
}

// TestTwin: the posterior by a matrix inverse and by residuals of the rows, b = b0 + ½·(Σ(y − μᵀx)² + λ0·μᵀμ).
func TestTwin(t *testing.T) {
	const rows, n = 40, 5
	x, y, s := data(rows, n)
	o := Options{Words: n, Precision: 0.7, A0: 2.5, B0: 0.3}
	q, err := o.solve(s)
	if err != nil {
		t.Fatal(err)
	}
	var lambda, inverse mat.Dense
	lambda.Mul(x.T(), x)
	for j := range n {
		lambda.Set(j, j, lambda.At(j, j)+o.Precision)
	}
	if err := inverse.Inverse(&lambda); err != nil {
		t.Fatal(err)
	}
	var xy, mean, fitted mat.VecDense
	xy.MulVec(x.T(), mat.NewVecDense(rows, y))
	mean.MulVec(&inverse, &xy)
	fitted.MulVec(x, &mean)
	b := o.B0 + o.Precision*mat.Dot(&mean, &mean)/2
	for i := range rows {
		b += math.Pow(y[i]-fitted.AtVec(i), 2) / 2
	}
	noise := b / (o.A0 + rows/2. - 1)
	near(t, "the noise", q.noise, noise)
	for j := range n {
		near(t, "a mean", q.mean[j], mean.AtVec(j))
		for k := range n {
			near(t, "a covariance", q.covariance[j*n+k], noise*inverse.At(j, k))
		}
	}
}

// TestMode: the point mass is at the maximum of the joint density of the rows, the weights and the precision of the
// noise.
func TestMode(t *testing.T) {
	const rows, n = 12, 3
	x, y, s := data(rows, n)
	o := Options{Words: n, Precision: 0.7, A0: 2.5, B0: 0.3, Point: true}
	q, err := o.solve(s)
	if err != nil {
		t.Fatal(err)
	}
	density := func(w []float64, noise float64) float64 {
		tau, squares := 1/noise, 0.0
		for i := range rows {
			squares += math.Pow(y[i]-mat.Dot(x.RowView(i), mat.NewVecDense(n, w)), 2)
		}
		for _, v := range w {
			squares += o.Precision * v * v
		}
		return (o.A0-1+(rows+n)/2.)*math.Log(tau) - tau*(o.B0+squares/2)
	}
	best := density(q.mean, q.noise)
	for i := range n {
		for _, by := range []float64{-1e-3, 1e-3} {
			w := append([]float64(nil), q.mean...)
			w[i] += by
			if density(w, q.noise) >= best || density(q.mean, q.noise*(1+by)) >= best {
				t.Errorf("the density is larger beside the mode %v, %v", q.mean, q.noise)
			}
		}
	}
	for _, c := range q.covariance {
		if c != 0 {
			t.Fatalf("a point mass has the covariance %v", q.covariance)
		}
	}
}

// TestNoise: what noise made impossible is set to the nearest number that is not.
func TestNoise(t *testing.T) {
	s := &sums{xy: []float64{6, 4}, xx: []float64{-50, 0, 0, 7}, yy: []float64{-3}, count: []float64{-9}, xxVariance: 4,
		yyVariance: 25}
	q, err := options(2).solve(s)
	if err != nil {
		t.Fatal(err)
	}
	// Eigenvalues are at least ½·2·√4 = 2, the residual 5 and N 0, so a = 2 and b = 3.5.
	near(t, "the noise", q.noise, 3.5)
	near(t, "a mean", q.mean[0], 2)
	near(t, "a mean", q.mean[1], 0.5)
	near(t, "a variance", q.covariance[0], 3.5/3)
	near(t, "a variance", q.covariance[3], 3.5/8)
}

// TestAverage: rounds are averaged, each over its rate, and so is their noise.
func TestAverage(t *testing.T) {
	l := New(options(1))
	for i, steps := range [][]int64{{4, 8, 12, 20}, {0, 2, 6, 4}, {-1, 2, 0, 0}} {
		r := modeltest.Release{Round: uint32(i + 1), Head: modeltest.Gaussian(0.5, 1, 3, 3), Steps: steps}
		if err := modeltest.Update(l, r); err != nil {
			t.Fatal(err)
		}
	}
	s := l.sums
	for what, c := range map[string][2]float64{
		"xy": {s.xy[0], 2}, "xx": {s.xx[0], 8}, "yy": {s.yy[0], 12}, "count": {s.count[0], 16},
		"the variance of xx": {s.xxVariance, 12}, "the variance of yy": {s.yyVariance, 12}, // (3/0.5)²/3
	} {
		near(t, what, c[0], c[1])
	}
}

func FuzzExtreme(f *testing.F) {
	f.Add(1.0, 1.0, uint64(1), uint32(1), int64(1), int64(-1))
	f.Add(1e59, 1.0, uint64(1<<32-1), uint32(1<<31), int64(math.MaxInt64), int64(math.MinInt64))
	f.Add(1e59, 1.0, uint64(0), uint32(1), int64(math.MaxInt64), int64(0))
	f.Add(5e-324, 1.0, uint64(1), uint32(3), int64(1), int64(0))
	f.Fuzz(func(t *testing.T, grid, rate float64, scale uint64, rounds uint32, a, b int64) {
		for _, point := range []bool{false, true} {
			o := options(4)
			o.Point = point
			modeltest.Extreme(t, New(o), grid, rate, scale, rounds, a, b)
		}
	})
}
