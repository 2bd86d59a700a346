package ledgers

import (
	"cmp"
	"fmt"

	"privpipe/account/internal/accountant"
	"privpipe/account/internal/print"
	"privpipe/pipelines/event"
	"privpipe/pipelines/exit"
	"privpipe/pipelines/rounded"
)

// A budget is a limit for all charges of a ledger together, whoever planned them.
type budget struct {
	event.Budget
	// Filter is the ledger's filter, if any. Its limit guarantees the (ε, δ) even for settings that follow from earlier
	// releases. Then spending is counted against this limit.
	Filter *event.Filter
	Grant  string // the grant that was planned for this budget; "" for the ledger's own
}

// Standing returns the ledger's budgets that count: its own, and the latest planned budget if it differs. The first one
// is the total budget: see Total.
//
// A planned budget holds from its grant's first charge on. Only the latest planned budget counts: each one is for the
// whole ledger, and a later one is somebody's decision to allow more, or less.
func Standing(ledger *event.Ledger) (budgets []budget) {
	if head := ledger.Head(); head != nil && head.Budget != nil {
		own := event.Budget{Epsilon: head.Budget.Epsilon, Delta: head.Budget.Delta}
		budgets = append(budgets, budget{Budget: own, Filter: head.Filter})
	}
	charged := make(map[string]bool)
	for _, c := range ledger.Charges() {
		charged[c.Grant] = true
	}
	var latest *event.Grant
	for _, line := range ledger.Lines {
		if g := line.Grant; g != nil && g.Budget.Epsilon > 0 && charged[g.ID] {
			latest = g
		}
	}
	if latest == nil || len(budgets) > 0 && budgets[0].Epsilon == latest.Budget.Epsilon &&
		budgets[0].Delta == latest.Budget.Delta {
		return budgets
	}
	return append(budgets, budget{Budget: latest.Budget, Grant: latest.ID})
}

// Total returns the ledger's own budget, else the latest planned budget, or nil if there is neither. "What is left"
// refers to this budget.
func Total(ledger *event.Ledger) *budget {
	if all := Standing(ledger); len(all) > 0 {
		return &all[0]
	}
	return nil
}

// Spent returns how much the ledger's charges have spent of the budget, and the budget's limit. Both are ε, or in the
// filter's measure. p is the profile of the charges.
func (b *budget) Spent(ledger *event.Ledger, p accountant.UpperProfile) (spent, limit float64, err error) {
	if b.Filter != nil {
		spent, err = FilterSpent(ledger)
		return spent, b.Filter.Limit, err
	}
	spent, err = p.Epsilon(b.Delta)
	return spent, b.Epsilon, err
}

// String describes the budget for people.
func (b *budget) String() string {
	if b.Filter != nil {
		return fmt.Sprintf("%s %s", b.Filter.Measure, print.Number(b.Filter.Limit))
	}
	return fmt.Sprintf("ε %v at δ %v", b.Epsilon, b.Delta)
}

// An Overspending says that charges exceed a budget.
type Overspending struct {
	Budget  float64      `json:"budget"`            // the budget's ε
	Delta   float64      `json:"delta"`             // the budget's δ
	Grant   string       `json:"grant,omitempty"`   // planned for this budget; empty for the ledger's own
	Dataset string       `json:"dataset,omitempty"` // exceeds the budget; empty unless data sets share no unit
	Epsilon print.Number `json:"epsilon"`           // spent, at Delta
}

// Overspent returns the first budget that all charges of the ledger exceed, or nil if there is none. It checks the
// ledger's own budget and the latest planned budget (see Standing). This can happen if a grant without a budget is
// charged, which no plan has foreseen. A filter keeps the ledger's own budget by itself.
func Overspent(ledger *event.Ledger) (*Overspending, error) {
	disjoint := accountant.DisjointDatasets(ledger)
	for _, of := range accountant.ByDataset(ledger) {
		for _, b := range Standing(of) {
			if b.Filter != nil {
				continue
			}
			charges := of.Charges()
			least, err := leastEpsilon(b.Budget, charges)
			if err != nil {
				return nil, err
			}
			if !(least <= b.Epsilon*(1+slack)) {
				o := &Overspending{Budget: b.Epsilon, Delta: b.Delta, Grant: b.Grant, Epsilon: print.Number(least)}
				if disjoint {
					o.Dataset = charges[0].Dataset
				}
				return o, nil
			}
		}
	}
	return nil, nil
}

// CheckOverspent returns overspent if the ledger exceeds a budget: see Overspent and Overfull. Other errors are err.
func CheckOverspent(name string, ledger *event.Ledger) (overspent, err error) {
	o, err := Overspent(ledger)
	if err != nil {
		return nil, err
	}
	filter, err := Overfull(name, ledger)
	return cmp.Or(o.Refusal(name), filter), err
}

// Refusal returns the error for a ledger with this name, or nil if o is nil.
func (o *Overspending) Refusal(name string) error {
	if o == nil {
		return nil
	}
	spent := rounded.Up(float64(o.Epsilon))
	return exit.Errorf(exit.Refused, "%s: overspent: ε is %s at δ %v, and the budget is %v", name, spent, o.Delta,
		o.Budget).
		WithHint("what was released cannot be undone: the guarantee is ε %s, not %v", spent, o.Budget)
}
