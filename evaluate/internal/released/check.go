package released

import (
	"fmt"

	"privpipe/pipelines/event"
)

// check compares a report with facts that the ledger states without a computed ε: unit and neighbours, releases without
// a bound, and the budget.
func (r *Report) check(ledger *event.Ledger) error {
	adjacency, unit, unbounded := "", "", false
	for _, c := range ledger.Charges() {
		if c.Mechanism != event.None {
			adjacency, unit = c.Adjacency, c.Unit // account composes only charges that agree
		}
		unbounded = unbounded || c.Mechanism == event.None || c.Clipping == event.ClipUnbounded
	}
	switch {
	case r.Adjacency != adjacency || r.Unit != unit:
		return fmt.Errorf("of neighbours %q and unit %q, the ledger charges %q and %q", r.Adjacency, r.Unit, adjacency,
			unit)
	case unbounded && !r.Epsilon.Infinite():
		return fmt.Errorf("ε is %s, but the ledger charges a release that no ε bounds", r.Epsilon)
	}
	if err := r.checkOverspent(ledger); err != nil {
		return err
	}
	return r.checkBudget(ledger)
}

// checkOverspent looks up the overspent budget, if the report has one, among the ledger's budgets.
func (r *Report) checkOverspent(ledger *event.Ledger) error {
	o := r.OverspentBudget
	if o == nil {
		return nil
	}
	if r.Overspent == nil || !*r.Overspent || !(float64(o.Epsilon) > o.Budget) {
		return fmt.Errorf("overspent_budget has ε %v of a budget of %v, and overspent must be true", o.Epsilon,
			o.Budget)
	}
	if head := ledger.Head(); o.Grant == "" && head != nil && head.Budget != nil && head.Budget.Epsilon == o.Budget &&
		head.Budget.Delta == o.Delta {
		return nil
	}
	for _, line := range ledger.Lines {
		if g := line.Grant; g != nil && o.Grant != "" && g.ID == o.Grant && g.Budget.Epsilon == o.Budget &&
			g.Budget.Delta == o.Delta {
			return nil
		}
	}
	return fmt.Errorf("overspent_budget is ε %v at δ %v, which the ledger lacks", o.Budget, o.Delta)
}

// checkBudget compares the total budget and the presence of a filter with the ledger. The ledger's own budget stands in
// its head. Without one, the total budget is a charged grant's.
func (r *Report) checkBudget(ledger *event.Ledger) error {
	var own *event.Limit
	filtered := false
	if head := ledger.Head(); head != nil {
		own, filtered = head.Budget, head.Filter != nil
	}
	if filtered != (r.Filter != nil) {
		return fmt.Errorf("with a filter: %v, the head of the ledger says %v", r.Filter != nil, filtered)
	}
	b := r.Budget
	if own != nil {
		if b == nil || b.Grant != "" || b.Epsilon != own.Epsilon || b.Delta != own.Delta {
			return fmt.Errorf("does not have the budget of the ledger's head, ε %v at δ %v", own.Epsilon, own.Delta)
		}
		return nil
	}
	planned := planned(ledger)
	switch {
	case planned == nil && b != nil:
		return fmt.Errorf("has a budget of ε %v at δ %v, which the ledger lacks", b.Epsilon, b.Delta)
	case planned != nil && (b == nil || b.Grant != planned.ID || b.Epsilon != planned.Budget.Epsilon ||
		b.Delta != planned.Budget.Delta):
		return fmt.Errorf("does not have the latest planned budget of the ledger, ε %v at δ %v", planned.Budget.Epsilon,
			planned.Budget.Delta)
	}
	return nil
}

// planned returns the last grant that has a budget and a charged release. It returns nil if there is none. The grant's
// budget is the total budget if the ledger has none of its own.
func planned(ledger *event.Ledger) (latest *event.Grant) {
	charged := make(map[string]bool)
	for _, c := range ledger.Charges() {
		charged[c.Grant] = true
	}
	for _, line := range ledger.Lines {
		if g := line.Grant; g != nil && g.Budget.Epsilon > 0 && charged[g.ID] {
			latest = g
		}
	}
	return latest
}
