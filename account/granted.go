package main

import (
	"fmt"
	"math"

	"privpipe/account/internal/pld"
	"privpipe/pipelines/event"
)

// checkGrants checks that each charge of a ledger is one that its grant, on a line before, gives and allows: by the rules
// that the privatizer keeps to. The error names the line.
func checkGrants(name string, ledger *event.Ledger) error {
	var before event.Ledger
	grants := make(map[string]bool)
	for i, line := range ledger.Lines {
		var err error
		if c := line.Charge; c != nil {
			err = before.Allow(c, line.Time)
		} else if id := line.Grant.ID; grants[id] {
			err = fmt.Errorf("grant %q stands a second time", id)
		} else {
			grants[id] = true
		}
		if err != nil {
			return &event.LedgerError{Name: name, Line: i + 1, Err: err}
		}
		before.Lines = append(before.Lines, line)
	}
	return nil
}

// slack is how far the ε of a ledger may exceed what was planned for it: both are sums of floats.
const slack = 1e-9

// checkBudget checks that charges are within a grant's budget, by the accountant that it was planned by. What pld proves on
// a finer grid it proves, too: that of the plan may have been another on another machine.
func checkBudget(g *event.Grant, charges []*event.Charge) error {
	by := []*accountant{accountantNamed("renyi")}
	if g.Budget.Accountant == "pld" {
		by = []*accountant{accountantNamed("pld").ofLedger(), distributions(pld.Options{Tolerance: 1e-5}).ofLedger()}
	}
	least := math.Inf(1)
	for _, a := range by {
		spent, err := a.spending(charges)
		if err != nil {
			return err
		}
		epsilon, err := spent.Epsilon(g.Budget.Delta)
		if least = min(least, epsilon); err != nil || least <= g.Budget.Epsilon*(1+slack) {
			return err
		}
	}
	return fmt.Errorf("by then ε is %s at δ = %v, and grant %q was planned for %v",
		roundUp(least), g.Budget.Delta, g.ID, g.Budget.Epsilon)
}

// checkBudgets checks that each grant with a budget has kept the ledger within it: all charges up to its own last one. What
// came later is not in its plan. The ledger must have passed checkGrants. The error names the line of that charge.
func checkBudgets(name string, ledger *event.Ledger) error {
	last := make(map[string]int) // lines up to a grant's last charge
	for i, line := range ledger.Lines {
		if line.Charge != nil {
			last[line.Charge.Grant] = i + 1
		}
	}
	for _, line := range ledger.Lines {
		g := line.Grant
		if g == nil || g.Budget.Epsilon == 0 || last[g.ID] == 0 {
			continue
		}
		until := event.Ledger{Lines: ledger.Lines[:last[g.ID]]}
		if err := checkBudget(g, until.Charges()); err != nil {
			return &event.LedgerError{Name: name, Line: last[g.ID], Err: err}
		}
	}
	return nil
}
