package report

import (
	"bytes"
	"fmt"

	"privpipe/account/internal/ledgers"
	"privpipe/account/internal/print"
	"privpipe/pipelines/event"
)

// A filterReport is what a ledger's filter has counted and what it guarantees.
type filterReport struct {
	Measure string       `json:"measure"`
	Order   float64      `json:"order,omitempty"`
	Limit   print.Number `json:"limit"`
	Spent   print.Number `json:"spent"`
	Epsilon print.Number `json:"epsilon"` // of the limit, whatever is spent of it
	Delta   print.Number `json:"delta"`
	Theorem string       `json:"theorem"`
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
	epsilon, err := ledgers.Guaranteed(f, head.Budget.Delta)
	return &filterReport{
		f.Measure, f.Order, print.Number(f.Limit), print.Number(ledger.Spent()), print.Number(epsilon), print.Number(head.Budget.Delta),
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
