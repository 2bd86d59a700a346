package main

import (
	"bytes"
	"testing"
	"time"

	"privpipe/pipelines/event"
	"privpipe/pipelines/testkit/script"
)

func TestMain(m *testing.M) { script.Main(m, map[string]func(){"account": main}) }

// A book is a ledger in the making.
type book struct {
	event.Ledger
	bytes []byte
}

func (b *book) add(t *testing.T, line *event.Line) {
	t.Helper()
	encoded, err := line.Encode(b.LastHash())
	if err != nil {
		t.Fatal(err)
	}
	b.Lines, b.bytes = append(b.Lines, line), append(b.bytes, encoded...)
}

func (b *book) charge(t *testing.T, c *event.Charge) {
	t.Helper()
	line := b.Next(noon)
	line.Type, line.Charge = event.TypeCharge, c
	b.add(t, line)
}

func (b *book) grant(t *testing.T, g *event.Grant) {
	t.Helper()
	line := b.Next(noon)
	line.Type, line.Grant = event.TypeGrant, g
	b.add(t, line)
}

var noon = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

// TestScripts runs the scripts beside ledgers of a grant for 40 rounds, 30 of them released.
func TestScripts(t *testing.T) {
	grant := &event.Grant{
		Version: 1, ID: "night", Created: noon, Mechanism: event.Gaussian, Adjacency: event.AddRemove,
		Unit: event.Document, Clip: 1, NoiseMultiplier: 2, Releases: 40,
		Scheme: event.Scheme{Method: event.Poisson, Rate: 0.05, Rounds: 40, Secret: true},
		Budget: event.Budget{Epsilon: 1, Delta: 1e-6, Accountant: "renyi", After: event.Genesis},
	}
	book30 := func(change func(*event.Charge)) []byte {
		var b book
		b.grant(t, grant)
		for round := range 30 {
			c := chargeOf(grant, round+1, "night")
			if round == 29 {
				change(c)
			}
			b.charge(t, c)
		}
		return b.bytes
	}
	whole := book30(func(*event.Charge) {})
	given := *grant
	given.Budget = event.Budget{}
	var budgetless book
	budgetless.grant(t, &given)
	budgetless.charge(t, chargeOf(&given, 1, "night"))
	replaced := func(old, new string) []byte { return bytes.Replace(whole, []byte(old), []byte(new), 1) }
	lines := bytes.SplitAfter(whole, []byte("\n"))
	script.Run(t, map[string][]byte{
		"run.ledger":     whole,
		"torn.ledger":    whole[:len(whole)-100],
		"cut.ledger":     whole[:len(whole)-1],
		"none.ledger":    book30(func(c *event.Charge) { c.Mechanism, c.Sensitivity, c.Scale = event.None, 0, 0 }),
		"mixed.ledger":   book30(func(c *event.Charge) { c.Unit = event.User }),
		"given.ledger":   budgetless.bytes,
		"empty.ledger":   nil,
		"changed.ledger": replaced(`"rate":0.05`, `"rate":0.04`),
		"newer.ledger":   replaced(`"version":1,"sequence":3`, `"version":2,"sequence":3`),
		"unknown.ledger": replaced(`"type":"charge"`, `"type":"refund"`),
		"removed.ledger": bytes.Join(append(lines[:9:9], lines[10:]...), nil),
	})
}
