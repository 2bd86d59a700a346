package book

import (
	"crypto/sha256"

	"privpipe/pipelines/event"
)

// Charged tells whether a round of a run is charged.
func (b *Book) Charged(run string, round int) bool { return b.ledger.Find(run, round) != nil }

// LineOf returns the hash of the line that has a charge, in hexadecimal; "" for a charge that is not in the ledger. No other ledger has such a
// line, since its head is random.
func (b *Book) LineOf(c *event.Charge) string {
	for _, line := range b.ledger.Lines {
		if line.Charge == c {
			return line.Hash
		}
	}
	return ""
}

// Releases returns the SHA-256 of all charged releases of a run, in hexadecimal, by round.
func (b *Book) Releases(run string) map[int][]string {
	releases := make(map[int][]string)
	for _, c := range b.ledger.Charges() {
		if c.Run == run {
			releases[c.Round] = append(releases[c.Round], c.Release)
		}
	}
	return releases
}

// Outdated returns the error for a release that was made, as its evidence shows, and that this ledger has no charge of.
func (b *Book) Outdated(run string, round int, evidence string) error {
	return &Outdated{Path: b.path, Run: run, Round: round, Evidence: evidence}
}

// Known returns the last charge of the round of fresh, or nil if there is none. It refuses a charge that was made under other
// settings, data set or grant, or of a round that was sampled in another way.
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

// Again decides how to answer a round that is charged as known and now has the digest sum. If its release was drawn from the same
// sum, the stored release answers. If not, a second release would be of another sum. Again refuses it or, with leave, completes
// fresh for a charge of its own.
func (b *Book) Again(known, fresh *event.Charge, sum [sha256.Size]byte, leave bool) (stored bool, err error) {
	same, err := b.sameSum(known, sum)
	if same || err != nil {
		return same, err
	}
	if !leave {
		return false, Refuse("round %d of run %s was released from another sum: these are not the documents of the first start, or "+
			"not its settings; other text needs another folder and ledger; a second release is a second charge: it needs a new grant "+
			"and a new run, or --allow-respend and a grant with a release left", known.Round, known.Run)
	}
	fresh.Attempt = max(1, known.Attempt) + 1
	return false, b.Allow(fresh)
}

// OpenOnce opens a ledger for a grant whose one release is to be charged as fresh, or for a release without privacy, which has no grant. known is the earlier charge of the release. If
// known is nil, the release may be charged now.
func OpenOnce(path string, g *event.Grant, fresh *event.Charge) (b *Book, known *event.Charge, err error) {
	b, err = Open(path)
	if err != nil {
		return nil, nil, err
	}
	if g != nil {
		err = b.Enter(g)
	}
	if err == nil {
		known, err = b.Known(fresh)
	}
	if err == nil && known == nil {
		err = b.Allow(fresh)
	}
	if err != nil {
		b.Close()
		return nil, nil, err
	}
	return b, known, nil
}
