package main

import (
	"os"
	"strings"
	"testing"
	"time"

	"privpipe/account/internal/ledgers"
	"privpipe/account/internal/plan"
	"privpipe/pipelines/event"
	"privpipe/pipelines/scheme"
	"privpipe/pipelines/testkit"
)

// ruleLedgers returns ledgers with a right chain and right noise. The first ledger, in-time, breaks no rule. Each other
// ledger has a line that privatize would not have written. The grant comes first in each ledger, then a charge by it.
func ruleLedgers(t *testing.T) map[string][]byte {
	expires := testkit.Noon.Add(time.Hour)
	grant := func(scheme event.Scheme, budget float64) *event.Grant {
		g := &event.Grant{
			Version: 1, ID: "first", Created: testkit.Noon, Expires: &expires, Mechanism: event.Gaussian,
			Adjacency: event.AddRemove,
			Unit:      event.Document, Clip: 1, NoiseMultiplier: 4, Scheme: scheme, Releases: 4,
		}
		if budget > 0 {
			g.Budget = event.Budget{Epsilon: budget, Delta: 1e-6, Accountant: "renyi", After: event.Genesis}
		}
		return g
	}
	all := event.Scheme{Method: event.All, Rate: 1, Rounds: 4}
	poisson := event.Scheme{Method: event.Poisson, Rate: 0.05, Rounds: 4, Secret: true}
	allocate := event.Scheme{Method: event.Allocate, Rate: 0.25, Rounds: 4, Secret: true}
	epoch := event.Scheme{Method: event.Epoch, Rate: 0.25, Rounds: 4}
	second := func(g event.Grant) *event.Grant {
		g.ID = "second"
		return &g
	}
	files := make(map[string][]byte)
	for name, c := range map[string]struct {
		grant *event.Grant
		more  func(b *testkit.Book, g *event.Grant) // what follows on line 3
	}{
		"in-time": {grant(all, 0), func(b *testkit.Book, g *event.Grant) {
			line := b.Next(expires.Add(-time.Second))
			line.Type, line.Charge = event.TypeCharge, testkit.ChargeOf(g, 2, "first")
			b.Add(t, line)
		}},
		"expired": {grant(all, 0), func(b *testkit.Book, g *event.Grant) {
			line := b.Next(expires)
			line.Type, line.Charge = event.TypeCharge, testkit.ChargeOf(g, 2, "first")
			b.Add(t, line)
		}},
		"second-run": {grant(epoch, 0), func(b *testkit.Book, g *event.Grant) {
			c := testkit.ChargeOf(g, 2, "first")
			c.Run = "second"
			b.Charge(t, c)
		}},
		"second-data": {grant(epoch, 0), func(b *testkit.Book, g *event.Grant) {
			c := testkit.ChargeOf(g, 2, "first")
			c.Dataset = "other"
			b.Charge(t, c)
		}},
		"second-throw": {grant(allocate, 0), func(b *testkit.Book, g *event.Grant) {
			c := testkit.ChargeOf(g, 2, "first")
			c.Scheme.Coins = "another"
			b.Charge(t, c)
		}},
		"respent": {grant(all, 9), func(b *testkit.Book, g *event.Grant) {
			c := testkit.ChargeOf(g, 1, "first")
			c.Attempt = 2
			b.Charge(t, c)
		}},
		"same-batch": {grant(poisson, 9), func(b *testkit.Book, g *event.Grant) {
			c := testkit.ChargeOf(g, 1, "first")
			c.Run = "second"
			b.Charge(t, c)
		}},
		"unplanned": {grant(poisson, 9), func(b *testkit.Book, g *event.Grant) {
			b.Grant(t, second(*g))
			b.Charge(t, testkit.ChargeOf(second(*g), 1, "second"))
		}},
		"two-units": {grant(all, 0), func(b *testkit.Book, g *event.Grant) {
			other := second(*g)
			other.Unit = event.User
			b.Grant(t, other)
			b.Charge(t, testkit.ChargeOf(other, 1, "second"))
		}},
		"by-another-grant": {grant(all, 0), func(b *testkit.Book, g *event.Grant) {
			other := second(*g)
			b.Grant(t, other)
			c := testkit.ChargeOf(other, 1, "second")
			c.Run, c.Attempt = "first", 2
			b.Charge(t, c)
		}},
		// Four releases with a noise multiplier of 4 cost as much as one with 2: ε = 2.25 at δ = 1e-6 (Balle and Wang
		// 2018, theorem 8), so no accountant can find that they cost 2.
		"overspent": {grant(all, 2), func(b *testkit.Book, g *event.Grant) {
			for round := 2; round <= 4; round++ {
				b.Charge(t, testkit.ChargeOf(g, round, "first"))
			}
		}},
	} {
		var b testkit.Book
		b.Grant(t, c.grant)
		b.Charge(t, testkit.ChargeOf(c.grant, 1, "first"))
		c.more(&b, c.grant)
		files[name+".ledger"] = b.Bytes
	}
	for name, change := range map[string]func(*event.Grant, *event.Charge){
		"unnamed-throw":     func(_ *event.Grant, c *event.Charge) { c.Scheme.Coins = "" },
		"planned-elsewhere": func(g *event.Grant, _ *event.Charge) { g.Budget.After = strings.Repeat("f", 64) },
	} {
		g := grant(allocate, 9)
		c := testkit.ChargeOf(g, 1, "first")
		change(g, c)
		var b testkit.Book
		b.Grant(t, g)
		b.Charge(t, c)
		files[name+".ledger"] = b.Bytes
	}
	return files
}

// TestVerifiedPlans: the checks accept the charges by a plan that account made, to the last digit of the plan's budget.
// With a budget smaller by a thousandth, the budget check refuses the charges.
func TestVerifiedPlans(t *testing.T) {
	for name, c := range map[string]plan.Flags{
		"poisson": {Sampling: plan.Sampling{Flags: scheme.Flags{Sampled: scheme.Sampled{Poisson: new(0.05)}}}},
		"seeded": {Sampling: plan.Sampling{Flags: scheme.Flags{Sampled: scheme.Sampled{Poisson: new(0.05)}},
			Seeded: true}},
		"fixed": {Sampling: plan.Sampling{Flags: scheme.Flags{Sampled: scheme.Sampled{
			Fixed: scheme.Units{Size: 5, Of: 100}}}}},
		"epoch":    {Sampling: plan.Sampling{Flags: scheme.Flags{Epoch: true}}},
		"allocate": {Sampling: plan.Sampling{Flags: scheme.Flags{Allocate: true}}},
		"epochs":   {Sampling: plan.Sampling{Flags: scheme.Flags{Allocate: true, Epochs: new(3)}, Rounds: new(10)}},
		"batch": {Sampling: plan.Sampling{Flags: scheme.Flags{Sampled: scheme.Sampled{All: true}}},
			Clipping: event.ClipBatch, Claims: plan.Claims{Claim: event.PaperClaim}},
		"laplace": {Sampling: plan.Sampling{Flags: scheme.Flags{Sampled: scheme.Sampled{All: true}}},
			Mechanism: event.Laplace},
		"select": {Mechanism: event.Select, Words: plan.Words{MaxWords: 300},
			Sampling: plan.Sampling{Rounds: new(1)}},
		"response": {Mechanism: event.RandomizedResponse, Words: plan.Words{MaxWords: 30},
			Sampling: plan.Sampling{Rounds: new(1)}},
	} {
		t.Run(name, func(t *testing.T) {
			if c.Delta, c.ID = 1e-6, "night"; c.Rounds == nil {
				c.Rounds = new(20)
			}
			for share, verified := range map[float64]bool{1: true, 0.999: false} {
				c.Epsilon = 1
				var b testkit.Book
				b.Begin(t)
				c.Ledger = t.TempDir() + "/run.ledger"
				if err := os.WriteFile(c.Ledger, b.Bytes, 0o666); err != nil {
					t.Fatal(err)
				}
				g := plannedGrant(t, &c)
				g.Budget.Epsilon *= share
				b.Grant(t, g)
				for round := range g.Releases {
					b.Charge(t, testkit.ChargeOf(g, round+1, "night"))
				}
				if err := ledgers.CheckGrants("x", &b.Ledger); err != nil {
					t.Fatal(err)
				}
				if err := ledgers.CheckBudgets("x", &b.Ledger); (err == nil) != verified {
					t.Errorf("%v of the budget: %v", share, err)
				}
			}
		})
	}
}

// TestLaterGrants: a budget is for what was charged up to the last charge of its own grant, not for what came later.
func TestLaterGrants(t *testing.T) {
	var b testkit.Book
	b.Begin(t)
	c := plan.Flags{Sampling: plan.Sampling{Flags: scheme.Flags{Sampled: scheme.Sampled{All: true}}, Rounds: new(2)},
		Budget: plan.Budget{Epsilon: 1, Delta: 1e-6, Ledger: t.TempDir() + "/run.ledger"},
		Term:   plan.Term{ID: "first"}}
	if err := os.WriteFile(c.Ledger, b.Bytes, 0o666); err != nil {
		t.Fatal(err)
	}
	first := plannedGrant(t, &c)
	b.Grant(t, first)
	b.Charge(t, testkit.ChargeOf(first, 1, "first"))
	b.Charge(t, testkit.ChargeOf(first, 2, "first"))
	given := *first
	given.ID, given.Budget = "second", event.Budget{}
	b.Grant(t, &given)
	b.Charge(t, testkit.ChargeOf(&given, 1, "second"))
	for _, check := range []func(string, *event.Ledger) error{ledgers.CheckGrants, ledgers.CheckBudgets} {
		if err := check("x", &b.Ledger); err != nil {
			t.Error(err)
		}
	}
	// But the ledger holds more than any budget that was planned for it.
	if overspent, err := ledgers.CheckOverspent("x", &b.Ledger); overspent == nil || err != nil {
		t.Errorf("overspent %v, %v", overspent, err)
	}
}
