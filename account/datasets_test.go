package main

import (
	"math"
	"os"
	"testing"

	"privpipe/account/internal/accountant"
	"privpipe/account/internal/ledgers"
	"privpipe/account/internal/plan"
	"privpipe/pipelines/event"
	"privpipe/pipelines/scheme"
	"privpipe/pipelines/testkit"
)

// twoHospitals returns a ledger of ε 1 at δ 1e-6 with two data sets that share no unit. North plans for ε 1, and south
// for ½. Neither plan knows of the other. Both hospitals release twice, by turns.
func twoHospitals(t *testing.T, changes ...func(north, south *event.Grant)) *testkit.Book {
	t.Helper()
	head := event.NewHead()
	head.Budget, head.DisjointDatasets = &event.Limit{Epsilon: 1, Delta: 1e-6}, true
	b := new(testkit.Book)
	line := b.Next(testkit.Noon)
	line.Type, line.Head = event.TypeHead, head
	b.Add(t, line)
	path := t.TempDir() + "/run.ledger"
	if err := os.WriteFile(path, b.Bytes, 0o666); err != nil {
		t.Fatal(err)
	}
	plan := func(dataset string, epsilon float64) *event.Grant {
		return plannedGrant(t, &plan.Flags{
			Sampling: plan.Sampling{Flags: scheme.Flags{Sampled: scheme.Sampled{All: true}}, Rounds: new(2)},
			Budget:   plan.Budget{Epsilon: epsilon, Delta: 1e-6, Ledger: path, Accountant: "pld"},
			Term:     plan.Term{ID: dataset + "-night"}, Share: plan.Share{Dataset: dataset}})
	}
	north, south := plan("north", 1), plan("south", 0.5)
	for _, change := range changes {
		change(north, south)
	}
	b.Grant(t, north)
	for round := 1; round <= 2; round++ {
		b.Charge(t, from(testkit.ChargeOf(north, round, north.ID), "north"))
		if round == 1 {
			b.Grant(t, south)
		}
		b.Charge(t, from(testkit.ChargeOf(south, round, south.ID), "south"))
	}
	return b
}

// from gives a charge its data set.
func from(c *event.Charge, dataset string) *event.Charge {
	c.Dataset = dataset
	return c
}

// datasetLedgers are ledgers whose data sets share no unit, and what is wrong with some.
func datasetLedgers(t *testing.T) map[string][]byte {
	// Less noise than south has planned: within the ledger's budget, not within the plan's.
	loud := twoHospitals(t, func(_, south *event.Grant) {
		south.NoiseMultiplier = math.Ceil(0.6*south.NoiseMultiplier*(1<<20)) / (1 << 20)
	})
	elsewhere := twoHospitals(t)
	last := elsewhere.Lines[len(elsewhere.Lines)-1]
	*elsewhere = testkit.Book{}
	for _, line := range twoHospitals(t).Lines {
		if line.Sequence == last.Sequence {
			line.Charge.Dataset = "north"
		}
		elsewhere.Add(t, line)
	}
	return map[string][]byte{
		"hospitals.ledger": twoHospitals(t).Bytes, "loud.ledger": loud.Bytes, "elsewhere.ledger": elsewhere.Bytes,
	}
}

// TestDisjointDatasets: what a ledger has spent is what the data set that has spent most has, by closed forms. Two
// releases of Gaussian noise σ are one of σ/√2, and ε of that is the budget each was planned for (Balle and Wang 2018,
// theorem 8).
func TestDisjointDatasets(t *testing.T) {
	b := twoHospitals(t)
	if err := b.Check("x"); err != nil {
		t.Fatal(err)
	}
	epsilon := func(charges []*event.Charge, by string) float64 {
		p, err := accountant.LedgerChoice{Accountant: by}.Spending(&b.Ledger)(charges)
		if err != nil {
			t.Fatal(err)
		}
		e, err := p.Epsilon(1e-6)
		if err != nil {
			t.Fatal(err)
		}
		return e
	}
	for _, accountant := range []string{"pld", "renyi", "analytic", "zcdp"} {
		charges := b.Charges()
		all := epsilon(charges, accountant)
		north := epsilon([]*event.Charge{charges[0], charges[2]}, accountant)
		south := epsilon([]*event.Charge{charges[1], charges[3]}, accountant)
		if all != max(north, south) || !(south > 0.49 && north > 0.99) {
			t.Errorf("%s: ε %v, of north %v and of south %v", accountant, all, north, south)
		}
		if accountant == "analytic" && !(math.Abs(all-1) < 1e-3 && math.Abs(south-0.5) < 1e-3) {
			t.Errorf("ε %v, of south %v", all, south)
		}
		if one := epsilon(charges[:2], accountant); one != epsilon(charges[:1], accountant) {
			t.Errorf("%s: a release from each costs %v, one from north %v", accountant, one,
				epsilon(charges[:1], accountant))
		}
	}
	// The same charges add up where data sets may share units.
	p, err := accountant.LedgerChoice{Accountant: "analytic"}.Spending(new(event.Ledger))(b.Charges())
	if err != nil {
		t.Fatal(err)
	}
	if sum, err := p.Epsilon(1e-6); err != nil || !(sum > 1.1) {
		t.Errorf("ε of both together is %v, %v", sum, err)
	}
	if overspent, err := ledgers.CheckOverspent("x", &b.Ledger); overspent != nil || err != nil {
		t.Errorf("overspent %v, %v", overspent, err)
	}
	if err := ledgers.CheckBudgets("x", &b.Ledger); err != nil {
		t.Error(err)
	}
}
