package ledgers

import (
	"math"
	"testing"

	"privpipe/pipelines/event"
)

// TestFilters: the limit of a filter gives the budget, and hardly less; and the conversion of each measure is that of the
// accountant that answers for one release.
func TestFilters(t *testing.T) {
	for _, budget := range []event.Limit{{Epsilon: 0.1, Delta: 1e-6}, {Epsilon: 1, Delta: 1e-6}, {Epsilon: 8, Delta: 1e-9}} {
		for _, measure := range []string{event.ZCDP, event.GDP, event.Renyi} {
			f, err := NewFilter(measure, 0, budget)
			if err != nil {
				t.Fatal(err)
			}
			epsilon, err := Guaranteed(f, budget.Delta)
			if err != nil || !(epsilon <= budget.Epsilon && epsilon > budget.Epsilon*(1-1e-4)) {
				t.Errorf("%+v: %+v gives ε %v, %v", budget, f, epsilon, err)
			}
		}
	}
	// ρ = 0.0243559 gives ε 1 at δ 1e-6 by the conversion at the best order (Canonne, Kamath, Steinke 2020, proposition 12);
	// μ = 1/4.2247 is the Gaussian of ε 1 at δ 1e-6 (Balle and Wang 2018, theorem 8).
	for measure, want := range map[string]float64{event.ZCDP: 0.024356, event.GDP: 1 / (4.2247 * 4.2247)} {
		f, err := NewFilter(measure, 0, event.Limit{Epsilon: 1, Delta: 1e-6})
		if err != nil || math.Abs(f.Limit/want-1) > 1e-4 {
			t.Errorf("%s: limit %v, want %v (%v)", measure, f.Limit, want, err)
		}
	}
}

// TestCosts: what a release costs in each measure, for Gaussian noise of twice the clip.
func TestCosts(t *testing.T) {
	g := &event.Grant{
		Mechanism: event.Gaussian, Adjacency: event.AddRemove, Unit: event.Document, Clip: 1, NoiseMultiplier: 2,
		Scheme: event.Scheme{Method: event.All, Rate: 1, Rounds: 1}, Releases: 1,
	}
	for _, c := range []struct {
		filter event.Filter
		want   float64
	}{
		{event.Filter{Measure: event.ZCDP}, 1. / 8},         // Δ²/(2σ²): Bun and Steinke 2016, proposition 1.6
		{event.Filter{Measure: event.GDP}, 1. / 4},          // μ² = Δ²/σ²
		{event.Filter{Measure: event.Renyi, Order: 6}, .75}, // αΔ²/(2σ²): Mironov 2017, proposition 7
	} {
		cost, err := Cost(&c.filter, g)
		if err != nil || !(cost >= c.want && cost < c.want*(1+1e-6)) {
			t.Errorf("%+v: %v, want %v (%v)", c.filter, cost, c.want, err)
		}
	}
	// Two of six at rate 0.1: E[(1−q+q·L)²] − 1 = q²(e^(1/σ²) − 1) at order 2 (Mironov, Talwar, Zhang 2019, §3.3).
	g.Scheme = event.Scheme{Method: event.Poisson, Rate: 0.1, Rounds: 1, Secret: true}
	want := math.Log1p(0.01 * math.Expm1(0.25))
	if cost, err := Cost(&event.Filter{Measure: event.Renyi, Order: 2}, g); err != nil || !(cost >= want && cost < want*(1+1e-6)) {
		t.Errorf("sampled: %v, want %v (%v)", cost, want, err)
	}
	// An exchange: of orthogonal units the sum of both directions; of opposite ones nearly q²(2e^(1/σ²) − 2e^(−1/σ²)), the χ² divergence
	// for small q. An empty unit is as one that is not there.
	for _, c := range []struct {
		adjacency   string
		nonNegative bool
		least, most float64 // over want
	}{
		{event.ReplaceOne, true, 1.8, 2}, {event.ReplaceOne, false, 3, 3.6}, {event.ReplaceNull, false, 1, 1},
	} {
		exchanged := *g
		exchanged.Adjacency, exchanged.NonNegative = c.adjacency, c.nonNegative
		cost, err := Cost(&event.Filter{Measure: event.Renyi, Order: 2}, &exchanged)
		if err != nil || !(cost >= c.least*want && cost < c.most*want*(1+1e-6)) {
			t.Errorf("%s, non-negative %v: %v, want %v to %v times %v (%v)", c.adjacency, c.nonNegative, cost, c.least, c.most, want, err)
		}
	}
	// Each round of an allocation is charged, so each has the loss of a unit that is in it.
	allocated := *g
	allocated.Scheme = event.Scheme{Method: event.Allocate, Rate: 0.1, Rounds: 10, Secret: true}
	if cost, err := Cost(&event.Filter{Measure: event.Renyi, Order: 6}, &allocated); err != nil || math.Abs(cost-0.75) > 1e-6 {
		t.Errorf("allocated: %v (%v)", cost, err)
	}
	// As if all took part, where the measure is not amplified.
	if cost, err := Cost(&event.Filter{Measure: event.ZCDP}, g); err != nil || math.Abs(cost-0.125) > 1e-6 {
		t.Errorf("sampled, zcdp: %v (%v)", cost, err)
	}
}
