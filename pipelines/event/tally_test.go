package event

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// TestTallyIsFlat: a privatizer keeps a tally for as long as it runs. So a long run must not make the tally longer.
func TestTallyIsFlat(t *testing.T) {
	for method, scheme := range schemes() {
		scheme.Rounds = 1 << 20
		if scheme.Disjoint() {
			scheme.Rate = 1 / float64(scheme.Rounds)
		}
		tally := new(Ledger).Tally(nil)
		var after10 int
		for round := 1; round <= 1000; round++ {
			c := NoCharge(round, Document, scheme)
			c.Run, c.Dataset = "run", "data"
			line := tally.Next(noon)
			line.Charge, line.Hash = c, fmt.Sprint(round)
			tally.Add(line)
			if round == 10 {
				after10 = extent(tally)
			}
		}
		if after1000 := extent(tally); after1000 != after10 || tally.Charges("run", 1000) != 1 {
			t.Errorf("%s: %d entries after 1000 rounds, %d after 10", method, after1000, after10)
		}
	}
}

// extent counts the entries of a tally.
func extent(t *Tally) int {
	n := len(t.datasets) + len(t.uses) + len(t.hashes) + len(t.upTo) + len(t.throws) + len(t.thrown)
	for _, of := range t.charged {
		n += len(of)
	}
	for _, of := range t.under {
		n += len(of)
	}
	for _, of := range t.draws {
		n += len(of)
	}
	for _, of := range t.batches {
		n += len(of)
	}
	return n
}

// TestTallyCounts compares a tally with a search through all lines, in ledgers of random charges: of two runs, data
// sets, coins and settings, in any order, again and again.
func TestTallyCounts(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	pick := func(of ...string) string { return of[random.IntN(len(of))] }
	for range 300 {
		ledger := new(Ledger)
		grant := new(Grant)
		grant.Budget.After = fmt.Sprint(1 + random.IntN(30))
		for n := range 40 {
			line := ledger.Next(noon)
			line.Hash = fmt.Sprint(n + 1)
			scheme := schemes()[Poisson]
			scheme.Coins = pick("", "a", "b")
			c := NoCharge(1+random.IntN(6), Document, scheme)
			c.Run, c.Dataset, c.Settings = pick("run", "other"), pick("data", "more"), pick("s", "t")
			for _, before := range ledger.Charges() {
				if before.Run == c.Run && before.Round == c.Round {
					c.Attempt = max(1, before.Attempt) + 1
				}
			}
			line.Charge = c
			ledger.Lines = append(ledger.Lines, line)
		}
		tally := ledger.Tally(grant)
		checkCounts(t, ledger, tally, grant)
	}
}

func checkCounts(t *testing.T, ledger *Ledger, tally *Tally, grant *Grant) {
	t.Helper()
	for _, charge := range ledger.Charges() {
		asked := *charge
		c := &asked
		for c.Round = range 8 {
			charges, alike, batch := 0, false, false
			for i, o := range ledger.Charges() { // a line has nothing but a charge
				same := o.Run == c.Run && o.Round == c.Round
				if same {
					charges++
					if line := tally.Line(c.Run, c.Round, charges); line != i+1 {
						t.Fatalf("charge %d of %+v is on line %d, want %d", charges, c, line, i+1)
					}
				}
				alike = alike || same && o.Settings == c.Settings && o.Dataset == c.Dataset
				batch = batch || o.Scheme == c.Scheme && o.Round == c.Round
			}
			if n := tally.Charges(c.Run, c.Round); n != charges || (tally.CheckRepeat(c) == nil) != alike ||
				tally.batches[coinsOf(c)].has(c.Round) != batch {
				t.Fatalf("%+v: %d charges, want %d; alike %v; batch %v", c, n, charges, alike, batch)
			}
		}
	}
	after, _ := ledger.After(grant.Budget.After)
	for _, dataset := range []string{"", "data", "more"} {
		want := 0
		for _, line := range after {
			if dataset == "" || line.Charge.Dataset == dataset {
				want++
			}
		}
		if n := tally.after(tally.upTo[grant.Budget.After], dataset); n != want {
			t.Fatalf("%d charges of data set %q after line %s, want %d", n, dataset, grant.Budget.After, want)
		}
	}
}
