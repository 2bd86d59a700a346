package report

import (
	"bytes"
	"fmt"
	"math"

	"privpipe/account/internal/accountant"
	"privpipe/account/internal/ledgers"
	"privpipe/account/internal/print"
	"privpipe/pipelines/event"
)

// A budgetReport is what is left of a ledger's total budget, and its JSON form.
type budgetReport struct {
	Epsilon float64 `json:"epsilon"`
	Delta   float64 `json:"delta"`
	Grant   string  `json:"grant,omitempty"` // that was planned for it; empty for the ledger's own
	// EpsilonLeft is absent where the ledger has a filter, of whose limit FilterLeft is left.
	EpsilonLeft *print.Number `json:"epsilon_left,omitempty"`
	FilterLeft  *print.Number `json:"filter_left,omitempty"`

	text string
}

// NewBudget returns what is left of the total budget of a ledger whose charges have a profile, nil without one.
func NewBudget(ledger *event.Ledger, p accountant.UpperProfile) (*budgetReport, error) {
	b := ledgers.Total(ledger)
	if b == nil {
		return nil, nil
	}
	spent, limit, err := b.Spent(ledger, p)
	if err != nil {
		return nil, err
	}
	left := print.Number(math.Max(0, limit-spent))
	r := &budgetReport{Epsilon: b.Epsilon, Delta: b.Delta, Grant: b.Grant, text: b.String()}
	if b.Filter != nil {
		r.FilterLeft = &left
	} else {
		r.EpsilonLeft = &left
	}
	return r, nil
}

// left is what is left, for the table.
func (r *budgetReport) left() string {
	if r.FilterLeft != nil {
		return print.Down(float64(*r.FilterLeft))
	}
	return print.Down(float64(*r.EpsilonLeft))
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
