package ledgers

import (
	"fmt"
	"math"

	"privpipe/account/internal/accountant"
	"privpipe/account/internal/pld"
	"privpipe/pipelines/event"
	"privpipe/pipelines/rounded"
)

// CheckGrants checks that each charge fits a grant on an earlier line, by the same rules that the privatizer keeps. It
// also checks that the filter's limit keeps the ledger's budget. The error names the line.
func CheckGrants(name string, ledger *event.Ledger) error {
	if err := ledger.Check(name); err != nil {
		return err
	}
	for i, line := range ledger.Lines {
		if line.Grant == nil || ledger.Head() == nil || ledger.Head().Filter == nil || line.Grant.Cost == 0 {
			continue
		}
		if _, err := Cost(ledger.Head().Filter, line.Grant); err != nil { // the filter cannot count this mechanism
			return &event.LedgerError{Name: name, Line: i + 1, Err: err}
		}
	}
	return checkFilter(name, ledger.Head())
}

// slack is the relative excess of a ledger's ε over its plan that is still accepted: both are sums of floats.
const slack = 1e-9

// checkBudget checks that the charges keep the grant's budget.
func checkBudget(g *event.Grant, charges []*event.Charge) error {
	least, err := leastEpsilon(g.Budget, charges)
	if err == nil && least > g.Budget.Epsilon*(1+slack) {
		err = fmt.Errorf("by then ε is %s at δ = %v, and grant %q was planned for %v",
			rounded.Up(least), g.Budget.Delta, g.ID, g.Budget.Epsilon)
	}
	return err
}

// leastEpsilon returns the ε of the charges at the budget's δ. It uses the accountant that planned the budget, pld by
// default. If pld's answer is above the budget, a finer grid is asked, too. Its proof is as valid, and the plan may
// have had another answer on another machine.
func leastEpsilon(b event.Budget, charges []*event.Charge) (least float64, err error) {
	by := []*accountant.Accountant{accountant.Named("renyi")}
	if b.Accountant != "renyi" {
		by = []*accountant.Accountant{accountant.Named("pld").OfLedger(),
			accountant.Distributions(pld.Options{Tolerance: 1e-5}).OfLedger()}
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

// CheckBudgets checks each grant with a budget: all charges up to the grant's last charge must keep the budget. If data
// sets share no unit, only the charges of the grant's data set count. Later charges are not in the grant's plan. The
// ledger must have passed CheckGrants. The error names the line of the grant's last charge.
func CheckBudgets(name string, ledger *event.Ledger) error {
	for _, of := range accountant.ByDataset(ledger) {
		last := make(map[string]int) // number of lines up to each grant's last charge
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
