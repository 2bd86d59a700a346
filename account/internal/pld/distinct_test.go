package pld

import (
	"math"
	"math/rand/v2"
	"testing"

	"privpipe/pipelines/testkit"
)

// distinct are events that have nothing in common but their kind, as in a ledger of many runs.
func distinct(n int) (events []Event, err error) {
	random := rand.New(rand.NewPCG(1, 2))
	for range n {
		rate, multiplier := math.Pow(10, -4+3*random.Float64()), math.Pow(10, -0.3+1.6*random.Float64())
		p, err := Gaussian(rate, multiplier)
		if err != nil {
			return nil, err
		}
		events = append(events, Event{p, 1 + random.IntN(3)})
	}
	return events, nil
}

// TestDistinct: what differs by next to nothing loses what equal releases do, which are worked out at once.
func TestDistinct(t *testing.T) {
	for _, c := range []struct {
		what  string
		build func(i float64) (*Pair, error)
	}{
		{"gaussian", func(i float64) (*Pair, error) { return Gaussian(0.02, 1.5+i*1e-13) }},
		{"laplace", func(i float64) (*Pair, error) { return Laplace(0.1, 3+i*1e-13) }},
		{"pure", func(i float64) (*Pair, error) { return Pure(0.1 + i*1e-15) }},
		{"orthogonal", func(i float64) (*Pair, error) { return GaussianReplaceOrthogonal(0.02+i*1e-15, 2) }},
		{"without replacement", func(i float64) (*Pair, error) { return GaussianWithoutReplacement(0.02, 2+i*1e-13) }},
	} {
		releases := testkit.Repeats(t, "accounting", 40, 150)
		var all []Event
		for i := range releases {
			all = append(all, Event{pair(c.build(float64(i))), 1})
		}
		one, many := distribution(t, Event{pair(c.build(0)), releases}), distribution(t, all...)
		for _, delta := range []float64{1e-3, 1e-9} {
			upper, lower, err := one.Epsilon(delta)
			if err != nil {
				t.Fatal(err)
			}
			high, low, err := many.Epsilon(delta)
			if !(high >= lower && low <= upper && math.Abs(high/upper-1) < 2e-3 && low > 0.99*high) || err != nil {
				t.Errorf("%s, δ %v: ε from %v to %v, %v to %v at once (%v)", c.what, delta, low, high, lower, upper,
					err)
			}
		}
	}
}

// TestDistinctAsConvolved compares bounds for distinct releases with δ by convolution. Each of n randomized responses
// has a loss ±ε_i. The convolution has all 2^n sums.
func TestDistinctAsConvolved(t *testing.T) {
	const n = 16
	var events []Event
	losses, masses := []float64{0}, []float64{1}
	for i := range n {
		epsilon := 0.05 + 0.013*float64(i)
		events = append(events, Event{pair(Pure(epsilon)), 1})
		var nextLosses, nextMasses []float64
		for j, loss := range losses {
			right := 1 / (1 + math.Exp(-epsilon))
			nextLosses = append(nextLosses, loss+epsilon, loss-epsilon)
			nextMasses = append(nextMasses, masses[j]*right, masses[j]*(1-right))
		}
		losses, masses = nextLosses, nextMasses
	}
	d := distribution(t, events...)
	for _, epsilon := range []float64{0, 0.3, 1, 1.5, 2} {
		exact := 0.0
		for i, loss := range losses {
			exact += masses[i] * math.Max(0, -math.Expm1(epsilon-loss))
		}
		upper, lower, err := d.Delta(epsilon)
		if !(lower <= exact*(1+1e-9) && upper >= exact*(1-1e-9) && upper <= exact*1.02) || err != nil {
			t.Errorf("ε %v: δ from %v to %v, want %v (%v)", epsilon, lower, upper, exact, err)
		}
	}
}
