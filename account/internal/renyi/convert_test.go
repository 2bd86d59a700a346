package renyi

import (
	"math"
	"testing"
)

// gaussian is the curve of rounds releases of a Gaussian sum without sampling.
func gaussian(sigma, rounds float64) Curve {
	return func(alpha float64) float64 { return rounds * PoissonGaussian(1, sigma, alpha) }
}

func normal(x float64) float64 { return math.Erfc(-x/math.Sqrt2) / 2 }

// exactDelta is δ at ε for a Gaussian sum: Balle and Wang, Improving the Gaussian Mechanism for Differential Privacy
// (ICML 2018), theorem 8.
func exactDelta(sigma, epsilon float64) float64 {
	return normal(1/(2*sigma)-epsilon*sigma) - math.Exp(epsilon)*normal(-1/(2*sigma)-epsilon*sigma)
}

// TestEpsilonOfGaussian compares with the best order for a loss of ρ·α: cdp_eps of
// IBM/discrete-gaussian-differential-privacy@cb190d2, the rows zcdp of /work/shared/golden/accounting.jsonl, to 1e-6.
func TestEpsilonOfGaussian(t *testing.T) {
	for _, c := range []struct{ sigma, rounds, delta, want float64 }{
		{1, 1, 1e-6, 5.221534444530169},
		{1.24, 20, 1e-4, 20.699888634198153},
		{1.24, 20, 1e-6, 24.312125471845658},
		{2, 20, 1e-4, 11.10290526210507},
		{2, 20, 1e-6, 13.373652252807675},
		{5, 100, 1e-6, 11.688596249354894},
		{10, 1000, 1e-4, 17.373516577585043},
		{10, 1000, 1e-6, 20.551948814041253},
		{1, 20, 1e-4, 27.766209122565495},
	} {
		if got, order := Epsilon(gaussian(c.sigma, c.rounds), c.delta); math.Abs(got/c.want-1) > 1e-6 {
			t.Errorf("σ %v × %v, δ %v: ε %v at order %v, want %v", c.sigma, c.rounds, c.delta, got, order, c.want)
		}
	}
}

// TestByHand: with one finite order there is nothing to search. ρ(17) = 1 and δ = 1e-5 give
// 1 + log(16/17) − (log 1e-5 + log 17)/16.
func TestByHand(t *testing.T) {
	one := func(alpha float64) float64 {
		if alpha == 17 {
			return 1
		}
		return math.Inf(1)
	}
	const want = 1.481857385740691
	epsilon, order := Epsilon(one, 1e-5)
	if math.Abs(epsilon-want) > 1e-9 || order != 17 {
		t.Errorf("ε %v at order %v, want %v at 17", epsilon, order, want)
	}
	if delta, order := Delta(one, epsilon); math.Abs(delta/1e-5-1) > 1e-9 || order != 17 {
		t.Errorf("δ %v at order %v, want 1e-5 at 17", delta, order)
	}
}

func TestEnds(t *testing.T) {
	nothing := func(float64) float64 { return 0 }
	if epsilon, _ := Epsilon(nothing, 1e-300); epsilon != 0 {
		t.Errorf("no loss has ε %v", epsilon)
	}
	if delta, _ := Delta(nothing, 1e-9); delta != 0 {
		t.Errorf("no loss has δ %v", delta)
	}
	everything := func(float64) float64 { return math.Inf(1) }
	if epsilon, _ := Epsilon(everything, 0.999); !math.IsInf(epsilon, 1) {
		t.Errorf("a release without noise has ε %v", epsilon)
	}
	if delta, _ := Delta(everything, 1e9); delta != 1 {
		t.Errorf("a release without noise has δ %v", delta)
	}
	// Pure ε: the same loss at every order.
	if epsilon, _ := Epsilon(func(float64) float64 { return 0.5 }, 1e-6); !(epsilon > 0.49 && epsilon <= 0.501) {
		t.Errorf("a loss of at most 0.5 has ε %v", epsilon)
	}
}

// TestNeverBelowExact compares both conversions with the exact ε and δ of the Gaussian, which no bound may undercut.
func TestNeverBelowExact(t *testing.T) {
	for _, sigma := range []float64{0.3, 0.7, 1, 2, 5, 20, 100, 1000} {
		curve := gaussian(sigma, 1)
		for _, delta := range []float64{1e-10, 1e-6, 1e-4, 0.01, 0.1, 0.3, 0.9} {
			epsilon, order := Epsilon(curve, delta)
			if exact := exactDelta(sigma, epsilon); exact > delta*(1+1e-9) {
				t.Errorf("σ %v, δ %v: at ε %v, of order %v, δ is %v in truth", sigma, delta, epsilon, order, exact)
			}
			back, _ := Delta(curve, epsilon)
			if epsilon > 0 && !(back >= exactDelta(sigma, epsilon) && back <= delta*(1+1e-6)) {
				t.Errorf("σ %v, δ %v: ε %v, of which δ is %v", sigma, delta, epsilon, back)
			}
		}
	}
}

// TestSearch: the search finds what trying order after order finds.
func TestSearch(t *testing.T) {
	for _, c := range []struct{ q, sigma, rounds, delta float64 }{
		{0.001, 0.5, 1e5, 1e-5}, {0.05, 1.24, 20, 1e-4}, {0.01, 4, 100, 1e-6}, {0.5, 2, 20, 1e-5},
	} {
		curve := Remember(func(alpha float64) float64 { return c.rounds * PoissonGaussian(c.q, c.sigma, alpha) })
		least := math.Inf(1)
		for alpha := 1 + 1.0/64; alpha < 64; alpha += (alpha - 1) / 32 {
			least = min(least, curve(alpha)+math.Log1p(-1/alpha)-(math.Log(c.delta)+math.Log(alpha))/(alpha-1))
		}
		if got, order := Epsilon(curve, c.delta); got > least*(1+1e-6) {
			t.Errorf("%+v: ε %v at order %v, but %v is there", c, got, order, least)
		}
	}
}

// TestMonotone: more rounds, a larger sample, less noise and a smaller δ cost more.
func TestMonotone(t *testing.T) {
	epsilon := func(q, sigma, rounds, delta float64) float64 {
		e, _ := Epsilon(func(alpha float64) float64 { return rounds * PoissonGaussian(q, sigma, alpha) }, delta)
		return e
	}
	for _, q := range []float64{1e-3, 0.3} {
		for _, sigma := range []float64{0.7, 4} {
			for _, rounds := range []float64{1, 50} {
				base := epsilon(q, sigma, rounds, 1e-6)
				for what, more := range map[string]float64{
					"rounds":      epsilon(q, sigma, rounds*1.1+1, 1e-6),
					"rate":        epsilon(q*1.1, sigma, rounds, 1e-6),
					"less noise":  epsilon(q, sigma/1.1, rounds, 1e-6),
					"smaller δ":   epsilon(q, sigma, rounds, 1e-7),
					"no sampling": epsilon(1, sigma, rounds, 1e-6),
				} {
					if !(more > base) {
						t.Errorf("q %v, σ %v, %v rounds: ε %v, with %s %v", q, sigma, rounds, base, what, more)
					}
				}
			}
		}
	}
}

// TestLargeOrdersAreNotAsked: orders at which ρ alone is more than the answer cost the most, and are left out. The
// answer is the same as from all orders.
func TestLargeOrdersAreNotAsked(t *testing.T) {
	for _, c := range []struct{ sigma, delta float64 }{{1, 1e-6}, {0.5, 1e-3}, {30, 1e-9}} {
		largest := 0.0
		curve := func(alpha float64) float64 {
			if !math.IsInf(alpha, 1) {
				largest = max(largest, alpha)
			}
			return Gaussian(c.sigma, alpha)
		}
		epsilon, order := Epsilon(curve, c.delta)
		if largest > 4*order+20 {
			t.Errorf("σ %v: order %v is asked, the best is %v", c.sigma, largest, order)
		}
		delta, best := Delta(curve, epsilon)
		if largest > 4*max(best, order)+20 {
			t.Errorf("σ %v: order %v is asked for δ %v, the best is %v", c.sigma, largest, delta, best)
		}
		for _, alpha := range orders {
			if other := Gaussian(c.sigma, alpha) +
				math.Log1p(-1/alpha) - (math.Log(c.delta)+math.Log(alpha))/(alpha-1); other < epsilon {
				t.Errorf("σ %v: ε %v, and %v at order %v", c.sigma, epsilon, other, alpha)
			}
		}
	}
}
