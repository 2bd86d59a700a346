package accountant

import (
	"math"
	"testing"

	"privpipe/account/internal/pld"
	"privpipe/pipelines/event"
)

// nulled changes the relation of charges to replace-null.
func nulled(charges []*event.Charge) (other []*event.Charge) {
	for _, c := range charges {
		changed := *c
		changed.Adjacency = event.ReplaceNull
		other = append(other, &changed)
	}
	return other
}

// TestEmptyUnit: an empty unit costs what one unit more or less does, by both accountants, whatever the scheme.
func TestEmptyUnit(t *testing.T) {
	var sampled []*event.Charge
	for round := range 20 {
		sampled = append(sampled, charge(round+1, poisson(0.05), 1.24))
	}
	seeded := allocate
	seeded.Secret = false
	batch := func(c *event.Charge) { c.Clipping = event.ClipBatch }
	for what, charges := range map[string][]*event.Charge{
		"all":               {charge(1, all, 2), charge(2, all, 3)},
		"poisson":           sampled,
		"poisson, laplace":  {charge(1, poisson(0.05), 2, ofMechanism(event.Laplace))},
		"allocate":          throwOfFour(4),
		"epoch":             {charge(1, epoch, 2, batch), charge(2, epoch, 3, batch)},
		"allocate, by seed": {charge(1, seeded, 2, batch), charge(2, seeded, 2, batch)},
		"one batch twice":   {charge(1, poisson(0.05), 2), charge(1, poisson(0.05), 4, run("s"))},
	} {
		same(t, what, composed(t, nulled(charges)...), composed(t, charges...))
		upper, lower := epsilonOf(t, charges...)
		if u, l := epsilonOf(t, nulled(charges)...); u != upper || l != lower {
			t.Errorf("%s: ε %v to %v, of one unit more or less %v to %v", what, l, u, lower, upper)
		}
	}
	// vips_lda of /work/shared/golden/accounting.jsonl: dp_accounting's PLDAccountant has 0.9320109 under add-remove.
	p, err := Compose(nulled(sampled))
	if err != nil {
		t.Fatal(err)
	}
	d, err := p.List().Distribution(pld.Options{Tolerance: 1e-4})
	if err != nil {
		t.Fatal(err)
	}
	if bound, err := d.Epsilon(1e-4); err != nil || math.Abs(bound.Upper-0.93201) > 2e-4 {
		t.Errorf("20 rounds of rate 0.05: ε %v, %v", bound, err)
	}
}

// TestFixedIsNotByCoins: an empty unit in a batch of a fixed size costs more than by coins of the same rate. The cost
// is no more than the charge. In the test one unit contributes 1 to a cell and all other units −1. Another unit takes
// its place if it is not drawn.
func TestFixedIsNotByCoins(t *testing.T) {
	normal := func(z float64) float64 { return math.Exp(-z*z/2) / math.Sqrt(2*math.Pi) }
	for _, c := range []struct {
		size, population     uint64
		sigma, epsilon, fact float64 // fact is how much more than by coins it costs, at least
		is, coins            float64 // δ in claim.md; 0: none there
	}{
		{1, 100, 1, 0.5, 2000, 4.84e-4, 2.21e-7}, {1, 10, 1, 0.5, 8, 0, 0}, {1, 4, 2, 0.3, 3, 0, 0},
		{1, 50, 1.5, 1, 1e3, 0, 0},
	} {
		q, m, a := float64(c.size)/float64(c.population), 1/c.sigma, math.Exp(c.epsilon)
		opposite, byCoins := 0.0, 0.0
		const h = 1e-3
		for z := -12.0; z <= 12; z += h {
			out := (1 - q) * normal(z+m)
			opposite += h * max(0, out+q*normal(z-m)-a*(out+q*normal(z)))
			with := (1-q)*normal(z) + q*normal(z-m)
			byCoins += h * max(0, with-a*normal(z))
		}
		if !(opposite > c.fact*byCoins) || c.is > 0 &&
			!(math.Abs(opposite/c.is-1) < 0.01 && math.Abs(byCoins/c.coins-1) < 0.01) {
			t.Errorf("%d of %d, σ %v: δ(%v) is %v, by coins %v", c.size, c.population, c.sigma, c.epsilon, opposite,
				byCoins)
		}
		g := &event.Grant{ID: "g", Mechanism: event.Gaussian, Adjacency: event.ReplaceNull, Unit: event.Document,
			NoiseMultiplier: c.sigma}
		g.Scheme = event.Scheme{Method: event.Fixed, Rate: q, Size: c.size, Population: c.population, Rounds: 1,
			Secret: true, Coins: "coins1"}
		composition, err := Compose([]*event.Charge{g.Charge(1, g.Scheme)})
		if err != nil {
			t.Fatal(err)
		}
		p, err := composition.List().Distribution(pld.Options{Tolerance: 1e-4})
		if err != nil {
			t.Fatal(err)
		}
		charged, err := p.Delta(c.epsilon)
		if err != nil || charged.Upper < opposite || charged.Lower > 0 {
			t.Errorf("%d of %d, σ %v: δ(%v) is charged as %v, is at least %v (%v)", c.size, c.population, c.sigma,
				c.epsilon, charged, opposite, err)
		}
		// It is what an exchange for any other unit costs, by both accountants; of that a lower bound is known.
		g.Adjacency = event.ReplaceOne
		exchange := g.Charge(1, g.Scheme)
		upper, lower := epsilonOf(t, exchange)
		g.Adjacency = event.ReplaceNull
		if u, l := epsilonOf(t, g.Charge(1, g.Scheme)); math.Abs(u-upper) > 1e-6*upper || l != 0 || lower == 0 {
			t.Errorf("%d of %d, σ %v: ε %v to %v, of an exchange %v to %v", c.size, c.population, c.sigma, l, u, lower,
				upper)
		}
		same(t, "an exchange", composed(t, g.Charge(1, g.Scheme)), composed(t, exchange))
	}
}
