package ledgers

import (
	"slices"

	"privpipe/pipelines/event"
)

// A Use counts the releases that a grant still allows. Without a grant (mechanism none, which protects nothing) it
// counts the run's releases.
type Use struct {
	Grant, Run string // Run is the last charge's run
	Most       int    // number of releases in all
	Releases   int    // number of releases so far
	Batch      uint64 // documents per release, 0 if their number is private
}

// UseOf returns the use for a grant before its first charge.
func UseOf(g *event.Grant) *Use {
	return &Use{Grant: g.ID, Most: g.Releases, Batch: documentsOf(g.Unit, g.Scheme)}
}

// documentsOf returns the number of documents in a batch, or 0 if this number is private. For other units it is
// private, since two documents of one user count as one unit.
func documentsOf(unit string, scheme event.Scheme) uint64 {
	if unit != event.Document {
		return 0
	}
	return scheme.Size // only the fixed scheme has one
}

// LastUse returns the use for the ledger's last charge, or for a run's last charge if run is not empty. It returns nil
// if there is no charge.
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

// Count counts the releases among the charges.
func (u *Use) Count(charges []*event.Charge) {
	u.Releases = 0
	for _, c := range charges {
		if c.Grant == u.Grant && (u.Grant != "" || c.Run == u.Run) {
			u.Releases++
			u.Run = c.Run
		}
	}
}
