package main

import (
	"bytes"
	"fmt"
	"math"

	"privpipe/pipelines/event"
)

// A budget is what all charges of a ledger together are to stay within, whoever planned them.
type budget struct {
	event.Budget
	// filter is the ledger's. Its limit keeps the (ε, δ), for settings that follow from releases, too, and is what is spent.
	filter *event.Filter
	grant  string // whose plan made it; "" for the ledger's own
}

// standing returns the budgets of a ledger that count: its own and the latest that was planned, where there are any and they
// differ. The first is the total budget: see totalBudget.
//
// A planned budget stands from its grant's first charge on. Of several the latest counts: each is of the whole ledger, and a later
// one is somebody's decision to allow more, or less.
func standing(ledger *event.Ledger) (budgets []budget) {
	if head := ledger.Head(); head != nil && head.Budget != nil {
		own := event.Budget{Epsilon: head.Budget.Epsilon, Delta: head.Budget.Delta}
		budgets = append(budgets, budget{Budget: own, filter: head.Filter})
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
	return append(budgets, budget{Budget: latest.Budget, grant: latest.ID})
}

// totalBudget returns the ledger's own budget, else the latest that was planned; nil where there is neither. It is what is
// meant by "what is left".
func totalBudget(ledger *event.Ledger) *budget {
	if all := standing(ledger); len(all) > 0 {
		return &all[0]
	}
	return nil
}

// spent returns what the charges of a ledger have spent of b and how much b is: of ε, or in the measure of the filter. p is the
// profile of the charges.
func (b *budget) spent(ledger *event.Ledger, p profile) (spent, limit float64, err error) {
	if b.filter != nil {
		return ledger.Spent(), b.filter.Limit, nil
	}
	spent, err = p.Epsilon(b.Delta)
	return spent, b.Epsilon, err
}

// String describes b for people.
func (b *budget) String() string {
	if b.filter != nil {
		return fmt.Sprintf("%s %s", b.filter.Measure, number(b.filter.Limit))
	}
	return fmt.Sprintf("ε %v at δ %v", b.Epsilon, b.Delta)
}

// A budgetReport is what is left of a ledger's total budget, and its JSON form.
type budgetReport struct {
	Epsilon float64 `json:"epsilon"`
	Delta   float64 `json:"delta"`
	Grant   string  `json:"grant,omitempty"` // that was planned for it; empty for the ledger's own
	// EpsilonLeft is absent where the ledger has a filter, of whose limit FilterLeft is left.
	EpsilonLeft *number `json:"epsilon_left,omitempty"`
	FilterLeft  *number `json:"filter_left,omitempty"`

	text string
}

// reportBudget returns what is left of the total budget of a ledger whose charges have a profile, nil without one.
func reportBudget(ledger *event.Ledger, p profile) (*budgetReport, error) {
	b := totalBudget(ledger)
	if b == nil {
		return nil, nil
	}
	spent, limit, err := b.spent(ledger, p)
	if err != nil {
		return nil, err
	}
	left := number(math.Max(0, limit-spent))
	r := &budgetReport{Epsilon: b.Epsilon, Delta: b.Delta, Grant: b.grant, text: b.String()}
	if b.filter != nil {
		r.FilterLeft = &left
	} else {
		r.EpsilonLeft = &left
	}
	return r, nil
}

// left is what is left, for the table.
func (r *budgetReport) left() string {
	if r.FilterLeft != nil {
		return roundDown(float64(*r.FilterLeft))
	}
	return roundDown(float64(*r.EpsilonLeft))
}

// table prints what is left of the ledger's own budget for people. Of planned ones the table of grants says it.
func (r *budgetReport) table(b *bytes.Buffer) {
	if r.Grant != "" {
		return
	}
	whose := ""
	if r.FilterLeft != nil {
		whose = " of the filter's limit"
	}
	fmt.Fprintf(b, "\nthe ledger's own budget: ε %v at δ %v; %s%s is left\n", r.Epsilon, r.Delta, r.left(), whose)
}
