package accountant

import (
	"errors"
	"maps"
	"slices"

	"privpipe/pipelines/event"
)

// If data sets share no unit, a unit loses only by the releases from its own data set. So a ledger has spent the
// largest ε over its data sets. pipelines/event/claim.md has the proof.

// DisjointNote is what account prints for such a ledger.
const DisjointNote = "on trust: data sets share no unit"

// DisjointDatasets says whether a ledger's data sets share no unit.
func DisjointDatasets(ledger *event.Ledger) bool {
	head := ledger.Head()
	return head != nil && head.DisjointDatasets
}

// DatasetCharges are charges with losses that add up.
type DatasetCharges struct {
	Dataset string // "" unless the ledger says that data sets share no unit
	Charges []*event.Charge
}

// SplitByDataset splits a ledger's charges into groups. Losses add up within a group, but not between groups. The
// groups are in the order of their data sets, and there is at least one.
func SplitByDataset(ledger *event.Ledger, charges []*event.Charge) (all []DatasetCharges) {
	if !DisjointDatasets(ledger) || len(charges) == 0 {
		return []DatasetCharges{{Charges: charges}}
	}
	of := make(map[string][]*event.Charge)
	for _, c := range charges {
		of[c.Dataset] = append(of[c.Dataset], c)
	}
	for _, dataset := range slices.Sorted(maps.Keys(of)) {
		all = append(all, DatasetCharges{dataset, of[dataset]})
	}
	return all
}

// ByDataset returns one ledger for each group. Each has all lines but the charges of other groups.
func ByDataset(ledger *event.Ledger) (all []*event.Ledger) {
	for _, p := range SplitByDataset(ledger, ledger.Charges()) {
		of := ledger
		if p.Dataset != "" {
			of = &event.Ledger{Lines: slices.DeleteFunc(slices.Clone(ledger.Lines), func(l *event.Line) bool {
				return l.Charge != nil && l.Charge.Dataset != p.Dataset
			})}
		}
		all = append(all, of)
	}
	return all
}

// ComposeDataset composes the charges that a data set's next charge adds to: the charges of the same group. name is the
// ledger's name.
func ComposeDataset(name string, ledger *event.Ledger, dataset string) (*Composition, error) {
	all, err := ComposeLedger(name, ledger)
	if err != nil || !DisjointDatasets(ledger) {
		return all, err
	}
	of, err := Compose(slices.DeleteFunc(ledger.Charges(), func(c *event.Charge) bool { return c.Dataset != dataset }))
	if err == nil {
		of.Adjacency, of.Unit = all.Adjacency, all.Unit // the same in the whole ledger
	}
	return of, err
}

// ComposeLedger composes a ledger's charges. If a charge does not fit the charges before it, the error names its line.
func ComposeLedger(name string, ledger *event.Ledger) (*Composition, error) {
	composition, err := Compose(ledger.Charges())
	var misfit *ChargeError
	if errors.As(err, &misfit) {
		line := slices.IndexFunc(ledger.Lines, func(l *event.Line) bool { return l.Charge == misfit.Charge })
		return nil, &event.LedgerError{Name: name, Line: line + 1, Err: err}
	}
	return composition, err
}
