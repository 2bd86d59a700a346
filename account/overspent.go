package main

import (
	"privpipe/pipelines/event"
	"privpipe/pipelines/exit"
)

// checkOverspent returns overspent if all charges of a ledger cost more than its own budget, or more than the latest budget
// that was planned for it (see standing). A grant without a budget is how that comes: no plan knows what it takes. A filter keeps
// the ledger's own budget by itself. What else is wrong is err.
func checkOverspent(name string, ledger *event.Ledger) (overspent, err error) {
	for _, of := range byDataset(ledger) {
		for _, b := range standing(of) {
			if b.filter != nil {
				continue
			}
			least, err := leastEpsilon(b.Budget, of.Charges())
			if err != nil {
				return nil, err
			}
			if !(least <= b.Epsilon*(1+slack)) {
				return exit.Errorf(exit.Refused, "%s: overspent: ε is %s at δ %v, and the budget is %v", name, roundUp(least), b.Delta,
					b.Epsilon).WithHint("what was released cannot be undone: the guarantee is ε %s, not %v", roundUp(least), b.Epsilon), nil
			}
		}
	}
	return nil, nil
}
