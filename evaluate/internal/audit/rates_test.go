package audit

import (
	"math"
	"testing"
)

func near(t *testing.T, what string, got, want, relative float64) {
	t.Helper()
	if !(math.Abs(got-want) <= relative*math.Abs(want)) {
		t.Errorf("%s is %.12g, want %.12g", what, got, want)
	}
}

func TestUpperRate(t *testing.T) {
	for _, test := range []struct {
		count, n    int
		alpha, want float64 // scipy.stats.beta.ppf(1 - alpha, count + 1, n - count), SciPy 1.17
	}{
		{0, 10, 0.05, 0.2588655508930522},
		{3, 20, 0.025, 0.37892682654531396},
		{117, 1500, 0.05, 0.09034769250020538},
		{5, 1000, 1e-6, 0.025154702455123974},
		{749, 1500, 1e-7, 0.5664815221801136},
		{0, 400, 1e-6, 1 - math.Pow(1e-6, 1.0/400)}, // P[none of n] = (1−p)^n
		{20, 20, 0.01, 1},
	} {
		near(t, "bound", upperRate(test.count, test.n, test.alpha), test.want, 1e-9)
	}
}

func TestGaussianEpsilon(t *testing.T) {
	for _, test := range []struct{ mu, delta, want float64 }{
		// The root of Balle and Wang's formula by scipy.optimize.brentq and scipy.stats.norm.logcdf, SciPy 1.17.
		{1, 1e-5, 4.377178095681224},
		{math.Sqrt2, 1e-5, 6.572970067030336},
		{math.Sqrt2 / 0.7, 1e-5, 10.12249458390749},
		{0.1, 1e-5, 0.34066936468432535},
		{10, 1e-6, 96.71727196386773},
		{0.5, 0.1, 0.28649610175682644},
		{0.2, 0.1, 0}, // already (0, δ)-private
		{0, 1e-5, 0},
		{MaxMu + 1, 1e-5, math.Inf(1)},
	} {
		if got := gaussianEpsilon(test.mu, test.delta); got != test.want {
			near(t, "ε", got, test.want, 1e-9)
		}
	}
	if got := gaussianEpsilon(MaxMu, 1e-9); !(got > 400 && got < 500) {
		t.Errorf("ε of the largest μ is %v", got)
	}
}

func TestLeastWhere(t *testing.T) {
	above := func(limit float64) func(float64) bool { return func(x float64) bool { return x >= limit } }
	for _, test := range []struct{ low, high, limit, want float64 }{
		{0, 10, 0.3, 0.3}, {0, 10, -1, 0}, {0, 10, 10, 10}, {5, 5, 7, 5},
	} {
		if got := leastWhere(test.low, test.high, above(test.limit)); got != test.want {
			t.Errorf("least in [%v, %v] from %v on is %v, want %v", test.low, test.high, test.limit, got, test.want)
		}
	}
}
