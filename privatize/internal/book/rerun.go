package book

import (
	"crypto/sha256"

	"privpipe/pipelines/event"
)

// Charged tells whether the ledger has a charge for a round.
func (b *Book) Charged(run string, round int) bool { return b.ledger.Find(run, round) != nil }

// Releases returns the SHA-256 of each charged release of the run, in hexadecimal, by round.
func (b *Book) Releases(run string) map[int][]string {
	releases := make(map[int][]string)
	for _, c := range b.ledger.Charges() {
		if c.Run == run {
			releases[c.Round] = append(releases[c.Round], c.Release)
		}
	}
	return releases
}

// Known returns the last charge for fresh's round, or nil if there is none. It refuses a charge that was made under
// other settings, another data set or another grant, or for a round that was sampled in another way.
func (b *Book) Known(fresh *event.Charge) (*event.Charge, error) {
	known := b.ledger.Find(fresh.Run, fresh.Round)
	if known == nil {
		return nil, nil
	}
	if err := fresh.CheckRepeat(known); err != nil {
		return nil, Refuse("%v", err)
	}
	return known, nil
}

// Again decides how to answer a round when it has the charge known and its contributions now have the digest sum. If
// the charged release was drawn from the same sum, the stored release answers. If not, a second release would tell
// about another sum. Again refuses it or, with leave, completes fresh for a charge of its own.
func (b *Book) Again(known, fresh *event.Charge, sum [sha256.Size]byte, leave bool) (stored bool, err error) {
	same, err := b.sameSum(known, sum)
	if same || err != nil {
		return same, err
	}
	if !leave {
		return false, Refuse("round %d of run %s was released from another sum: these are not the documents of the "+
			"first start, or not its settings, or not its version of the programs; other text needs another folder "+
			"and ledger; a second release is a second charge: it needs a new grant and a new run, or "+
			"--allow-respend and a grant with a release left", known.Round, known.Run)
	}
	fresh.Attempt = max(1, known.Attempt) + 1
	return false, b.Allow(fresh)
}
