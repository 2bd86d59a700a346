package book

import (
	"crypto/sha256"
	"io"

	"privpipe/pipelines/event"
)

// Charged tells whether the ledger has a charge for a round.
func (b *Book) Charged(run string, round int) bool { return b.tally.Charges(run, round) > 0 }

// Begun tells whether the ledger has a charge for any round of the run.
func (b *Book) Begun(run string) bool { return b.tally.Begun(run) }

// Releases returns the SHA-256 of each charged release of the run, in hexadecimal, by round.
func (b *Book) Releases(run string) (map[int][]string, error) {
	releases, last := make(map[int][]string), event.Genesis
	for line, err := range b.after(event.Mark{}).Lines() {
		if err != nil {
			return nil, err
		}
		last = line.Hash
		if c := line.Charge; c != nil && c.Run == run {
			releases[c.Round] = append(releases[c.Round], c.Release)
		}
	}
	if last != b.tally.LastHash() {
		return nil, replaced(b.path)
	}
	return releases, nil
}

// Known returns the last charge for fresh's round, or nil if there is none. It refuses a charge that was made under
// other settings, another data set or another grant, or for a round that was sampled in another way.
func (b *Book) Known(fresh *event.Charge) (*event.Charge, error) {
	charges := b.tally.Charges(fresh.Run, fresh.Round)
	if charges == 0 {
		return nil, nil
	}
	if err := b.tally.CheckRepeat(fresh); err != nil {
		return nil, Refuse("%v", err)
	}
	line, err := b.find(fresh.Run, fresh.Round, charges)
	if err != nil {
		return nil, err
	}
	return line.Charge, nil
}

// find reads the line of a round's charge again, since a Book keeps no lines. charge is its number, from 1 on. find
// also reads the lines around it: by the chain of hashes, it is the line that this process knew.
func (b *Book) find(run string, round, charge int) (*event.Line, error) {
	var found *event.Line
	sequence := b.tally.Line(run, round, charge)
	before, behind := b.marks.Around(sequence, b.tally.Last())
	for line, err := range b.after(before).Lines() {
		if err != nil {
			return nil, err
		}
		if line.Sequence == sequence {
			found = line
		}
		if line.Sequence == behind.Sequence && line.Hash == behind.Hash && found != nil {
			return found, nil
		}
	}
	return nil, replaced(b.path)
}

// after reads the ledger's lines after a mark.
func (b *Book) after(from event.Mark) *event.Reader {
	return event.NewReader(io.NewSectionReader(b.file, from.End, b.size-from.End), b.path, from)
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
