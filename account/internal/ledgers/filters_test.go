package ledgers

import (
	"math"
	"testing"

	"privpipe/pipelines/event"
	"privpipe/pipelines/testkit"
)

// TestFilters: a filter's limit gives the budget, and hardly less. Each measure has the conversion of the accountant
// that answers for one release.
func TestFilters(t *testing.T) {
	for _, budget := range []event.Limit{{Epsilon: 0.1, Delta: 1e-6}, {Epsilon: 1, Delta: 1e-6},
		{Epsilon: 8, Delta: 1e-9}} {
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
	// ρ = 0.0243559 gives ε 1 at δ 1e-6 by the conversion at the best order (Canonne, Kamath, Steinke 2020, proposition
	// 12); μ = 1/4.2247 is the Gaussian of ε 1 at δ 1e-6 (Balle and Wang 2018, theorem 8).
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
	if cost, err := Cost(&event.Filter{Measure: event.Renyi, Order: 2}, g); err != nil ||
		!(cost >= want && cost < want*(1+1e-6)) {
		t.Errorf("sampled: %v, want %v (%v)", cost, want, err)
	}
	// An exchange: of orthogonal units the sum of both directions; of opposite ones nearly q²(2e^(1/σ²) − 2e^(−1/σ²)),
	// the χ² divergence for small q. An empty unit is as one that is not there.
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
			t.Errorf("%s, non-negative %v: %v, want %v to %v times %v (%v)", c.adjacency, c.nonNegative, cost, c.least,
				c.most, want, err)
		}
	}
	// Each round of an allocation is charged, so each has the loss of a unit that is in it.
	allocated := *g
	allocated.Scheme = event.Scheme{Method: event.Allocate, Rate: 0.1, Rounds: 10, Secret: true}
	if cost, err := Cost(&event.Filter{Measure: event.Renyi, Order: 6}, &allocated); err != nil ||
		math.Abs(cost-0.75) > 1e-6 {
		t.Errorf("allocated: %v (%v)", cost, err)
	}
	// As if all took part, where the measure is not amplified.
	if cost, err := Cost(&event.Filter{Measure: event.ZCDP}, g); err != nil || math.Abs(cost-0.125) > 1e-6 {
		t.Errorf("sampled, zcdp: %v (%v)", cost, err)
	}
}

// TestLeastCosts: privatize refuses a grant below the least cost of one release. The least cost is never above a plan's
// cost, and hardly below it. The least cost is only a lower bound in four cases: batches with a fixed size, randomized
// response in zCDP, Laplace noise near order 1, and costs above any budget.
func TestLeastCosts(t *testing.T) {
	worst := 1.0
	for _, mechanism := range []string{event.Gaussian, event.Laplace, event.RandomizedResponse} {
		for _, scheme := range []event.Scheme{
			{Method: event.All, Rate: 1, Rounds: 1}, {Method: event.Poisson, Rate: 0.3, Rounds: 1, Secret: true},
			{Method: event.Poisson, Rate: 1e-3, Rounds: 1, Secret: true},
			{Method: event.Poisson, Rate: 1e-5, Rounds: 1, Secret: true},
			{Method: event.Poisson, Rate: 0.3, Rounds: 1},
			{Method: event.Fixed, Size: 5, Population: 500, Rate: 0.01, Rounds: 1, Secret: true},
			{Method: event.Allocate, Rate: 0.25, Rounds: 4, Secret: true}, {Method: event.Epoch, Rate: 0.25, Rounds: 4},
		} {
			for _, adjacency := range []string{event.AddRemove, event.ReplaceOne, event.ReplaceNull} {
				for _, noise := range []float64{0.3, 1, 4, 60} {
					for _, f := range []event.Filter{
						{Measure: event.ZCDP, Limit: 1e9}, {Measure: event.GDP, Limit: 1e9},
						{Measure: event.Renyi, Order: 1.3, Limit: 1e9},
						{Measure: event.Renyi, Order: 2, Limit: 1e9}, {Measure: event.Renyi, Order: 7.37, Limit: 1e9},
						{Measure: event.Renyi, Order: 143, Limit: 1e9},
					} {
						g := &event.Grant{
							Version: event.GrantVersion, ID: "g", Mechanism: mechanism, Adjacency: adjacency,
							Unit: event.Document, Scheme: scheme,
							Clip: 1, NoiseMultiplier: noise, Releases: 1, NonNegative: noise == 4,
							Subject: testkit.SubjectFor(mechanism),
						}
						if mechanism == event.RandomizedResponse {
							g.Clip, g.NoiseMultiplier, g.Flip, g.MaxWords, g.NonNegative = 0, 0, 0.5/(1+noise), 20,
								false
						}
						if g.Check() != nil {
							continue
						}
						cost, err := Cost(&f, g)
						if err != nil || math.IsInf(cost, 1) {
							continue
						}
						g.Cost = 1e-300
						b := new(testkit.Book)
						b.Begin(t)
						b.Lines[0].Head.Filter = &f
						b.Grant(t, g)
						b.Charge(t, testkit.ChargeOf(g, 1, "run"))
						least := b.Spent()
						bits, near1 := mechanism == event.RandomizedResponse, mechanism == event.Laplace && f.Order < 2
						tight := scheme.Method != event.Fixed && !(bits && f.Measure == event.ZCDP) && !near1 &&
							cost < 10
						if cost > 1e-9 && tight {
							worst = min(worst, least/cost)
						}
						if !(least <= cost*(1+1e-9)) || tight && cost > 1e-9 && !(least > 0.9*cost) {
							t.Errorf("%s %s %+v, noise %v, %+v: at least %v, and by the plan %v", mechanism, adjacency,
								scheme, noise, f, least, cost)
						}
					}
				}
			}
		}
	}
	t.Log("the least over the plan's is down to", worst)
}
