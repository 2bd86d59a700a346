package main

import (
	"privpipe/pipelines/event"
	"privpipe/pipelines/exit"
)

// checkOverspent returns overspent if all charges of a ledger cost more than its own budget, or more than the latest budget
// that was planned for it. A grant without a budget is how that comes: no plan knows what it takes. What else is wrong is err.
//
// Of several planned budgets the latest counts: each is of the whole ledger, and a later one is somebody's decision to allow
// more, or less.
func checkOverspent(name string, ledger *event.Ledger) (overspent, err error) {
	for _, b := range standing(ledger) {
		least, err := leastEpsilon(b, ledger.Charges())
		if err != nil {
			return nil, err
		}
		if !(least <= b.Epsilon*(1+slack)) {
			return exit.Errorf(exit.Refused, "%s: overspent: ε is %s at δ %v, and the budget is %v", name, roundUp(least), b.Delta,
				b.Epsilon).WithHint("what was released cannot be undone: the guarantee is ε %s, not %v", roundUp(least), b.Epsilon), nil
		}
	}
	return nil, nil
}

// standing returns the ledger's own budget and the latest that was planned, where there are any and they differ. A filter keeps
// the ledger's own by itself.
func standing(ledger *event.Ledger) (budgets []event.Budget) {
	if head := ledger.Head(); head != nil && head.Budget != nil && head.Filter == nil {
		budgets = append(budgets, event.Budget{Epsilon: head.Budget.Epsilon, Delta: head.Budget.Delta})
	}
	var latest event.Budget
	charged := make(map[string]bool)
	for _, c := range ledger.Charges() {
		charged[c.Grant] = true
	}
	for _, line := range ledger.Lines {
		if line.Grant != nil && line.Grant.Budget.Epsilon > 0 && charged[line.Grant.ID] {
			latest = line.Grant.Budget
		}
	}
	if latest.Epsilon > 0 && (len(budgets) == 0 || latest.Epsilon != budgets[0].Epsilon || latest.Delta != budgets[0].Delta) {
		budgets = append(budgets, latest)
	}
	return budgets
}
