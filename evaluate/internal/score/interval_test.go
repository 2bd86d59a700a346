package score

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestShareInterval: scipy.stats.binomtest(count, n).proportion_ci(0.95, "exact") of SciPy 1.17.1.
func TestShareInterval(t *testing.T) {
	for _, c := range []struct {
		count, n  int
		low, high float64
	}{
		{0, 5, 0, 0.5218237501049814}, {3, 10, 0.06673951117773447, 0.652452850060008}, {5, 5, 0.47817624989501856, 1},
		{175, 200, 0.8210262499212005, 0.9174476581714114}, {1, 1, 0.025, 1}, {0, 1, 0, 0.975},
	} {
		low, high := ShareInterval(c.count, c.n)
		near(t, "the lower end", low, c.low, 1e-9)
		near(t, "the upper end", high, c.high, 1e-9)
	}
}

// TestMeanInterval: the quantiles of Student's t are scipy.stats.t.ppf(0.975, 1 and 9) of SciPy 1.17.1.
func TestMeanInterval(t *testing.T) {
	low, high := MeanInterval(3, 2, 2)
	near(t, "the lower end", low, 3-12.706204736174694*math.Sqrt2, 1e-9)
	near(t, "the upper end", high, 3+12.706204736174694*math.Sqrt2, 1e-9)
	_, high = MeanInterval(0, math.Sqrt(10), 10)
	near(t, "the upper end", high, 2.262157162798205, 1e-9)
}

func TestLogitInterval(t *testing.T) {
	low, high := LogitInterval(0.75, 0.1)
	width := 1.959963984540054 * 0.1 / (0.75 * 0.25)
	near(t, "the lower end", low, 1/(1+math.Exp(-math.Log(3)+width)), 1e-9)
	near(t, "the upper end", high, 1/(1+math.Exp(-math.Log(3)-width)), 1e-9)
	for _, x := range []float64{0, 1} {
		if low, high := LogitInterval(x, 0); low != x || high != x {
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
			if low, high := ShareInterval(count, 60); low <= p && p <= high {
				held++
			}
		}
		if held < 365 {
			t.Errorf("%d of 400 intervals hold %v", held, p)
		}
	}
}
