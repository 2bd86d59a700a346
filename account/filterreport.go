package main

import (
	"bytes"
	"fmt"

	"privpipe/pipelines/event"
)

// A filterReport is what a ledger's filter has counted and what it guarantees.
type filterReport struct {
	Measure string  `json:"measure"`
	Order   float64 `json:"order,omitempty"`
	Limit   number  `json:"limit"`
	Spent   number  `json:"spent"`
	Epsilon number  `json:"epsilon"` // of the limit, whatever is spent of it
	Delta   number  `json:"delta"`
	Theorem string  `json:"theorem"`
}

var filterTheorems = map[string]string{
	event.Renyi: "Feldman and Zrnic 2021",
	event.ZCDP:  "Feldman and Zrnic 2021, at each order",
	event.GDP:   "Smith and Thakurta 2022",
}

// filterOf returns the report of a head's filter, nil for none.
func filterOf(head *event.Head, ledger *event.Ledger) (*filterReport, error) {
	f := head.Filter
	if f == nil {
		return nil, nil
	}
	epsilon, err := guaranteed(f, head.Budget.Delta)
	return &filterReport{
		f.Measure, f.Order, number(f.Limit), number(ledger.Spent()), number(epsilon), number(head.Budget.Delta),
		filterTheorems[f.Measure],
	}, err
}

// table prints the report for people.
func (f *filterReport) table(b *bytes.Buffer) {
	measure := f.Measure
	if f.Order > 0 {
		measure += fmt.Sprintf(" of order %v", f.Order)
	}
	fmt.Fprintf(b, "filter: %s, %s of the limit %s is spent. ε is at most %s at δ %s, even where settings were chosen after earlier "+
		"releases had been seen (%s)\n\nonly if all settings were fixed beforehand:\n", measure, f.Spent, f.Limit, f.Epsilon, f.Delta, f.Theorem)
}

// checkFilter checks that the limit of a ledger's filter keeps the ledger's budget.
func checkFilter(name string, head *event.Head) error {
	if head == nil || head.Filter == nil {
		return nil
	}
	epsilon, err := guaranteed(head.Filter, head.Budget.Delta)
	if err == nil && epsilon > head.Budget.Epsilon*(1+slack) {
		err = fmt.Errorf("the limit of the filter gives ε %s at δ %v, the budget is %v", roundUp(epsilon), head.Budget.Delta,
			head.Budget.Epsilon)
	}
	if err != nil {
		return &event.LedgerError{Name: name, Line: 1, Err: err}
	}
	return nil
}
