package clusters

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat/distuv"

	"privpipe/pipelines/model"
	"privpipe/pipelines/model/modeltest"
)

func options(diagonal bool) Options {
	return Options{Size: model.Size{Words: 8, Components: 4}, Diagonal: diagonal, Rate: model.Rate{Kappa: 0.6}, Seed: 3}
}

func fresh(diagonal bool) func() model.Learner {
	return func() model.Learner {
		o := options(diagonal)
		return New(o, directions(o.Size, o.Seed))
	}
}

func TestLearner(t *testing.T) {
	t.Run("spherical", func(t *testing.T) { modeltest.Learner(t, fresh(false)) })
	t.Run("diagonal", func(t *testing.T) { modeltest.Learner(t, fresh(true)) })
}

// TestExactMeans: without noise the estimate has maximum likelihood: π = n/N, μ = S/n, and one variance, the mean
// squared distance of unit vectors from their means over the dimensions.
func TestExactMeans(t *testing.T) {
	s := sums{counts: []float64{3, 1}, sums: []float64{1.5, 1.5, 0, 0.8}, clusters: 2, dimensions: 2}
	q := s.estimate(ones(2))
	within := 1 - (0.75*0.5 + 0.25*0.64)
	for name, pair := range map[string][2][]float64{
		"weights": {q.weights, {0.75, 0.25}}, "means": {q.means, {0.5, 0.5, 0, 0.8}},
		"variances": {q.variances, {within / 2, within / 2, within / 2, within / 2}},
	} {
		if !floats.EqualApprox(pair[0], pair[1], 1e-12) {
			t.Errorf("%s are %v, want %v", name, pair[0], pair[1])
		}
	}
}

// TestExactVariances: without noise a diagonal mixture has the variances S₂/n − μ², within a tenth and ten times of the
// common one.
func TestExactVariances(t *testing.T) {
	s := sums{counts: []float64{2, 2}, sums: []float64{1, 0, 0, 1}, squares: []float64{0.9, 0.3, 0, 0.52},
		clusters: 2, dimensions: 2}
	common := (1 - 0.25) / 2.
	want := []float64{0.45 - 0.25, 0.15, common / 10, common / 10}
	if q := s.estimate(ones(2)); !floats.EqualApprox(q.variances, want, 1e-12) {
		t.Errorf("variances are %v, want %v", q.variances, want)
	}
}

// TestSpread: expectation maximization finds the c of deviations with known noise, in other scales in each dimension.
// Of 40,000 numbers the estimate has a relative deviation of √(2/40000)·(c·e+s²)/(c·e), below .025; the seed is fixed.
func TestSpread(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	for _, want := range []float64{0.5, 2, 10} {
		noise := []float64{0, 0.5, 1, 0.1}
		const v = 10000
		deviations, scales := make([]float64, len(noise)*v), ones(v)
		for i := range deviations {
			scales[i%v] = 0.5 + float64(i%v%3)
			deviations[i] = math.Sqrt(want*scales[i%v]+noise[i/v]) * random.NormFloat64()
		}
		if got := spread(deviations, noise, scales); math.Abs(got-want) > 0.05*want {
			t.Errorf("c is %v, want %v", got, want)
		}
	}
	if got := spread(make([]float64, 8), []float64{1, 1}, ones(4)); got != 0 {
		t.Errorf("of no deviations c is %v", got)
	}
}

// TestShrinkage: the mean of a cluster that is mostly noise is near the mean of all, and means of large ones are where
// they were seen.
func TestShrinkage(t *testing.T) {
	s := sums{counts: []float64{1000, 1000, 10}, sums: []float64{500, 0, -500, 0, -1, 30}, sumsNoise: 400,
		countsNoise: 400, clusters: 3, dimensions: 2}
	q, mean := s.estimate(ones(2)), s.overall()
	if math.Abs(q.means[0]-0.5) > 0.01 || math.Abs(q.means[2]+0.5) > 0.01 ||
		math.Abs(q.means[5]-mean[1]) > 0.2*math.Abs(30./20-mean[1]) {
		t.Errorf("means are %v around %v", q.means, mean)
	}
}

// TestSplit: a cluster next to nothing takes half of the largest one. The sums keep their total, and follow the means.
func TestSplit(t *testing.T) {
	s := sums{counts: []float64{90, 1, 9}, sums: []float64{45, 0, 0, 1, 0, 8}, clusters: 3, dimensions: 2}
	q := s.estimate(ones(2))
	total := s.overall()
	s.split(q, ones(2), 1, 2)
	if s.counts[0] != 45 || s.counts[1] != 45 || s.counts[2] != 9 {
		t.Errorf("counts are %v", s.counts)
	}
	for d := range 2 {
		middle := []float64{0.5, 0}[d]
		if math.Abs(s.sums[d]-45*q.means[d]) > 1e-12 || math.Abs(q.means[d]+q.means[2+d]-2*middle) > 1e-12 {
			t.Errorf("means are %v, sums %v", q.means, s.sums)
		}
	}
	if q.means[0] == q.means[2] || math.Abs(s.overall()[0]-total[0]) > 0.01 {
		t.Errorf("means are %v, all have %v, had %v", q.means, s.overall(), total)
	}
}

// TestNotSplit: no cluster is split where all are next to nothing beside the noise.
func TestNotSplit(t *testing.T) {
	s := sums{counts: []float64{30, 1, 9}, sums: make([]float64, 6), countsNoise: 400, clusters: 3, dimensions: 2}
	s.split(s.estimate(ones(2)), ones(2), 1, 2)
	if s.counts[0] != 30 {
		t.Errorf("counts are %v", s.counts)
	}
}

// TestLastRounds: a cluster that stays empty is split in each round but the last two.
func TestLastRounds(t *testing.T) {
	size := model.Size{Words: 2, Components: 3}
	l := New(Options{Size: size, Seed: 1}, directions(size, 1)) // κ = 0: only the newest release counts
	for round := range uint32(5) {
		r := modeltest.Release{Round: round + 1, Head: modeltest.None(1, 1, 5),
			Steps: []int64{90, 0, 9, 45, 0, 0, 0, 0, 8}}
		if err := modeltest.Update(l, r); err != nil {
			t.Fatal(err)
		}
		if want := map[bool]float64{true: 45}[round < 3]; l.sums.counts[1] != want {
			t.Errorf("after round %d of 5 the empty cluster counts %v, want %v", round+1, l.sums.counts[1], want)
		}
	}
}

// TestMostByNoise: of dimensions that are noise alone, more than so many are far from 0 with a probability of .01 to
// .07. That of a normal number above two deviations is .023, and here are whole numbers.
func TestMostByNoise(t *testing.T) {
	for v, want := range map[int]int{1: 0, 3: 0, 100: 8, 384: 25, 768: 46} {
		got := mostByNoise(v)
		beyond := 1 - distuv.Binomial{N: float64(v), P: math.Erfc(math.Sqrt2)}.CDF(float64(got))
		if got != want || v > 3 && (beyond < 0.01 || beyond > 0.07) {
			t.Errorf("of %d dimensions %d, with %v beyond", v, got, beyond)
		}
	}
}

// TestKMeans: k-means finds groups that are far apart, from any seed.
func TestKMeans(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 8))
	centres := [][]float64{{1, 0, 0}, {0, 1, 0}, {0, 0, -1}}
	var vectors [][]float64
	for i := range 300 {
		x := make([]float64, 3)
		for d := range x {
			x[d] = centres[i%3][d] + 0.01*random.NormFloat64()
		}
		vectors = append(vectors, x)
	}
	for seed := range uint64(20) {
		means := kMeans(vectors, 3, seed)
		for _, c := range centres {
			near := false
			for k := range 3 {
				near = near || floats.Distance(means[3*k:3*k+3], c, 2) < 0.01
			}
			if !near {
				t.Errorf("seed %d: no mean near %v: %v", seed, c, means)
			}
		}
	}
}

// TestKMeansOfEquals: equal vectors leave clusters without one, and no number is undefined.
func TestKMeansOfEquals(t *testing.T) {
	vectors := [][]float64{{0.5, 0.5}, {0.5, 0.5}, {0.5, 0.5}}
	for _, x := range kMeans(vectors, 3, 1) {
		if x != 0.5 {
			t.Errorf("a mean has %v", x)
		}
	}
}

// TestDirections: the first means have the length ½, and differ with the seed.
func TestDirections(t *testing.T) {
	size := model.Size{Words: 5, Components: 3}
	a, b := directions(size, 1), directions(size, 2)
	for c := range 3 {
		if math.Abs(floats.Norm(a[5*c:5*c+5], 2)-0.5) > 1e-12 || a[5*c] == b[5*c] {
			t.Errorf("cluster %d: %v, %v", c, a[5*c:5*c+5], b[5*c:5*c+5])
		}
	}
}
