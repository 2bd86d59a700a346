package clusters

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"privpipe/pipelines/model"
	"privpipe/pipelines/model/families"
	"privpipe/pipelines/model/modeltest"
)

// parameters are those of a mixture.
type parameters struct {
	size                      model.Size
	weights, means, variances []float64
}

// random returns parameters of clusters near the unit ball.
func random(r *rand.Rand, size model.Size) parameters {
	p := parameters{size: size}
	for range size.Components {
		p.weights = append(p.weights, 1/float64(size.Components))
	}
	for range size.Components * size.Words {
		p.means = append(p.means, r.NormFloat64()/math.Sqrt(float64(size.Words)))
		p.variances = append(p.variances, 0.1+0.1*r.Float64())
	}
	return p
}

func (p parameters) set(m *Model) error {
	s := new(model.Snapshot)
	families.ClusterWeights.Put(s, p.size, p.weights)
	families.ClusterMeans.Put(s, p.size, p.means)
	families.ClusterVariances.Put(s, p.size, p.variances)
	return m.SetParameters(modeltest.Snapshot("clusters", s), p.size)
}

func step(t testing.TB, o Options, p parameters) *Model {
	t.Helper()
	m := New(o)
	if err := p.set(m); err != nil {
		t.Fatal(err)
	}
	return m
}

func TestModel(t *testing.T) {
	size := model.Size{Words: 20, Components: 6}
	for name, c := range map[string]struct {
		family  *model.Family
		options Options
		norm    float64
	}{
		"spherical":  {families.Clusters, Options{Norm: 1}, math.Sqrt2},
		"short rows": {families.Clusters, Options{Norm: 1e4}, math.Sqrt2},
		"diagonal":   {families.DiagonalClusters, Options{Norm: 2, Diagonal: true}, math.Sqrt(3)},
	} {
		t.Run(name, func(t *testing.T) {
			m := step(t, c.options, random(rand.New(rand.NewPCG(1, 2)), size))
			modeltest.EStep(t, modeltest.Case{Family: c.family, Step: m, Size: size, Norm: c.norm})
		})
	}
}

// TestSettings: workers that scale vectors in other ways, or contribute other statistics, have other settings.
func TestSettings(t *testing.T) {
	seen := make(map[string]bool)
	for _, o := range []Options{{1, false}, {2, false}, {1, true}} {
		seen[fmt.Sprint(New(o).Settings())] = true
	}
	if len(seen) != 3 {
		t.Errorf("3 E-steps have %d settings: %v", len(seen), seen)
	}
}

// two are clusters around (±½, 0), with the weights ¾ and ¼ and other variances in each dimension.
func two() parameters {
	return parameters{model.Size{Words: 2, Components: 2}, []float64{0.75, 0.25}, []float64{0.5, 0, -0.5, 0},
		[]float64{0.5, 1, 0.25, 2}}
}

// density returns the density of N(mean, variance), written out.
func density(x, mean, variance float64) float64 {
	return math.Exp(-(x-mean)*(x-mean)/(2*variance)) / math.Sqrt(2*math.Pi*variance)
}

// TestByHand: the responsibilities are those of Bayes' rule, and the cells are their products with x and x∘x.
func TestByHand(t *testing.T) {
	m := step(t, Options{Norm: 2, Diagonal: true}, two())
	x := []float64{0.3, -0.4} // of (0.6, −0.8), divided by 2
	a := 0.75 * density(x[0], 0.5, 0.5) * density(x[1], 0, 1)
	b := 0.25 * density(x[0], -0.5, 0.25) * density(x[1], 0, 2)
	r := []float64{a / (a + b), b / (a + b)}
	want := []float64{r[0], r[1], r[0] * x[0], r[0] * x[1], r[1] * x[0], r[1] * x[1],
		r[0] * 0.09, r[0] * 0.16, r[1] * 0.09, r[1] * 0.16}
	w := m.NewWorker()
	parts, err := w.Contribute(modeltest.Row("", 0.6, -0.8), nil)
	if err != nil {
		t.Fatal(err)
	}
	for i, got := range modeltest.Dense(families.DiagonalClusters.Statistics(two().size), parts) {
		if math.Abs(got-want[i]) > 1e-6 {
			t.Errorf("cell %d is %v, want %v", i, got, want[i])
		}
	}
	shares, err := w.(model.Inferrer).Infer(modeltest.Row("", 0.6, -0.8))
	if err != nil || math.Abs(shares[0]-r[0]) > 1e-6 || math.Abs(shares[0]+shares[1]-1) > 1e-12 {
		t.Errorf("inferred %v, %v, want %v", shares, err, r)
	}
	if shares, err := w.(model.Inferrer).Infer(modeltest.Row("")); err != nil || shares[0] != 0.75 {
		t.Errorf("without a vector: %v, %v", shares, err)
	}
	d := modeltest.Row("", 0.6, -0.8)
	d.Label = "a"
	p, err := w.(model.Predictor).Predict(d)
	if err != nil || p.Label != "a" || len(p.Probabilities) != 8 || len(p.TruthGaps) != 0 {
		t.Errorf("predicted %v, %v", p, err)
	}
}

// TestRefuses: parameters with which a density overflows are refused.
func TestRefuses(t *testing.T) {
	for name, change := range map[string]func(*parameters){
		"variances": func(p *parameters) { p.variances[3] = 1e-13 },
		"means":     func(p *parameters) { p.means[0] = -1e7 },
		"weights":   func(p *parameters) { p.weights[1] = 0 },
	} {
		p := two()
		change(&p)
		if err := p.set(New(Options{Norm: 1})); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// far returns how far the contributions of two vectors lie apart in the matrices of a set, with counts over 2; without
// other, how long the first is.
func far(t *testing.T, w model.Worker, size model.Size, matrices string, x, other []float64) float64 {
	t.Helper()
	dense := func(x []float64) []float64 {
		parts, err := w.Contribute(modeltest.Row("", x...), nil)
		if err != nil {
			t.Fatal(err)
		}
		return modeltest.Dense(families.DiagonalClusters.Statistics(size), parts)
	}
	a := dense(x)
	if other != nil {
		for i, v := range dense(other) {
			a[i] -= v
		}
	}
	k, square := size.Components, 0.0
	add := func(cells []float64, over float64) {
		for _, v := range cells {
			square += v * v / (over * over)
		}
	}
	for _, of := range matrices {
		switch of {
		case 'c':
			add(a[:k], 1)
		case 'h':
			add(a[:k], 2)
		case 's':
			add(a[k:k+k*size.Words], 1)
		case 'q':
			add(a[k+k*size.Words:], 1)
		}
	}
	return math.Sqrt(square)
}

// TestNorms: a search from random pairs of vectors comes within 1 % of each bound of claim.md, and never above.
func TestNorms(t *testing.T) {
	size := model.Size{Words: 3, Components: 2}
	r := rand.New(rand.NewPCG(3, 4))
	for _, c := range []struct {
		matrices string
		alone    bool
		bound    float64
	}{
		{"c", true, 1}, {"s", true, 1}, {"q", true, 1}, {"hs", true, math.Sqrt(5) / 2}, {"hsq", true, 1.5},
		{"c", false, math.Sqrt2}, {"s", false, 2}, {"q", false, math.Sqrt2}, {"cs", false, 2}, {"hs", false, 2},
		{"hsq", false, 3 / math.Sqrt2},
	} {
		best := 0.0
		for range 12 {
			p := random(r, size)
			for i := range p.variances {
				p.variances[i] = 1e-3 // nearly hard
			}
			w := step(t, Options{Norm: 1, Diagonal: true}, p).NewWorker()
			pair := [2][]float64{}
			for i := range pair {
				for range size.Words {
					pair[i] = append(pair[i], 3*r.NormFloat64())
				}
			}
			measure := func() float64 {
				if c.alone {
					return far(t, w, size, c.matrices, pair[0], nil)
				}
				return far(t, w, size, c.matrices, pair[0], pair[1])
			}
			now := measure()
			for n := range 600 {
				i, v := r.IntN(2), r.IntN(size.Words)
				old := pair[i][v]
				pair[i][v] += r.NormFloat64() * math.Pow(0.99, float64(n))
				if next := measure(); next >= now {
					now = next
				} else {
					pair[i][v] = old
				}
			}
			best = max(best, now)
		}
		if best > c.bound*(1+1e-9) || best < 0.99*c.bound {
			t.Errorf("%s, alone %v: the search found %v, the bound is %v", c.matrices, c.alone, best, c.bound)
		}
	}
}
