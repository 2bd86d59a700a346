package ledgers

import (
	"fmt"
	"math"

	"privpipe/account/internal/accountant"
	"privpipe/account/internal/compose"
	"privpipe/account/internal/pld"
	"privpipe/pipelines/event"
	"privpipe/pipelines/rounded"
)

// CheckGrants checks that each charge of a ledger is one that its grant, on a line before, gives and allows, by the rules
// that the privatizer keeps to; and that the limit of the ledger's filter keeps the ledger's budget. The error names the line.
func CheckGrants(name string, ledger *event.Ledger) error {
	if err := ledger.Check(name); err != nil {
		return err
	}
	for i, line := range ledger.Lines {
		if line.Grant == nil || ledger.Head() == nil || ledger.Head().Filter == nil || line.Grant.Cost == 0 {
			continue
		}
		if _, err := Cost(ledger.Head().Filter, line.Grant); err != nil { // it cannot be counted
			return &event.LedgerError{Name: name, Line: i + 1, Err: err}
		}
	}
	return checkFilter(name, ledger.Head())
}

// slack is how far the ε of a ledger may exceed what was planned for it: both are sums of floats.
const slack = 1e-9

// checkBudget checks that charges are within a grant's budget.
func checkBudget(g *event.Grant, charges []*event.Charge) error {
	least, err := leastEpsilon(g.Budget, charges)
	if err == nil && least > g.Budget.Epsilon*(1+slack) {
		err = fmt.Errorf("by then ε is %s at δ = %v, and grant %q was planned for %v",
			rounded.Up(least), g.Budget.Delta, g.ID, g.Budget.Epsilon)
	}
	return err
}

// leastEpsilon returns the ε of charges at the δ of a budget, by the accountant that it was planned by; pld by default. What
// pld proves on a finer grid it proves, too, and is asked where the first answer is above the budget: that of the plan may
// have been another on another machine.
func leastEpsilon(b event.Budget, charges []*event.Charge) (least float64, err error) {
	by := []*accountant.Accountant{accountant.Named("renyi")}
	if b.Accountant != "renyi" {
		by = []*accountant.Accountant{accountant.Named("pld").OfLedger(), accountant.Distributions(pld.Options{Tolerance: 1e-5}).OfLedger()}
	}
	least = math.Inf(1)
	for _, a := range by {
		spent, err := a.Spending(charges)
		if err != nil {
			return least, err
		}
		epsilon, err := spent.Epsilon(b.Delta)
		if least = min(least, epsilon); err != nil || least <= b.Epsilon*(1+slack) {
			return least, err
		}
	}
	return least, nil
}

// CheckBudgets checks that each grant with a budget has kept what it is for within it: all charges up to its own last one, of its
// data set where these share no unit. What came later is not in its plan. The ledger must have passed checkGrants. The error names
// the line of that charge.
func CheckBudgets(name string, ledger *event.Ledger) error {
	for _, of := range compose.ByDataset(ledger) {
		last := make(map[string]int) // lines up to a grant's last charge
		for i, line := range of.Lines {
			if line.Charge != nil {
				last[line.Charge.Grant] = i + 1
			}
		}
		for _, line := range of.Lines {
			g := line.Grant
			if g == nil || g.Budget.Epsilon == 0 || last[g.ID] == 0 {
				continue
			}
			until := event.Ledger{Lines: of.Lines[:last[g.ID]]}
			if err := checkBudget(g, until.Charges()); err != nil {
				return &event.LedgerError{Name: name, Line: of.Lines[last[g.ID]-1].Sequence, Err: err}
			}
		}
	}
	return nil
}
