package interval

import (
	"math"
	"math/rand/v2"
	"testing"
)

func near(t *testing.T, what string, got, want float64) {
	t.Helper()
	if !(math.Abs(got-want) <= 1e-9) {
		t.Errorf("%s is %v, want %v", what, got, want)
	}
}

// TestShare: scipy.stats.binomtest(count, n).proportion_ci(0.95, "exact") of SciPy 1.17.1.
func TestShare(t *testing.T) {
	for _, c := range []struct {
		count, n  int
		low, high float64
	}{
		{0, 5, 0, 0.5218237501049814}, {3, 10, 0.06673951117773447, 0.652452850060008}, {5, 5, 0.47817624989501856, 1},
		{175, 200, 0.8210262499212005, 0.9174476581714114}, {1, 1, 0.025, 1}, {0, 1, 0, 0.975},
	} {
		low, high := Share(c.count, c.n)
		near(t, "the lower end", low, c.low)
		near(t, "the upper end", high, c.high)
	}
}

// TestMean: the quantiles of Student's t are scipy.stats.t.ppf(0.975, 1 and 9) of SciPy 1.17.1.
func TestMean(t *testing.T) {
	low, high := Mean(3, 2, 2)
	near(t, "the lower end", low, 3-12.706204736174694*math.Sqrt2)
	near(t, "the upper end", high, 3+12.706204736174694*math.Sqrt2)
	_, high = Mean(0, math.Sqrt(10), 10)
	near(t, "the upper end", high, 2.262157162798205)
}

func TestLogit(t *testing.T) {
	low, high := Logit(0.75, 0.1)
	width := 1.959963984540054 * 0.1 / (0.75 * 0.25)
	near(t, "the lower end", low, 1/(1+math.Exp(-math.Log(3)+width)))
	near(t, "the upper end", high, 1/(1+math.Exp(-math.Log(3)-width)))
	for _, x := range []float64{0, 1} {
		if low, high := Logit(x, 0); low != x || high != x {
			t.Errorf("the interval of %v is %v, %v", x, low, high)
		}
	}
}

// TestShareCovers: of 400 samples at least 95 % of the intervals hold the probability, but for 3.5 deviations of the
// binomial.
func TestShareCovers(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	for _, p := range []float64{0.02, 0.3, 0.9} {
		held := 0
		for range 400 {
			count := 0
			for range 60 {
				if random.Float64() < p {
					count++
				}
			}
			if low, high := Share(count, 60); low <= p && p <= high {
				held++
			}
		}
		if held < 365 {
			t.Errorf("%d of 400 intervals hold %v", held, p)
		}
	}
}
