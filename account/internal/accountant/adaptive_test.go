package accountant

import (
	"math"
	"testing"

	"privpipe/account/internal/loss"
	"privpipe/pipelines/event"
)

// TestAdaptiveChoice is the counterexample of ACCOUNTING.md: two lists that keep a budget, and a choice between them by
// what was released first, which does not. So no accountant of lists bounds settings that follow from releases.
func TestAdaptiveChoice(t *testing.T) {
	const epsilon, delta = 1.5, 1e-6
	p := math.E / (1 + math.E) // that randomized response of ε = 1 tells the truth

	// A is pure with ε_A above ½, such that p·δ_A(½) = δ, where δ_A(ε) = (e^ε_A − e^ε)/(1 + e^ε_A) for ε below ε_A,
	// else 0.
	root, share := math.Exp(epsilon-1), delta/p
	a := loss.Pure{Epsilon: math.Log((root + share) / (1 - share))}
	b := loss.Approximate{Delta: delta}
	deltaOf := func(m loss.Mechanism, epsilon float64) float64 {
		if m == loss.Mechanism(b) {
			return delta
		}
		return max(0, (math.Exp(a.Epsilon)-math.Exp(epsilon))/(1+math.Exp(a.Epsilon)))
	}
	// δ(ε) of randomized response and then, after a 0, first, after a 1, second.
	chosen := func(first, second loss.Mechanism) float64 {
		return p*deltaOf(first, epsilon-1) + (1-p)*deltaOf(second, epsilon+1)
	}

	for _, m := range []loss.Mechanism{a, b} {
		if exact := chosen(m, m); exact > delta*(1+1e-9) {
			t.Errorf("%v: δ(%v) is %v, above the budget", m, epsilon, exact)
		}
		list := &loss.List{Adjacency: event.ReplaceOne}
		list.Add(loss.Release{Released: []loss.Mechanism{loss.Pure{Epsilon: 1}}, Count: 1})
		list.Add(loss.Release{Released: []loss.Mechanism{m}, Count: 1})
		profile, err := Named("pld").Upper(list)
		if err != nil {
			t.Fatal(err)
		}
		if reported, err := profile.Epsilon(delta); err != nil || reported > epsilon*(1+1e-3) {
			t.Errorf("%v: pld reports ε %v, %v", m, reported, err)
		}
	}
	if adaptive := chosen(a, b); math.Abs(adaptive/1.2689e-6-1) > 1e-3 {
		t.Errorf("the choice has δ %v, want 1.27e-6, above the budget", adaptive)
	}
}
