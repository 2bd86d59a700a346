package main

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"testing"

	"privpipe/pipelines/event"
)

// solved returns the grant of a plan.
func solved(t *testing.T, c *planCommand) *event.Grant {
	t.Helper()
	g := &event.Grant{Adjacency: event.AddRemove, Unit: event.Document, Scheme: c.scheme(), Releases: c.Rounds}
	if g.Scheme.Method == event.Fixed {
		g.Adjacency = event.ReplaceOne
	}
	if err := c.solve(g); err != nil {
		t.Fatal(err)
	}
	return g
}

// TestCalibration compares with dp_accounting: no more noise than its worse orders need, and never less than its exact
// accountant asks for.
func TestCalibration(t *testing.T) {
	f, err := os.Open("testdata/calibration.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	d := json.NewDecoder(f)
	var head map[string]string
	if err := d.Decode(&head); err != nil {
		t.Fatal(err)
	}
	rows := 0
	for ; d.More(); rows++ {
		var r struct {
			Epsilon, Delta, Q float64
			Rounds            int
			Low, High         float64
		}
		if err := d.Decode(&r); err != nil {
			t.Fatal(err)
		}
		t.Run(fmt.Sprint(r.Epsilon, r.Delta, r.Q), func(t *testing.T) {
			t.Parallel()
			g := solved(t, &planCommand{Epsilon: r.Epsilon, Delta: r.Delta, Poisson: r.Q, Rounds: r.Rounds})
			if !(g.NoiseMultiplier >= r.Low && g.NoiseMultiplier <= r.High) {
				t.Errorf("%+v: noise multiplier %v", r, g.NoiseMultiplier)
			}
		})
	}
	if rows != 12 {
		t.Errorf("%d rows, want 12", rows)
	}
}

// TestPlanThenReport: what a plan's releases are charged, on the privatizer's grid, costs at most what was planned, and
// hardly less. A second plan in the same ledger takes only what the first left.
func TestPlanThenReport(t *testing.T) {
	const delta = 1e-6
	for name, c := range map[string]planCommand{
		"poisson":  {Poisson: 0.05},
		"seeded":   {Poisson: 0.05, Seeded: true},
		"all":      {All: true},
		"fixed":    {Fixed: fraction{5, 100}},
		"epoch":    {Epoch: true},
		"allocate": {Allocate: true},
	} {
		t.Run(name, func(t *testing.T) {
			c.Rounds, c.Delta = 20, delta
			c.Ledger = t.TempDir() + "/run.ledger"
			var b book
			for _, budget := range []float64{0.5, 2} {
				c.Epsilon = budget
				g := solved(t, &c)
				for round := range c.Rounds {
					b.charge(t, chargeOf(g, round+1, map[float64]string{0.5: "first", 2: "second"}[budget]))
				}
				if err := os.WriteFile(c.Ledger, b.bytes, 0o666); err != nil {
					t.Fatal(err)
				}
				ledger, err := readLedger(c.Ledger)
				if err != nil {
					t.Fatal(err)
				}
				at := float64(delta)
				rep, err := (&reportCommand{Delta: &at}).report(ledger)
				if err != nil {
					t.Fatal(err)
				}
				if e := float64(rep.Epsilon); !(e <= budget && e > budget*(1-1e-3)) {
					t.Errorf("planned ε %v, report %v", budget, e)
				}
			}
		})
	}
}

// chargeOf is the charge of a round as the privatizer makes it: a bound of 2^20 steps, and noise rounded up to a step.
func chargeOf(g *event.Grant, round int, run string) *event.Charge {
	scheme := g.Scheme
	if scheme.Method != event.All && scheme.Method != event.Epoch {
		scheme.Coins = "throw-of-" + run
	}
	return &event.Charge{
		Dataset: "d", Run: run, Round: round, Grant: run, Mechanism: event.Gaussian, Adjacency: g.Adjacency,
		Unit: g.Unit, Sensitivity: event.SensitivityFactor(g.Adjacency) << 20,
		Scale: uint64(math.Ceil(math.Ldexp(g.NoiseMultiplier, 20))), Scheme: scheme,
	}
}

func TestFraction(t *testing.T) {
	var f fraction
	if err := f.UnmarshalText([]byte("20/400")); err != nil || f != (fraction{20, 400}) {
		t.Errorf("20/400 is %v, %v", f, err)
	}
	for _, text := range []string{
		"", "/", "20", "20/", "/400", "20/0", "-1/4", "1/4/5", "0.5/4", "1 /4", "1/18446744073709551616",
	} {
		if err := f.UnmarshalText([]byte(text)); err == nil {
			t.Errorf("%q is accepted", text)
		}
	}
}
