package report

import (
	"bytes"
	"fmt"
	"math"

	"privpipe/account/internal/accountant"
	"privpipe/account/internal/ledgers"
	"privpipe/account/internal/print"
	"privpipe/pipelines/event"
	"privpipe/pipelines/rounded"
)

// A budgetReport says how much is left of the total budget of a ledger, and is its JSON form.
type budgetReport struct {
	Epsilon float64 `json:"epsilon"`
	Delta   float64 `json:"delta"`
	Grant   string  `json:"grant,omitempty"` // planned for this budget; empty for the ledger's own
	// EpsilonLeft is absent if the ledger has a filter. Then FilterLeft is the rest of the filter's limit.
	EpsilonLeft *print.Number `json:"epsilon_left,omitempty"`
	FilterLeft  *print.Number `json:"filter_left,omitempty"`

	text string
}

// NewBudget returns how much is left of the ledger's total budget, or nil if it has no budget. p is the charges'
// profile.
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

// left returns the rest of the budget, for the table.
func (r *budgetReport) left() string {
	if r.FilterLeft != nil {
		return rounded.Down(float64(*r.FilterLeft))
	}
	return rounded.Down(float64(*r.EpsilonLeft))
}

// table prints for people how much of the ledger's own budget is left. The table of grants has the planned budgets.
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

// A filterReport says how much the ledger's filter has counted, and the guarantee of its limit.
type filterReport struct {
	Measure string       `json:"measure"`
	Order   float64      `json:"order,omitempty"`
	Limit   print.Number `json:"limit"`
	Spent   print.Number `json:"spent"`
	Epsilon print.Number `json:"epsilon"` // guaranteed by the limit, however little is spent
	Delta   print.Number `json:"delta"`
	Theorem string       `json:"theorem"`
}

var filterTheorems = map[string]string{
	event.Renyi: "Feldman and Zrnic 2021",
	event.ZCDP:  "Feldman and Zrnic 2021, at each order",
	event.GDP:   "Smith and Thakurta 2022",
}

// filterOf returns the report on the ledger's filter, or nil if there is none.
func filterOf(head *event.Head, ledger *event.Ledger) (*filterReport, error) {
	f := head.Filter
	if f == nil {
		return nil, nil
	}
	epsilon, err := ledgers.Guaranteed(f, head.Budget.Delta)
	if err != nil {
		return nil, err
	}
	spent, err := ledgers.FilterSpent(ledger)
	return &filterReport{
		f.Measure, f.Order, print.Number(f.Limit), print.Number(spent), print.Number(epsilon),
		print.Number(head.Budget.Delta),
		filterTheorems[f.Measure],
	}, err
}

// table prints the report for people.
func (f *filterReport) table(b *bytes.Buffer) {
	measure := f.Measure
	if f.Order > 0 {
		measure += fmt.Sprintf(" of order %v", f.Order)
	}
	fmt.Fprintf(b, "filter: %s, %s of the limit %s is spent. ε is at most %s at δ %s, even where settings were "+
		"chosen after earlier "+
		"releases had been seen (%s)\n\nonly if all settings were fixed beforehand:\n", measure, f.Spent, f.Limit,
		f.Epsilon, f.Delta, f.Theorem)
}
