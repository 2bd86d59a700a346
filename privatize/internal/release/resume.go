package release

import (
	"slices"

	"privpipe/privatize/internal/claims"
)

// A Sent is a release of the run that the output holds already.
type Sent struct {
	Round int
	// SHA-256 of its cells as they are stored, in hexadecimal; empty: the output holds only a part of the release
	Digest string
}

// Resume refuses to go on with a ledger that lacks charges of the run: noise would be drawn a second time. The output
// shows such charges, since only charged releases go there, and so does the log of claims. Releases that another ledger
// has claimed do not count. Resume is called once, before the first round.
func (p *Privatizer) Resume(sent []Sent) error {
	others, err := p.claimed()
	if err != nil {
		return err
	}
	if len(sent) == 0 {
		return nil // a long ledger takes seconds to read
	}
	charged, err := p.book.Releases(p.terms.Run)
	if err != nil {
		return err
	}
	for _, s := range sent {
		digests := charged[s.Round]
		known := slices.Contains(digests, s.Digest) || s.Digest == "" && len(digests) > 0
		if !known && !others[s.Round] {
			return p.book.Outdated(p.terms.Run, s.Round, "the output holds a release of")
		}
	}
	return nil
}

// Begun tells whether the ledger has any charge for the run.
func (p *Privatizer) Begun() bool { return p.book.Begun(p.terms.Run) }

// claimed returns the rounds of the run that other ledgers have claimed. It refuses a round if this ledger claimed it,
// did not charge it, and then claimed another round. A crash may leave a claimed round without a charge, but the next
// process then claims the same round again.
func (p *Privatizer) claimed() (others map[int]bool, err error) {
	if p.claims == nil {
		return nil, nil
	}
	held, err := p.claims.Held(p.terms.Run)
	if err != nil || len(held) == 0 {
		return nil, err
	}
	owner, err := p.book.Owner()
	if err != nil {
		return nil, err
	}
	own := map[string]bool{owner: true}
	// A ledger that was put back without its folder of releases has another owner name. It still has charges for the
	// rounds that its old name claimed.
	for _, h := range held {
		if h.Attempt == 1 && p.Charged(h.Round) {
			own[h.Owner] = true
		}
	}
	others = make(map[int]bool)
	open := 0 // a round that is claimed and not charged
	for _, h := range held {
		switch {
		case !own[h.Owner]:
			others[h.Round] = true
		case open > 0:
			return nil, p.book.Outdated(p.terms.Run, open, "later claims follow the claim of")
		case !p.Charged(h.Round):
			open = h.Round
		}
	}
	return others, nil
}

// claim claims the next release, if other ledgers could be charged for it.
func (p *Privatizer) claim() error {
	if p.claims == nil {
		return nil
	}
	owner, err := p.book.Owner()
	if err != nil {
		return err
	}
	r := claims.Release{Run: p.charge.Run, Round: p.charge.Round, Attempt: max(1, p.charge.Attempt)}
	return p.claims.Claim(r, owner)
}
