package ledgers

import (
	"slices"

	"privpipe/pipelines/event"
)

// A Use is what is left to release by a grant, or where there is no grant, since nothing is protected, by a run.
type Use struct {
	Grant, Run string // run is that of the last charge
	Most       int    // releases
	Releases   int    // so far
	Batch      uint64 // documents of a release, 0 where that is private
}

// UseOf returns the use of a grant that nothing is charged by.
func UseOf(g *event.Grant) *Use {
	return &Use{Grant: g.ID, Most: g.Releases, Batch: documentsOf(g.Unit, g.Scheme)}
}

// documentsOf returns how many documents a batch has, 0 where that is private: two documents of a user count as one unit.
func documentsOf(unit string, scheme event.Scheme) uint64 {
	if unit != event.Document {
		return 0
	}
	return scheme.Size // only the fixed scheme has one
}

// LastUse returns the use of a ledger's last charge, or of the last of a run; nil where there is none.
func LastUse(ledger *event.Ledger, run string) *Use {
	for _, c := range slices.Backward(ledger.Charges()) {
		if run != "" && c.Run != run {
			continue
		}
		for _, line := range ledger.Lines {
			if line.Grant != nil && line.Grant.ID == c.Grant {
				return UseOf(line.Grant)
			}
		}
		return &Use{Run: c.Run, Most: c.Scheme.Rounds, Batch: documentsOf(c.Unit, c.Scheme)}
	}
	return nil
}

// Count counts the releases among charges.
func (u *Use) Count(charges []*event.Charge) {
	u.Releases = 0
	for _, c := range charges {
		if c.Grant == u.Grant && (u.Grant != "" || c.Run == u.Run) {
			u.Releases++
			u.Run = c.Run
		}
	}
}
