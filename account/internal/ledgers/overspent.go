package ledgers

import (
	"privpipe/account/internal/compose"
	"privpipe/account/internal/print"
	"privpipe/pipelines/event"
	"privpipe/pipelines/exit"
)

// CheckOverspent returns overspent if all charges of a ledger cost more than its own budget, or more than the latest budget
// that was planned for it (see standing). A grant without a budget is how that comes: no plan knows what it takes. A filter keeps
// the ledger's own budget by itself. What else is wrong is err.
func CheckOverspent(name string, ledger *event.Ledger) (overspent, err error) {
	for _, of := range compose.ByDataset(ledger) {
		for _, b := range Standing(of) {
			if b.Filter != nil {
				continue
			}
			least, err := leastEpsilon(b.Budget, of.Charges())
			if err != nil {
				return nil, err
			}
			if !(least <= b.Epsilon*(1+slack)) {
				return exit.Errorf(exit.Refused, "%s: overspent: ε is %s at δ %v, and the budget is %v", name, print.Up(least), b.Delta,
					b.Epsilon).WithHint("what was released cannot be undone: the guarantee is ε %s, not %v", print.Up(least), b.Epsilon), nil
			}
		}
	}
	return nil, nil
}
