package main

import (
	"fmt"
	"testing"

	"privpipe/pipelines/event"
	"privpipe/pipelines/testkit"
)

// odometerLedgers are ledgers of several runs.
func odometerLedgers(t *testing.T) map[string][]byte {
	grant := func(id string, multiplier, epsilon float64) *event.Grant {
		g := &event.Grant{
			Version: 1, ID: id, Created: testkit.Noon, Mechanism: event.Gaussian, Adjacency: event.AddRemove,
			Unit: event.Document,
			Clip: 1, NoiseMultiplier: multiplier, Releases: 10,
			Scheme: event.Scheme{Method: event.Poisson, Rate: 0.05, Rounds: 10, Secret: true},
		}
		if epsilon > 0 {
			g.Budget = event.Budget{Epsilon: epsilon, Delta: 1e-6, After: event.Genesis}
		}
		return g
	}
	nights := new(testkit.Book) // three runs, the last without a budget
	for i, g := range []*event.Grant{grant("monday", 2, 1), grant("tuesday", 1.5, 2), grant("wednesday", 3, 0)} {
		nights.Planned(t, g)
		for round := range 10 - i {
			nights.Charge(t, testkit.ChargeOf(g, round+1, g.ID))
		}
	}
	turns := new(testkit.Book) // two runs that take turns, and a third in between
	g := grant("g", 2, 1)
	turns.Grant(t, g)
	for i, run := range []string{"a", "b", "c", "a", "c"} {
		turns.Charge(t, testkit.ChargeOf(g, i/2+1, run))
	}
	many := new(testkit.Book) // more budgets than there is room for
	for i := range 7 {
		g := grant(fmt.Sprint("night", i), 3, 1+float64(i)/4)
		many.Planned(t, g)
		many.Charge(t, testkit.ChargeOf(g, 1, g.ID))
	}
	relations := new(testkit.Book) // an exchange of units after additions and removals
	relations.Grant(t, g)
	relations.Charge(t, testkit.ChargeOf(g, 1, "a"))
	exchanged := *g
	exchanged.Adjacency, exchanged.ID = event.ReplaceOne, "h"
	exchanged.Budget = event.Budget{}
	relations.Grant(t, &exchanged)
	relations.Charge(t, testkit.ChargeOf(&exchanged, 1, "b"))
	return map[string][]byte{
		"nights.ledger": nights.Bytes, "turns.ledger": turns.Bytes, "many.ledger": many.Bytes,
		"relations.ledger": relations.Bytes,
	}
}
