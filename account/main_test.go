package main

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"log/slog"
	"maps"
	"strconv"
	"testing"

	"privpipe/account/internal/plan"
	_ "privpipe/pipelines/endpoint/kafka" // as program networked links it
	"privpipe/pipelines/event"
	"privpipe/pipelines/testkit"
	"privpipe/pipelines/testkit/script"
)

func TestMain(m *testing.M) { script.Main(m, map[string]func(){"account": main}) }

// TestScripts runs the scripts beside ledgers of a grant for 40 rounds, 30 of them released.
func TestScripts(t *testing.T) {
	grant := &event.Grant{
		Version: 1, ID: "night", Created: testkit.Noon, Mechanism: event.Gaussian, Adjacency: event.AddRemove,
		Unit: event.Document, Clip: 1, NoiseMultiplier: 2, Releases: 40,
		Scheme: event.Scheme{Method: event.Poisson, Rate: 0.05, Rounds: 40, Secret: true},
		Budget: event.Budget{Epsilon: 1, Delta: 1e-6, Accountant: "renyi", After: event.Genesis},
	}
	book30 := func(change func(*event.Charge)) []byte {
		var b testkit.Book
		b.Grant(t, grant)
		for round := range 30 {
			c := testkit.ChargeOf(grant, round+1, "night")
			if round == 29 {
				change(c)
			}
			b.Charge(t, c)
		}
		return b.Bytes
	}
	whole := book30(func(*event.Charge) {})
	given := *grant
	given.Budget = event.Budget{}
	var budgetless testkit.Book
	budgetless.Grant(t, &given)
	budgetless.Charge(t, testkit.ChargeOf(&given, 1, "night"))
	var weeks testkit.Book
	weeks.Grant(t, &given)
	weeks.Charge(t, testkit.ChargeOf(&given, 1, "monday"))
	weeks.Charge(t, testkit.ChargeOf(&given, 2, "tuesday"))
	// charges returns a ledger of a grant and four charges.
	charges := func(grant *event.Grant, change func(*event.Charge)) []byte {
		var b testkit.Book
		b.Grant(t, grant)
		for round := range 4 {
			c := testkit.ChargeOf(grant, round+1, "night")
			change(c)
			b.Charge(t, c)
		}
		return b.Bytes
	}
	forged := given
	forged.ID = "night\n"
	var forgery testkit.Book
	forgery.Grant(t, &forged)
	c := testkit.ChargeOf(&forged, 1, "night")
	c.Dataset = "my data\r"
	forgery.Charge(t, c)
	bare := given
	bare.NoiseMultiplier, bare.Budget = 1./200,
		event.Budget{Epsilon: 1e6, Delta: 1e-6, Accountant: "renyi", After: event.Genesis}
	allocated := given
	allocated.Scheme = event.Scheme{Method: event.Allocate, Rate: 0.25, Rounds: 4, Secret: true}
	epochs := given
	epochs.Version, epochs.Subject = event.GrantVersion, testkit.SubjectFor(event.Gaussian)
	epochs.NoiseMultiplier, epochs.Releases = 4.032, 16
	epochs.Scheme = event.Scheme{Method: event.Allocate, Rate: 0.5, Rounds: 16, Epochs: 8, Secret: true}
	rounds := func(g *event.Grant, rounds int) []byte {
		var b testkit.Book
		b.Grant(t, g)
		for round := range rounds {
			b.Charge(t, testkit.ChargeOf(g, round+1, "night"))
		}
		return b.Bytes
	}
	replaced := func(old, new string) []byte { return bytes.Replace(whole, []byte(old), []byte(new), 1) }
	lines := bytes.SplitAfter(whole, []byte("\n"))
	script.Run(t, merged(headLedgers(t), budgetLedgers(t), datasetLedgers(t), odometerLedgers(t), mechanismLedgers(t),
		verifyLedgers(t), releasedLedgers(t), ruleLedgers(t), map[string][]byte{
			"run.ledger":  whole,
			"torn.ledger": whole[:len(whole)-100],
			"cut.ledger":  whole[:len(whole)-1],
			"none.ledger": book30(func(c *event.Charge) {
				*c = *event.NoCharge(1, event.Document, c.Scheme)
				c.Dataset, c.Run = "d", "exact"
			}),
			"bare.ledger":         charges(&bare, func(*event.Charge) {}),
			"mixed.ledger":        book30(func(c *event.Charge) { c.Unit = event.User }),
			"given.ledger":        budgetless.Bytes,
			"weeks.ledger":        weeks.Bytes,
			"forged.ledger":       forgery.Bytes,
			"unnamed.ledger":      charges(&allocated, func(c *event.Charge) { c.Scheme.Coins = "" }),
			"epochs.ledger":       rounds(&epochs, 16),
			"epochs-begun.ledger": rounds(&epochs, 5),
			"named.ledger":        charges(&allocated, func(*event.Charge) {}),
			"mixed-early.ledger": charges(&given, func(c *event.Charge) {
				if c.Round == 2 {
					c.Unit = event.User
				}
			}),
			"empty.ledger":   nil,
			"changed.ledger": replaced(`"rate":0.05`, `"rate":0.04`),
			"newer.ledger":   replaced(`"version":2,"sequence":3`, `"version":3,"sequence":3`),
			"unknown.ledger": replaced(`"type":"charge"`, `"type":"refund"`),
			"removed.ledger": bytes.Join(append(lines[:9:9], lines[10:]...), nil),
		}))
}

func merged(files ...map[string][]byte) map[string][]byte {
	all := make(map[string][]byte)
	for _, f := range files {
		maps.Copy(all, f)
	}
	return all
}

// mechanismLedgers are ledgers of the mechanisms: what a plan with given noise is charged.
func mechanismLedgers(t *testing.T) map[string][]byte {
	once := event.Scheme{Method: event.All, Rate: 1, Rounds: 1}
	grant := func(change func(*event.Grant)) *event.Grant {
		g := &event.Grant{
			Version: 1, ID: "night", Created: testkit.Noon, Mechanism: event.Gaussian, Adjacency: event.AddRemove,
			Unit: event.Document,
			Clip: 1, NoiseMultiplier: 4, Scheme: once, Releases: 1,
		}
		change(g)
		return g
	}
	laplace := grant(func(g *event.Grant) { g.Mechanism, g.Scheme.Rounds, g.Releases = event.Laplace, 3, 3 })
	// relation has 20 rounds by coins of rate 0.05 with noise 1.24.
	relation := func(adjacency string, change func(*event.Grant)) *event.Grant {
		return grant(func(g *event.Grant) {
			g.Version, g.Subject = 3, testkit.SubjectFor(event.Gaussian)
			g.Adjacency, g.NoiseMultiplier, g.Releases = adjacency, 1.24, 20
			g.Scheme = event.Scheme{Method: event.Poisson, Rate: 0.05, Rounds: 20, Secret: true}
			change(g)
		})
	}
	files := make(map[string][]byte)
	for name, grants := range map[string][]*event.Grant{
		"laplace.ledger": {laplace},
		"select.ledger": {grant(func(g *event.Grant) {
			g.Mechanism, g.MaxWords, g.Threshold, g.Budget.After = event.Select, 20, 25, event.Genesis
			g.Budget.Epsilon, g.Budget.Delta = 2, 1e-6
		})},
		"response.ledger": {grant(func(g *event.Grant) {
			g.Mechanism, g.Clip, g.NoiseMultiplier, g.MaxWords, g.Flip = event.RandomizedResponse, 0, 0, 10, 0.25
			g.Adjacency = event.ReplaceOne
		})},
		"objective.ledger": {grant(func(g *event.Grant) {
			g.Version, g.Mechanism, g.Adjacency, g.Clipping, g.Claim = 3, event.Objective, event.ReplaceOne,
				event.ClipUnbounded, event.PaperClaim
			g.Clip, g.NoiseMultiplier, g.Regularisation, g.ClaimedEpsilon = 0, 0, 1e-4, 1.5
			g.VocabularySize = 2
		})},
		"claimed.ledger": {grant(func(g *event.Grant) { g.Clipping, g.Claim = event.ClipBatch, event.PaperClaim })},
		"agreed.ledger":  {grant(func(g *event.Grant) { g.Claim = event.PaperClaim })},
		"vips20.ledger": {grant(func(g *event.Grant) {
			g.NoiseMultiplier, g.NonNegative, g.Claim, g.Adjacency, g.Releases = 1.24, true, event.PaperClaim,
				event.ReplaceOne, 20
			g.Scheme = event.Scheme{Method: event.Fixed, Rate: 0.05, Size: 20_000, Population: 400_000, Rounds: 20,
				Secret: true}
		})},
		"ma16.ledger": {grant(func(g *event.Grant) {
			g.NoiseMultiplier, g.Claim, g.Releases = 1.24, event.PaperClaim, 20
			g.Scheme = event.Scheme{Method: event.Poisson, Rate: 0.05, Rounds: 20, Secret: true}
		})},
		"ma16-half.ledger": {grant(func(g *event.Grant) {
			g.NoiseMultiplier, g.Claim, g.Releases = 1.24, event.PaperClaim, 10
			g.Scheme = event.Scheme{Method: event.Poisson, Rate: 0.05, Rounds: 20, Secret: true}
		})},
		"exchanged.ledger":     {relation(event.ReplaceOne, func(*event.Grant) {})},
		"orthogonal.ledger":    {relation(event.ReplaceOne, func(g *event.Grant) { g.NonNegative = true })},
		"clipped-batch.ledger": {relation(event.ReplaceOne, func(g *event.Grant) { g.Clipping = event.ClipBatch })},
		"empty-unit.ledger":    {relation(event.ReplaceNull, func(*event.Grant) {})},
		"empty-fixed.ledger": {relation(event.ReplaceNull, func(g *event.Grant) {
			g.NonNegative, g.Scheme = true,
				event.Scheme{Method: event.Fixed, Rate: 0.05, Size: 20_000, Population: 400_000, Rounds: 20,
					Secret: true}
		})},
		"several.ledger": {laplace, grant(func(g *event.Grant) { g.ID = "morning" })},
	} {
		var b testkit.Book
		for _, g := range grants {
			b.Grant(t, g)
			for round := range g.Releases {
				b.Charge(t, testkit.ChargeOf(g, round+1, g.ID))
			}
		}
		files[name] = b.Bytes
	}
	return files
}

// verifyLedgers are a ledger of three releases, the second round twice, its releases, and what is wrong with it.
func verifyLedgers(t *testing.T) map[string][]byte {
	grant := &event.Grant{
		Version: 1, ID: "night", Created: testkit.Noon, Mechanism: event.Gaussian, Adjacency: event.AddRemove,
		Unit: event.Document,
		Clip: 1, NoiseMultiplier: 4, Scheme: event.Scheme{Method: event.Epoch, Rate: 0.25, Rounds: 4}, Releases: 3,
	}
	releases := []string{"round 1\n", "round 2\n", "round 2 again\n"}
	files := make(map[string][]byte)
	var charges []*event.Charge
	for i, release := range releases {
		c := testkit.ChargeOf(grant, min(i+1, 2), "night")
		if i == 2 {
			c.Attempt = 2
		}
		sum := sha256.Sum256([]byte(release))
		c.Release = hex.EncodeToString(sum[:])
		charges = append(charges, c)
		files["release"+strconv.Itoa(i+1)] = []byte(release)
	}
	// last returns the ledger with its last charge changed.
	last := func(change func(*event.Charge)) []byte {
		var b testkit.Book
		b.Grant(t, grant)
		for i, c := range charges {
			c := *c
			if i == 2 {
				change(&c)
			}
			b.Charge(t, &c)
		}
		return b.Bytes
	}
	three := last(func(*event.Charge) {})
	files["three.ledger"] = three
	hash := func(b []byte) string { return string(b[len(b)-len(`"}`)-65:][:64]) } // of the last line
	files["three.txt"] = []byte("verified: 4 lines, 3 charges, last hash " + hash(three) + "\n")
	files["hash.json"] = []byte(`{"last-hash": ["` + hash(three) + `"]}`)
	files["three-cut.ledger"] = bytes.Join(bytes.SplitAfter(three, []byte("\n"))[:3], nil)
	for name, change := range map[string]func(*event.Charge){
		"stranger": func(c *event.Charge) { c.Grant = "noon" },
		"louder":   func(c *event.Charge) { c.Scale-- },
		"later":    func(c *event.Charge) { c.Round, c.Attempt = 5, 0 },
		"resample": func(c *event.Charge) { c.Scheme = event.Scheme{Method: event.All, Rate: 1, Rounds: 4} },
		"attempt":  func(c *event.Charge) { c.Attempt = 3 },
		"outside":  func(c *event.Charge) { c.Run, c.Attempt = "../night", 0 },
		"unnoised": func(c *event.Charge) { *c = *event.NoCharge(3, event.Document, c.Scheme); c.Run = "night" },
	} {
		files[name+".ledger"] = last(change)
	}
	var b testkit.Book
	b.Grant(t, grant)
	b.Grant(t, grant)
	files["granted-twice.ledger"] = b.Bytes
	b = testkit.Book{}
	b.Grant(t, grant)
	for round := range 4 {
		b.Charge(t, testkit.ChargeOf(grant, round+1, "night"))
	}
	files["overdrawn.ledger"] = b.Bytes
	return files
}

// plannedGrant returns the grant of a plan, with what a release would say of itself.
func plannedGrant(t *testing.T, c *plan.Flags) *event.Grant {
	t.Helper()
	c.Mechanism, c.Unit = cmp.Or(c.Mechanism, event.Gaussian), cmp.Or(c.Unit, event.Document)
	c.Accountant = cmp.Or(c.Accountant, "renyi")
	g, err := c.Make(t.Context(), slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	g.Subject = testkit.SubjectFor(g.Mechanism)
	return g
}
