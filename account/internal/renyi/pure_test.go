package renyi

import (
	"math"
	"testing"
)

// TestPure: where all losses are finite at order ∞ their sum is an ε at every δ, and the only one at δ = 0.
func TestPure(t *testing.T) {
	curve := func(alpha float64) float64 { return 3 * Laplace(1, 4, alpha) }
	for _, delta := range []float64{0, 1e-300, 1e-9} {
		if epsilon, alpha := Epsilon(curve, delta); epsilon != 0.75 || !math.IsInf(alpha, 1) {
			t.Errorf("at δ %v, ε is %v at order %v, want 0.75 at ∞", delta, epsilon, alpha)
		}
	}
	if epsilon, alpha := Epsilon(curve, 0.01); !(epsilon < 0.75 && alpha < 100) {
		t.Errorf("at δ 0.01, ε is %v at order %v", epsilon, alpha)
	}
	if delta, _ := Delta(curve, 0.75); delta != 0 {
		t.Errorf("at the pure ε, δ is %v", delta)
	}
	if delta, _ := Delta(curve, 0.74); !(delta > 0 && delta < 1) {
		t.Errorf("below the pure ε, δ is %v", delta)
	}
	if epsilon, _ := Epsilon(gaussian(3, 1), 0); !math.IsInf(epsilon, 1) {
		t.Errorf("a Gaussian at δ 0 has ε %v", epsilon)
	}
}

// TestNeverBelowExactLaplace compares both conversions with the exact δ of many Laplaces. For unit shifts this δ is the
// tail of one binomial walk. The ratio of each shift is r or 1/r.
func TestNeverBelowExactLaplace(t *testing.T) {
	const n = 12
	for _, scale := range []float64{2, 10, 100} {
		// Under P each step is +1/t with probability 1/(1+r), else −1/t.
		plus := 1 / (1 + math.Exp(-1/scale))
		exact := func(epsilon float64) (delta float64) {
			probability := math.Pow(1-plus, n) // of k steps up
			for k := range n + 1 {
				delta += probability * max(0, -math.Expm1(epsilon-float64(2*k-n)/scale))
				probability *= float64(n-k) / float64(k+1) * plus / (1 - plus)
			}
			return delta
		}
		curve := func(alpha float64) float64 { return n * Laplace(1, scale, alpha) }
		for _, delta := range []float64{1e-6, 1e-3, 0.05} {
			epsilon, _ := Epsilon(curve, delta)
			back, _ := Delta(curve, max(epsilon, 1e-9))
			if is := exact(epsilon); is > delta*(1+1e-9) || is > back*(1+1e-9) {
				t.Errorf("t %v: at ε %v, δ is %v in truth, not %v or %v", scale, epsilon, is, delta, back)
			}
		}
	}
}
