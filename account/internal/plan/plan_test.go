package plan

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"testing"

	"privpipe/account/internal/accountant"
	"privpipe/account/internal/ledgers"
	"privpipe/account/internal/report"
	"privpipe/pipelines/event"
	"privpipe/pipelines/scheme"
	"privpipe/pipelines/testkit"
)

func poisson(rate float64) scheme.Flags {
	return scheme.Flags{Sampled: scheme.Sampled{Poisson: &rate}}
}

// solved returns the grant of a plan.
func solved(t *testing.T, c *Flags) *event.Grant {
	t.Helper()
	if c.Mechanism == "" {
		c.Mechanism = event.Gaussian
	}
	if c.Accountant == "" {
		c.Accountant = "renyi"
	}
	if c.Unit == "" {
		c.Unit = event.Document
	}
	if err := c.readBefore(t.Context()); err != nil {
		t.Fatal(err)
	}
	p, err := c.problem(t.Context(), c.grant())
	if err != nil {
		t.Fatal(err)
	}
	g, err := p.Solve()
	if err != nil {
		t.Fatal(err)
	}
	g.Subject = testkit.SubjectFor(g.Mechanism)
	return g
}

// TestCalibration compares with dp_accounting: no more noise than its worse orders need, and never less than its exact
// accountant asks for.
func TestCalibration(t *testing.T) {
	type row struct {
		Epsilon, Delta, Q float64
		Rounds            int
		Low, High         float64
	}
	for _, r := range testkit.Rows[row](t, "testdata/calibration.jsonl", 12, nil) {
		t.Run(fmt.Sprint(r.Epsilon, r.Delta, r.Q), func(t *testing.T) {
			t.Parallel()
			g := solved(t, &Flags{Budget: Budget{Epsilon: r.Epsilon, Delta: r.Delta},
				Sampling: Sampling{Flags: poisson(r.Q), Rounds: new(r.Rounds)}})
			if !(g.NoiseMultiplier >= r.Low && g.NoiseMultiplier <= r.High) {
				t.Errorf("%+v: noise multiplier %v", r, g.NoiseMultiplier)
			}
		})
	}
}

// TestPlanThenReport: what a plan's releases are charged, on the privatizer's grid, costs at most what was planned, and
// hardly less. A second plan in the same ledger takes only what the first left.
func TestPlanThenReport(t *testing.T) {
	slow := map[string]bool{"allocate": true, "epochs": true} // by pld, half a minute
	for name, c := range map[string]Flags{
		"poisson": {Sampling: Sampling{Flags: poisson(0.05)}},
		"seeded":  {Sampling: Sampling{Flags: poisson(0.05), Seeded: true}},
		"all":     {Sampling: Sampling{Flags: scheme.Flags{Sampled: scheme.Sampled{All: true}}}},
		"fixed": {Sampling: Sampling{Flags: scheme.Flags{Sampled: scheme.Sampled{
			Fixed: scheme.Units{Size: 5, Of: 100}}}}},
		"epoch":    {Sampling: Sampling{Flags: scheme.Flags{Epoch: true}}},
		"allocate": {Sampling: Sampling{Flags: scheme.Flags{Allocate: true}}},
		"epochs":   {Sampling: Sampling{Flags: scheme.Flags{Allocate: true, Epochs: new(3)}, Rounds: new(4)}},
		"batch": {Sampling: Sampling{Flags: scheme.Flags{Epoch: true}},
			Neighbours: Neighbours{Adjacency: event.ReplaceOne}, Clipping: event.ClipBatch,
			Claims: Claims{Claim: event.PaperClaim}},
		"batch seeded": {Sampling: Sampling{Flags: scheme.Flags{Allocate: true}, Seeded: true},
			Neighbours: Neighbours{Adjacency: event.ReplaceOne}, Clipping: event.ClipBatch,
			Claims: Claims{Claim: event.PaperClaim}},
		"batch secret": {Sampling: Sampling{Flags: scheme.Flags{Allocate: true}},
			Neighbours: Neighbours{Adjacency: event.ReplaceOne}, Clipping: event.ClipBatch},
		"non-negative": {Sampling: Sampling{Flags: scheme.Flags{Sampled: scheme.Sampled{All: true}}},
			Neighbours: Neighbours{Adjacency: event.ReplaceOne}, Sums: Sums{NonNegative: true}},
		"laplace": {Sampling: Sampling{Flags: scheme.Flags{Sampled: scheme.Sampled{All: true}}},
			Mechanism: event.Laplace},
		"laplace poisson": {Sampling: Sampling{Flags: poisson(0.05)},
			Mechanism: event.Laplace},
		"laplace epoch": {Sampling: Sampling{Flags: scheme.Flags{Epoch: true}}, Mechanism: event.Laplace,
			Neighbours: Neighbours{Adjacency: event.ReplaceOne}},
		"select": {Mechanism: event.Select, Words: Words{MaxWords: 300},
			Sampling: Sampling{Rounds: new(1)}},
		"select threshold": {Mechanism: event.Select, Words: Words{MaxWords: 3, Threshold: 100},
			Sampling: Sampling{Rounds: new(1)}},
		"response": {Mechanism: event.RandomizedResponse, Words: Words{MaxWords: 30},
			Sampling: Sampling{Rounds: new(1)}},
	} {
		for _, c.Accountant = range []string{"renyi", "pld"} {
			if c.Accountant == "pld" && slow[name] && testkit.Repeats(t, "accounting", 0, 1) == 0 {
				continue
			}
			t.Run(name+" "+c.Accountant, func(t *testing.T) { planThenReport(t, c) })
		}
	}
}

func planThenReport(t *testing.T, c Flags) {
	if c.Delta = 1e-6; c.Rounds == nil {
		c.Rounds = new(20)
	}
	c.Ledger = t.TempDir() + "/run.ledger"
	var b testkit.Book
	b.Begin(t)
	for i, budget := range []float64{0.5, 2} {
		if err := os.WriteFile(c.Ledger, b.Bytes, 0o666); err != nil {
			t.Fatal(err)
		}
		c.Epsilon, c.ID = budget, []string{"first", "second"}[i]
		g := solved(t, &c)
		b.Grant(t, g)
		for round := range g.Releases {
			b.Charge(t, testkit.ChargeOf(g, round+1, c.ID))
		}
		if err := os.WriteFile(c.Ledger, b.Bytes, 0o666); err != nil {
			t.Fatal(err)
		}
		ledger, err := ledgers.Read(t.Context(), c.Ledger)
		if err != nil {
			t.Fatal(err)
		}
		rep := reported(t, ledger, c.Delta, c.Accountant)
		if e := float64(rep.Epsilon); !(e <= budget && e > budget*(1-2e-3)) {
			t.Errorf("planned ε %v, report %v", budget, e)
		}
	}
}

// TestPublicThrow: of a batch clipped as a whole an exchange reaches two rounds where the throw is public, so that an
// allocation from a seed needs the noise of an epoch, √2 of what a secret one needs.
func TestPublicThrow(t *testing.T) {
	noise := func(c Flags) float64 {
		c.Epsilon, c.Delta, c.Rounds, c.Adjacency, c.Clipping = 1, 1e-6, new(20), event.ReplaceOne, event.ClipBatch
		return solved(t, &c).NoiseMultiplier
	}
	epoch, seeded := noise(Flags{Sampling: Sampling{Flags: scheme.Flags{Epoch: true}}}),
		noise(Flags{Sampling: Sampling{Flags: scheme.Flags{Allocate: true}, Seeded: true}})
	secret := noise(Flags{Sampling: Sampling{Flags: scheme.Flags{Allocate: true}}})
	if epoch != seeded || math.Abs(epoch/secret-math.Sqrt2) > 1e-4 {
		t.Errorf("noise multipliers %v for an epoch, %v for a seeded allocation, %v for a secret one", epoch, seeded,
			secret)
	}
}

func reported(t *testing.T, ledger *event.Ledger, delta float64, by string) *report.Report {
	t.Helper()
	rep, err := (&report.Query{Delta: &delta, LedgerChoice: accountant.LedgerChoice{Accountant: by}}).Report(ledger)
	if err != nil {
		t.Fatal(err)
	}
	return rep
}

// TestRandomPlans: after a ledger of random releases, a random plan stays within its budget to the last digit.
func TestRandomPlans(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	pick := func(from ...string) string { return from[random.IntN(len(from))] }
	plan := func() Flags {
		c := Flags{Mechanism: pick(event.Gaussian, event.Laplace, event.Select),
			Sampling: Sampling{Rounds: new(1 + random.IntN(12))},
			Budget:   Budget{Delta: 1e-6, Epsilon: math.Exp(random.Float64()*3 - 1), Accountant: pick("renyi", "pld")},
			Clipping: pick("", event.ClipProved)}
		switch {
		case c.Mechanism == event.Select:
			c.Rounds, c.MaxWords, c.Clipping = new(1), 1+random.IntN(100), ""
		case random.IntN(2) == 0:
			c.Poisson = new(random.Float64())
		case random.IntN(2) == 0:
			c.Epoch = true
		default:
			c.Allocate = true
		}
		return c
	}
	for i := range testkit.Repeats(t, "accounting", 3, 24) {
		c := plan()
		before := plan()
		var b testkit.Book
		b.Begin(t)
		first := solved(t, &before)
		first.Budget, first.Ledger = event.Budget{}, "" // as if it had been planned for no budget
		b.Grant(t, first)
		b.Charge(t, testkit.ChargeOf(first, 1, "before"))
		c.Ledger = t.TempDir() + "/run.ledger"
		if err := os.WriteFile(c.Ledger, b.Bytes, 0o666); err != nil {
			t.Fatal(err)
		}
		c.Epsilon += float64(reported(t, &b.Ledger, c.Delta, c.Accountant).Epsilon)
		g := solved(t, &c)
		if err := errors.Join(c.check(), g.Check()); err != nil {
			t.Fatal(err)
		}
		b.Grant(t, g)
		for round := range g.Releases {
			b.Charge(t, testkit.ChargeOf(g, round+1, "night"))
		}
		if e := float64(reported(t, &b.Ledger, c.Delta, c.Accountant).Epsilon); !(e <= c.Epsilon &&
			e > c.Epsilon*0.99) {
			t.Errorf("%d: planned ε %v, report %v: %+v", i, c.Epsilon, e, g)
		}
	}
}

// TestMoreNoiseIsLess: for each mechanism ε falls as its noise grows.
func TestMoreNoiseIsLess(t *testing.T) {
	for name, c := range map[string]Flags{
		"gaussian": {Sampling: Sampling{Flags: poisson(0.1), Rounds: new(9)}},
		"laplace": {Sampling: Sampling{Flags: poisson(0.1), Rounds: new(9)},
			Mechanism: event.Laplace},
		"epoch": {Sampling: Sampling{Flags: scheme.Flags{Epoch: true}, Rounds: new(9)},
			Mechanism: event.Laplace},
		"select": {Mechanism: event.Select, Sampling: Sampling{Rounds: new(1)},
			Words: Words{MaxWords: 10}},
		"response": {Mechanism: event.RandomizedResponse, Sampling: Sampling{Rounds: new(1)},
			Words: Words{MaxWords: 10}},
	} {
		c.Delta, c.Unit, c.Accountant = 1e-6, event.Document, "pld"
		before := math.Inf(1)
		for _, noise := range []float64{0.02, 0.03, 0.1, 0.3, 0.49} {
			g := c.grant()
			if g.Mechanism == "" {
				g.Mechanism = event.Gaussian
			}
			if g.Mechanism != event.RandomizedResponse {
				noise *= 10
			}
			(&solver{Problem: Problem{Grant: g, Delta: c.Delta}}).set(noise)
			var b testkit.Book
			for round := range g.Releases {
				b.Charge(t, testkit.ChargeOf(g, round+1, "night"))
			}
			if e := float64(reported(t, &b.Ledger, c.Delta, c.Accountant).Epsilon); e >= before {
				t.Errorf("%s: with noise %v, ε is %v, with less it was %v", name, noise, e, before)
			} else {
				before = e
			}
		}
	}
}
