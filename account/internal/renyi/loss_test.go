package renyi

import (
	"math"
	"testing"
)

// TestLoss: what fails comes off δ, and costs −log(1−δ′) in ε.
func TestLoss(t *testing.T) {
	l := Loss{Curve: gaussian(4, 1)}
	l.Add(1e-7)
	l.Add(3e-7)
	ideal, order := Epsilon(l.Curve, 6e-7)
	epsilon, alpha := l.Epsilon(1e-6)
	if want := ideal - math.Log1p(-1e-7) - math.Log1p(-3e-7); math.Abs(epsilon-want) > 1e-9 || alpha != order {
		t.Errorf("ε is %v at order %v, want %v at %v", epsilon, alpha, want, order)
	}
	if delta, _ := l.Delta(epsilon); math.Abs(delta/1e-6-1) > 1e-6 {
		t.Errorf("at this ε, δ is %v, want 1e-6", delta)
	}
	for _, delta := range []float64{0, 3e-7, l.Failure} {
		if epsilon, _ := l.Epsilon(delta); !math.IsInf(epsilon, 1) {
			t.Errorf("δ %v does not even pay for the failures: ε %v", delta, epsilon)
		}
	}
	// Below Σ −log(1−δ′) only the total variation distance is left, √(1−exp(−1/32·(1+1/64))) at most.
	if delta, _ := l.Delta(1e-9); !(delta > 0.17 && delta < 0.19) {
		t.Errorf("δ at an ε of almost 0 is %v", delta)
	}
	l.Add(1)
	if epsilon, _ := l.Epsilon(0.999); !math.IsInf(epsilon, 1) {
		t.Errorf("a release that always fails has ε %v", epsilon)
	}
	if delta, _ := l.Delta(5); delta != 1 {
		t.Errorf("a release that always fails has δ %v", delta)
	}
}

// TestPure: where all losses are finite at order ∞ their sum is an ε at every δ, and the only one at δ = 0.
func TestPure(t *testing.T) {
	l := Loss{Curve: func(alpha float64) float64 { return 3 * Laplace(1, 4, alpha) }}
	for _, delta := range []float64{0, 1e-300, 1e-9} {
		if epsilon, alpha := l.Epsilon(delta); epsilon != 0.75 || !math.IsInf(alpha, 1) {
			t.Errorf("at δ %v, ε is %v at order %v, want 0.75 at ∞", delta, epsilon, alpha)
		}
	}
	if epsilon, alpha := l.Epsilon(0.01); !(epsilon < 0.75 && alpha < 100) {
		t.Errorf("at δ 0.01, ε is %v at order %v", epsilon, alpha)
	}
	if delta, _ := l.Delta(0.75); delta != 0 {
		t.Errorf("at the pure ε, δ is %v", delta)
	}
	if delta, _ := l.Delta(0.74); !(delta > 0 && delta < 1) {
		t.Errorf("below the pure ε, δ is %v", delta)
	}
	if epsilon, _ := Epsilon(gaussian(3, 1), 0); !math.IsInf(epsilon, 1) {
		t.Errorf("a Gaussian at δ 0 has ε %v", epsilon)
	}
}

// TestNeverBelowExactLaplace compares both conversions with the exact δ of many Laplaces: the tail of a binomial walk, for
// unit shifts, whose ratios are r or 1/r each.
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
		l := Loss{Curve: func(alpha float64) float64 { return n * Laplace(1, scale, alpha) }}
		for _, delta := range []float64{1e-6, 1e-3, 0.05} {
			epsilon, _ := l.Epsilon(delta)
			back, _ := l.Delta(max(epsilon, 1e-9))
			if is := exact(epsilon); is > delta*(1+1e-9) || is > back*(1+1e-9) {
				t.Errorf("t %v: at ε %v, δ is %v in truth, not %v or %v", scale, epsilon, is, delta, back)
			}
		}
	}
}
