package pld

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/integrate/quad"

	"privpipe/pipelines/testkit"
)

// products is E(R_1·…·R_n − k)₊ of R = 1−q+q·e^(sz−s²/2), by nested quadrature, of ever smaller steps towards where R
// is k: there the others decide.
func products(n int, q, s, k float64) float64 {
	if n == 1 {
		if k <= 1-q {
			return 1 - k
		}
		return q * call(s, (k-1+q)/q)
	}
	sum := 0.0
	panel := func(from, to float64) {
		from, to = max(from, -10), min(to, 10+s)
		if from < to {
			sum += quad.Fixed(func(z float64) float64 {
				r := 1 - q + q*math.Exp(s*z-s*s/2)
				return math.Exp(-z*z/2) / math.Sqrt(2*math.Pi) * r * products(n-1, q, s, k/r)
			}, from, to, 12, nil, 0)
		}
	}
	edge := -10.0
	if k > 1-q {
		edge = max(edge, (math.Log((k-1+q)/q)+s*s/2)/s)
	}
	for from, wide := 0.0, 1e-6; from < 30; from, wide = from+wide, min(0.5, 1.5*wide) {
		panel(edge+from, edge+from+wide)
		panel(edge-from-wide, edge-from)
	}
	return sum
}

// TestDoubledAsIntegrated compares bounds of δ with integrals of the definition, of one to three releases:
// δ = E(R − e^ε)₊ and E(1 − e^ε·R)₊ = e^ε·E(R − e^−ε)₊ + 1 − e^ε, of their product R.
func TestDoubledAsIntegrated(t *testing.T) {
	for _, c := range []struct {
		releases int
		q, sigma float64
		epsilons []float64
	}{
		{1, 1e-7, 0.5, []float64{1e-8, 1e-3, 1}}, {1, 1e-3, 2, []float64{1e-4, 2e-3}},
		{2, 1e-5, 0.4, []float64{1e-4, 0.1, 2}}, {3, 1e-3, 1, []float64{1e-3, 0.05}},
	} {
		d, ok := NewDoubled([]Event{{pair(Gaussian(c.q, c.sigma)), c.releases}})
		if !ok {
			t.Fatalf("%+v is not doubled", c)
		}
		for _, epsilon := range c.epsilons {
			removed := products(c.releases, c.q, 1/c.sigma, math.Exp(epsilon))
			added := math.Exp(epsilon)*products(c.releases, c.q, 1/c.sigma, math.Exp(-epsilon)) - math.Expm1(epsilon)
			want := max(removed, added)
			upper, lower := d.Delta(epsilon)
			if !(lower <= want*(1+1e-6) && want <= upper*(1+1e-6) && upper < 1.02*lower) {
				t.Errorf("%+v, ε %v: δ from %v to %v, is %v", c, epsilon, lower, upper, want)
			}
		}
	}
}

// TestDoubledMoments: E_Q[R²] is (1 + q²(e^(s²) − 1))^T, between those of the bounds.
func TestDoubledMoments(t *testing.T) {
	for _, c := range []struct {
		q, sigma float64
		releases int
	}{{1e-7, 0.5, 1e7}, {1e-3, 3, 999}, {1e-4, 1, 12_345}}[:testkit.Repeats(t, "accounting", 1, 3)] {
		d, ok := NewDoubled([]Event{{pair(Gaussian(c.q, c.sigma)), c.releases}})
		if !ok {
			t.Fatalf("%+v is not doubled", c)
		}
		variance := func(r *ratio) (sum float64) {
			for i, v := range r.value {
				sum += r.mass[i] * v * v
			}
			return sum
		}
		want := math.Expm1(float64(c.releases) * math.Log1p(c.q*c.q*math.Expm1(1/(c.sigma*c.sigma))))
		if high, low := variance(d.above),
			variance(d.below); !(low <= want*(1+1e-6) && want <= high*(1+1e-6) && high < 1.005*low) {
			t.Errorf("%+v: variance from %v to %v, is %v", c, low, high, want)
		}
	}
}

// TestDoubledAsTransformed: where a grid of one step has tight bounds, they meet those by doubling, also of two kinds.
func TestDoubledAsTransformed(t *testing.T) {
	for _, events := range [][]Event{
		{{pair(Gaussian(1e-4, 1)), 10_000}},
		{{pair(Gaussian(1e-3, 0.8)), 300}, {pair(Gaussian(5e-4, 1.5)), 1000}},
	} {
		d, ok := NewDoubled(events)
		if !ok {
			t.Fatal("not doubled")
		}
		for _, delta := range []float64{1e-4, 1e-9} {
			high, low, err := distribution(t, events...).Epsilon(delta)
			upper, lower := d.Epsilon(delta)
			if !(lower <= high && low <= upper && lower <= upper && upper < 1.003*lower) || err != nil {
				t.Errorf("δ %v: ε from %v to %v, on a grid %v to %v (%v)", delta, lower, upper, low, high, err)
			}
		}
		if upper, _ := d.Epsilon(1e-300); !math.IsInf(upper, 1) {
			t.Errorf("ε %v at a δ below that of the tails", upper)
		}
	}
	for what, e := range map[string]Event{
		"a large rate": {pair(Gaussian(0.01, 1)), 3}, "all units": {pair(Gaussian(1, 1)), 3},
		"an exchange":    {pair(GaussianReplaceOrthogonal(1e-4, 1)), 3},
		"opposite units": {pair(GaussianReplace(1e-4, 1)), 3},
		"no replacement": {pair(GaussianWithoutReplacement(1e-4, 1)), 3}, "Laplace": {pair(Laplace(1e-4, 1)), 3},
	} {
		if _, ok := NewDoubled([]Event{e}); ok {
			t.Errorf("%s is doubled", what)
		}
	}
}
