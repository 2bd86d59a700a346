package ledgers

import (
	"cmp"
	"fmt"

	"privpipe/account/internal/accountant"
	"privpipe/account/internal/compose"
	"privpipe/account/internal/print"
	"privpipe/pipelines/event"
	"privpipe/pipelines/exit"
	"privpipe/pipelines/rounded"
)

// A budget is what all charges of a ledger together are to stay within, whoever planned them.
type budget struct {
	event.Budget
	// filter is the ledger's. Its limit keeps the (ε, δ), for settings that follow from releases, too, and is what is spent.
	Filter *event.Filter
	Grant  string // whose plan made it; "" for the ledger's own
}

// Standing returns the budgets of a ledger that count: its own and the latest that was planned, where there are any and they
// differ. The first is the total budget: see totalBudget.
//
// A planned budget holds from its grant's first charge on. The latest of several counts: each is of the whole ledger, and a later
// one is somebody's decision to allow more, or less.
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
	if latest == nil || len(budgets) > 0 && budgets[0].Epsilon == latest.Budget.Epsilon && budgets[0].Delta == latest.Budget.Delta {
		return budgets
	}
	return append(budgets, budget{Budget: latest.Budget, Grant: latest.ID})
}

// Total returns the ledger's own budget, else the latest that was planned; nil where there is neither. It is what is
// meant by "what is left".
func Total(ledger *event.Ledger) *budget {
	if all := Standing(ledger); len(all) > 0 {
		return &all[0]
	}
	return nil
}

// Spent returns what the charges of a ledger have spent of b and how much b is: of ε, or in the measure of the filter. p is the
// profile of the charges.
func (b *budget) Spent(ledger *event.Ledger, p accountant.UpperProfile) (spent, limit float64, err error) {
	if b.Filter != nil {
		spent, err = FilterSpent(ledger)
		return spent, b.Filter.Limit, err
	}
	spent, err = p.Epsilon(b.Delta)
	return spent, b.Epsilon, err
}

// String describes b for people.
func (b *budget) String() string {
	if b.Filter != nil {
		return fmt.Sprintf("%s %s", b.Filter.Measure, print.Number(b.Filter.Limit))
	}
	return fmt.Sprintf("ε %v at δ %v", b.Epsilon, b.Delta)
}

// An Overspending is a budget that charges exceed.
type Overspending struct {
	Budget  float64      `json:"budget"`            // its ε
	Delta   float64      `json:"delta"`             // its δ
	Grant   string       `json:"grant,omitempty"`   // whose plan made it; empty for the ledger's own
	Dataset string       `json:"dataset,omitempty"` // whose charges exceed it, where data sets share no unit
	Epsilon print.Number `json:"epsilon"`           // that is spent, at δ
}

// Overspent returns the first budget of a ledger that all its charges exceed, of its own and of the latest that was planned for it (see
// Standing); nil for none. A grant without a budget is how that comes: no plan knows what it takes. A filter keeps the ledger's own
// budget by itself.
func Overspent(ledger *event.Ledger) (*Overspending, error) {
	disjoint := compose.DisjointDatasets(ledger)
	for _, of := range compose.ByDataset(ledger) {
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

// CheckOverspent returns overspent if a budget of a ledger is exceeded: see Overspent and Overfull. What else is wrong is err.
func CheckOverspent(name string, ledger *event.Ledger) (overspent, err error) {
	o, err := Overspent(ledger)
	if err != nil {
		return nil, err
	}
	filter, err := Overfull(name, ledger)
	return cmp.Or(o.Refusal(name), filter), err
}

// Refusal is the error for the ledger of a name; nil for a nil o.
func (o *Overspending) Refusal(name string) error {
	if o == nil {
		return nil
	}
	spent := rounded.Up(float64(o.Epsilon))
	return exit.Errorf(exit.Refused, "%s: overspent: ε is %s at δ %v, and the budget is %v", name, spent, o.Delta, o.Budget).
		WithHint("what was released cannot be undone: the guarantee is ε %s, not %v", spent, o.Budget)
}
