package loss

import (
	"math"
	"slices"
	"testing"
)

// samples has a mechanism of each kind.
var samples = []Mechanism{
	Gaussian{Noise: 2, Sensitivity: 1}, Gaussian{Noise: 2 << 20, Sensitivity: 1 << 20, Discrete: true},
	Laplace{Scale: 5, Sensitivity: 1}, Laplace{Scale: 5 << 20, Sensitivity: 1 << 20, Discrete: true},
	DiscreteGaussian{Variance: 16, Sensitivity: 2}, DiscreteLaplace{Scale: 10, Sensitivity: 2},
	Pure{0.3}, RandomizedResponse{Noise: 0.5, Buckets: 3}, Approximate{0.3, 1e-6}, Concentrated{0.1},
}

// TestKinds: each kind has a sample, and names theorems for the pairs that it has. What a mechanism says of itself in
// several ways is the same: pure ε is the limit of the Rényi curve, and what one release composes to; ρ of zCDP is
// above the curve.
func TestKinds(t *testing.T) {
	for _, k := range Kinds {
		if !slices.ContainsFunc(samples, func(m Mechanism) bool { return m.Kind() == k }) {
			t.Errorf("no sample of %s", k.Name)
		}
	}
	for _, m := range samples {
		if err := m.Check(); err != nil || !slices.Contains(Kinds, m.Kind()) {
			t.Errorf("%s: %v, or its kind is not in the list", m, err)
		}
		traits := m.Traits()
		curve := traits.Curve
		if curve == nil {
			t.Errorf("%s has no curve", m)
			continue
		}
		if g := traits.Guarantee; g != nil && traits.Failure != g.Delta {
			t.Errorf("%s fails with probability %v, and its guarantee has δ %v", m, traits.Failure, g.Delta)
		}
		if !(curve(2) > 0 && curve(2) <= curve(3)) {
			t.Errorf("%s: ρ(2) is %v, ρ(3) %v", m, curve(2), curve(3))
		}
		if pure := traits.Pure; pure != nil {
			one := traits.Composed(1)
			if limit := curve(1e6); !(limit <= *pure*(1+1e-9) && limit > *pure*(1-1e-3)) ||
				math.Abs(one.Epsilon / *pure - 1) > 1e-12 || one.Delta != 0 {
				t.Errorf("%s: ε is %v, ρ(10^6) %v, composed %v", m, *pure, limit, one)
			}
		}
		if rho, ok := traits.rho(); ok {
			if _, only := m.(Concentrated); only && !(math.Abs(curve(10)-10*rho) < 1e-9) {
				t.Errorf("%s: ρ(10) is %v", m, curve(10))
			}
			for _, alpha := range []float64{1.5, 2, 10, 100} {
				if curve(alpha) > rho*alpha*(1+1e-9) {
					t.Errorf("%s: ρ(%v) is %v, by zCDP at most %v", m, alpha, curve(alpha), rho*alpha)
				}
			}
		}
		if traits.Pair != nil {
			if pair, err := traits.Pair(); pair == nil || err != nil {
				t.Errorf("%s: pair %v, %v", m, pair, err)
			}
		}
		if (traits.Pair != nil) != (len(m.Kind().Pairs) > 0) {
			t.Errorf("%s: a pair without its theorem, or a theorem without a pair", m)
		}
	}
}

// TestWorse: of two Laplace mechanisms the worse one has less noise over sensitivity, whichever is asked; others are
// not compared.
func TestWorse(t *testing.T) {
	loud, quiet := Laplace{Scale: 5, Sensitivity: 1}, Laplace{Scale: 5, Sensitivity: 2}
	for _, pair := range [][2]Laplace{{loud, quiet}, {quiet, loud}} {
		if worse, ok := pair[0].Traits().Worse(pair[1]); !ok || worse != Mechanism(quiet) {
			t.Errorf("of %v the worse one is %v, %v", pair, worse, ok)
		}
	}
	if worse, ok := loud.Traits().Worse(Pure{1}); ok {
		t.Errorf("of Laplace noise and any pure mechanism the worse one is %v", worse)
	}
}

// TestNames: no two kinds have a class or a type in common.
func TestNames(t *testing.T) {
	seen := make(map[string]bool)
	for _, k := range Kinds {
		for _, name := range append(slices.Clone(k.Types), k.Class) {
			if name != "" && seen[name] {
				t.Errorf("%s occurs twice", name)
			}
			seen[name] = true
		}
		if (k.Class != "") != (k.DpEvent != nil) || (len(k.Types) > 0) != (k.Event != nil) {
			t.Errorf("%s has a name and no reader, or a reader and no name", k.Name)
		}
	}
}
