package main

import (
	"bytes"
	"os"
	"strconv"
	"testing"

	"privpipe/pipelines/event"
)

// nightly returns a ledger of ε 3 at δ 1e-6 on which nights are planned, each for ½ more than what was planned before, and
// finished, six in all. A night is two releases.
func nightly(t *testing.T) *book {
	t.Helper()
	head := event.NewHead()
	head.Budget = &event.Limit{Epsilon: 3, Delta: 1e-6}
	b := new(book)
	line := b.Next(noon)
	line.Type, line.Head = event.TypeHead, head
	b.add(t, line)
	path := t.TempDir() + "/run.ledger"
	for night := 1; night <= 6; night++ {
		if err := os.WriteFile(path, b.bytes, 0o666); err != nil {
			t.Fatal(err)
		}
		id := "night" + strconv.Itoa(night)
		g := plannedGrant(t, &planFlags{All: true, Rounds: new(2), Epsilon: float64(night) / 2, Delta: 1e-6, ID: id, Ledger: path, Accountant: "pld"})
		b.grant(t, g)
		for round := range 2 {
			b.charge(t, chargeOf(g, round+1, id))
		}
	}
	return b
}

// budgetLedgers are ledgers of several runs with a budget of their own, or a filter.
func budgetLedgers(t *testing.T) map[string][]byte {
	late := new(book) // 0.87 of ε 1 is spent
	g := &event.Grant{
		Version: 1, ID: "night", Created: noon, Mechanism: event.Gaussian, Adjacency: event.AddRemove, Unit: event.Document,
		Clip: 1, NoiseMultiplier: 1.75, Releases: 40, Scheme: event.Scheme{Method: event.Poisson, Rate: 0.05, Rounds: 40, Secret: true},
		Budget: event.Budget{Epsilon: 1, Delta: 1e-6, After: event.Genesis},
	}
	late.grant(t, g)
	for round := range 27 {
		late.charge(t, chargeOf(g, round+1, "night"))
	}
	filtered := new(book)
	head := &event.Head{ID: event.NewHead().ID, Budget: &event.Limit{Epsilon: 1, Delta: 1e-6}}
	head.Filter = &event.Filter{Measure: event.ZCDP, Limit: 0.024}
	line := filtered.Next(noon)
	line.Type, line.Head = event.TypeHead, head
	filtered.add(t, line)
	g = &event.Grant{
		Version: event.GrantVersion, ID: "night", Created: noon, Ledger: head.ID, Mechanism: event.Gaussian,
		Adjacency: event.AddRemove, Unit: event.Document, Subject: subjectFor(event.Gaussian), Clip: 1, NoiseMultiplier: 16,
		Scheme: event.Scheme{Method: event.All, Rate: 1, Rounds: 4}, Releases: 4, Cost: 1. / 512 * (1 + 1e-8),
	}
	filtered.grant(t, g)
	filtered.charge(t, chargeOf(g, 1, "night"))
	shared := bytes.SplitAfter(nightly(t).bytes, []byte("\n"))
	nights := func(n int) []byte { return bytes.Join(shared[:1+3*n], nil) }
	return map[string][]byte{
		"shared.ledger": nights(4), "shared-late.ledger": nights(5), "full.ledger": nights(6),
		"late.ledger": late.bytes, "filtered.ledger": filtered.bytes,
	}
}

// TestAlarmOverNights: on a ledger with a budget of its own the alarm is silent as long as no more than its part of that is
// spent, however many grants are used up, and rings from then on.
func TestAlarmOverNights(t *testing.T) {
	flags := alarmFlags{Alarm: new(0.8)}
	quiet, rang := 0, 0
	nights := nightly(t)
	for lines := range nights.Lines {
		b := event.Ledger{Lines: nights.Lines[:lines+1]}
		choice := ledgerChoice{Accountant: "pld"}
		alarm, err := flags.watch("x", &b, choice.spending(&b), 1e-6)
		if err != nil {
			t.Fatal(err)
		}
		spent, err := choice.spending(&b)(b.Charges())
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

// TestStanding: the ledger's own budget stands before the latest that was planned and charged.
func TestStanding(t *testing.T) {
	head := &event.Line{Head: &event.Head{Budget: &event.Limit{Epsilon: 3, Delta: 1e-6}}}
	grant := func(id string, epsilon float64) *event.Line {
		return &event.Line{Grant: &event.Grant{ID: id, Budget: event.Budget{Epsilon: epsilon, Delta: 1e-6}}}
	}
	charge := func(id string) *event.Line { return &event.Line{Charge: &event.Charge{Grant: id}} }
	for what, c := range map[string]struct {
		lines []*event.Line
		want  []float64
	}{
		"nothing":              {nil, nil},
		"no budget":            {[]*event.Line{grant("a", 0), charge("a")}, nil},
		"own":                  {[]*event.Line{head}, []float64{3}},
		"planned":              {[]*event.Line{grant("a", 1), charge("a")}, []float64{1}},
		"not charged":          {[]*event.Line{grant("a", 1)}, nil},
		"later":                {[]*event.Line{grant("a", 1), charge("a"), grant("b", 2), charge("b"), charge("a")}, []float64{2}},
		"less, later":          {[]*event.Line{grant("a", 2), charge("a"), grant("b", 1), charge("b")}, []float64{1}},
		"given noise later":    {[]*event.Line{grant("a", 2), charge("a"), grant("b", 0), charge("b")}, []float64{2}},
		"own and planned":      {[]*event.Line{head, grant("a", 1), charge("a")}, []float64{3, 1}},
		"own, planned in full": {[]*event.Line{head, grant("a", 3), charge("a")}, []float64{3}},
	} {
		ledger := &event.Ledger{Lines: c.lines}
		var got []float64
		for _, b := range standing(ledger) {
			got = append(got, b.Epsilon)
		}
		if total := totalBudget(ledger); len(got) != len(c.want) || (total == nil) != (len(got) == 0) || total != nil && total.Epsilon != got[0] {
			t.Errorf("%s: %v, want %v", what, got, c.want)
			continue
		}
		for i := range got {
			if got[i] != c.want[i] {
				t.Errorf("%s: %v, want %v", what, got, c.want)
			}
		}
	}
}
