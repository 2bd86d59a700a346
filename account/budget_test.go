package main

import (
	"bytes"
	"os"
	"strconv"
	"testing"

	"privpipe/account/internal/accountant"
	"privpipe/account/internal/ledgers"
	"privpipe/account/internal/plan"
	"privpipe/pipelines/event"
	"privpipe/pipelines/scheme"
	"privpipe/pipelines/testkit"
)

// nightly returns a ledger of ε 3 at δ 1e-6 on which nights are planned, each for ½ more than what was planned before,
// and finished, six in all. A night is two releases.
func nightly(t *testing.T) *testkit.Book {
	t.Helper()
	head := event.NewHead()
	head.Budget = &event.Limit{Epsilon: 3, Delta: 1e-6}
	b := new(testkit.Book)
	line := b.Next(testkit.Noon)
	line.Type, line.Head = event.TypeHead, head
	b.Add(t, line)
	path := t.TempDir() + "/run.ledger"
	for night := 1; night <= 6; night++ {
		if err := os.WriteFile(path, b.Bytes, 0o666); err != nil {
			t.Fatal(err)
		}
		id := "night" + strconv.Itoa(night)
		g := plannedGrant(t, &plan.Flags{
			Sampling: plan.Sampling{Flags: scheme.Flags{Sampled: scheme.Sampled{All: true}}, Rounds: new(2)},
			Budget:   plan.Budget{Epsilon: float64(night) / 2, Delta: 1e-6, Ledger: path, Accountant: "pld"},
			Term:     plan.Term{ID: id}})
		b.Grant(t, g)
		for round := range 2 {
			b.Charge(t, testkit.ChargeOf(g, round+1, id))
		}
	}
	return b
}

// budgetLedgers are ledgers of several runs with a budget of their own, or a filter.
func budgetLedgers(t *testing.T) map[string][]byte {
	late := new(testkit.Book) // 0.87 of ε 1 is spent
	g := &event.Grant{
		Version: 1, ID: "night", Created: testkit.Noon, Mechanism: event.Gaussian, Adjacency: event.AddRemove,
		Unit: event.Document,
		Clip: 1, NoiseMultiplier: 1.75, Releases: 40,
		Scheme: event.Scheme{Method: event.Poisson, Rate: 0.05, Rounds: 40, Secret: true},
		Budget: event.Budget{Epsilon: 1, Delta: 1e-6, After: event.Genesis},
	}
	late.Grant(t, g)
	for round := range 27 {
		late.Charge(t, testkit.ChargeOf(g, round+1, "night"))
	}
	over := new(testkit.Book) // more than ε 1 at δ 1e-6, less than ε 1 at δ 1e-2
	over.Grant(t, g)
	given := *g
	given.ID, given.Budget = "given", event.Budget{}
	over.Grant(t, &given)
	for round := range 40 {
		over.Charge(t, testkit.ChargeOf(g, round+1, "night"))
	}
	for round := range 40 {
		over.Charge(t, testkit.ChargeOf(&given, round+1, "given"))
	}
	filtered := new(testkit.Book)
	head := &event.Head{ID: event.NewHead().ID, Budget: &event.Limit{Epsilon: 1, Delta: 1e-6}}
	head.Filter = &event.Filter{Measure: event.ZCDP, Limit: 0.024}
	line := filtered.Next(testkit.Noon)
	line.Type, line.Head = event.TypeHead, head
	filtered.Add(t, line)
	g = &event.Grant{
		Version: event.GrantVersion, ID: "night", Created: testkit.Noon, Ledger: head.ID, Mechanism: event.Gaussian,
		Adjacency: event.AddRemove, Unit: event.Document, Subject: testkit.SubjectFor(event.Gaussian), Clip: 1,
		NoiseMultiplier: 16,
		Scheme:          event.Scheme{Method: event.All, Rate: 1, Rounds: 4}, Releases: 4, Cost: 1. / 512 * (1 + 1e-8),
	}
	filtered.Grant(t, g)
	filtered.Charge(t, testkit.ChargeOf(g, 1, "night"))
	shared := bytes.SplitAfter(nightly(t).Bytes, []byte("\n"))
	nights := func(n int) []byte { return bytes.Join(shared[:1+3*n], nil) }
	return map[string][]byte{
		"shared.ledger": nights(4), "shared-late.ledger": nights(5), "full.ledger": nights(6),
		"late.ledger": late.Bytes, "filtered.ledger": filtered.Bytes, "over.ledger": over.Bytes,
	}
}

// TestAlarmOverNights: on a ledger with a budget of its own the alarm is silent as long as no more than its part of
// that is spent, however many grants are used up, and rings from then on.
func TestAlarmOverNights(t *testing.T) {
	flags := ledgers.AlarmFlags{Alarm: new(0.8)}
	quiet, rang := 0, 0
	nights := nightly(t)
	for lines := range nights.Lines {
		b := event.Ledger{Lines: nights.Lines[:lines+1]}
		choice := accountant.LedgerChoice{Accountant: "pld"}
		alarm, err := flags.Watch("x", &b, choice.Spending(&b), 1e-6)
		if err != nil {
			t.Fatal(err)
		}
		spent, err := choice.Spending(&b)(b.Charges())
		if err != nil {
			t.Fatal(err)
		}
		epsilon, err := spent.Epsilon(1e-6)
		if err != nil || (alarm != nil) != (epsilon > 2.4) {
			t.Errorf("after %d lines ε is %v: %v, %v", lines+1, epsilon, alarm, err)
		}
		if alarm == nil {
			quiet++
		} else {
			rang++
		}
	}
	if quiet < 12 || rang < 4 {
		t.Errorf("quiet %d times, rang %d times", quiet, rang)
	}
}
