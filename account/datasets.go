package main

import (
	"maps"
	"slices"

	"privpipe/account/internal/compose"
	"privpipe/pipelines/event"
)

// Where data sets share no unit, a unit loses by the releases from its own alone: what a ledger has spent is the largest of what is
// spent of them. pipelines/event/claim.md has the proof.

// disjointNote says so in what account prints.
const disjointNote = "on trust: data sets share no unit"

// disjointDatasets says whether the data sets of a ledger share no unit.
func disjointDatasets(ledger *event.Ledger) bool {
	head := ledger.Head()
	return head != nil && head.DisjointDatasets
}

// A part is charges whose losses add up.
type part struct {
	dataset string // of a ledger whose data sets share no unit; "" for the one part of another
	charges []*event.Charge
}

// parts splits charges of a ledger into parts whose losses do not add up, in the order of their data sets: at least one.
func parts(ledger *event.Ledger, charges []*event.Charge) (all []part) {
	if !disjointDatasets(ledger) || len(charges) == 0 {
		return []part{{charges: charges}}
	}
	of := make(map[string][]*event.Charge)
	for _, c := range charges {
		of[c.Dataset] = append(of[c.Dataset], c)
	}
	for _, dataset := range slices.Sorted(maps.Keys(of)) {
		all = append(all, part{dataset, of[dataset]})
	}
	return all
}

// byDataset returns a ledger once for each of its parts, without the charges of the others.
func byDataset(ledger *event.Ledger) (all []*event.Ledger) {
	for _, p := range parts(ledger, ledger.Charges()) {
		of := ledger
		if p.dataset != "" {
			of = &event.Ledger{Lines: slices.DeleteFunc(slices.Clone(ledger.Lines), func(l *event.Line) bool {
				return l.Charge != nil && l.Charge.Dataset != p.dataset
			})}
		}
		all = append(all, of)
	}
	return all
}

// composedWith composes the charges of a ledger that a charge of a data set adds to: those of the same part. name is the ledger's.
func composedWith(name string, ledger *event.Ledger, dataset string) (*compose.Composition, error) {
	all, err := composed(name, ledger)
	if err != nil || !disjointDatasets(ledger) {
		return all, err
	}
	of, err := compose.New(slices.DeleteFunc(ledger.Charges(), func(c *event.Charge) bool { return c.Dataset != dataset }))
	if err == nil {
		of.Adjacency, of.Unit = all.Adjacency, all.Unit // are those of the whole ledger
	}
	return of, err
}
