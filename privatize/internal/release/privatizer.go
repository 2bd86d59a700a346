// Package release sums a round's contributions, adds noise, and lets the result out once, after the charge. See
// claim.md.
package release

import (
	"crypto/sha256"
	"encoding/binary"
	"io"
	"slices"

	"privpipe/pipelines/event"
	"privpipe/privatize/internal/book"
	"privpipe/privatize/internal/claims"
	"privpipe/privatize/internal/fixed"
)

// Terms are the settings that all releases in one run share. All are public.
type Terms struct {
	Dataset  string
	Run      string
	Unit     string        // event.Document or event.User
	Grant    *event.Grant  // nil: no privacy, exact sums
	Subject  event.Subject // the part of the contributions' header that a release repeats
	Settings string        // hash of the contributions' public settings
	// AllowRespend lets a round be released again, under a second charge, if it was released from another sum.
	AllowRespend bool
	// Claims is the log that lets privatizers with different ledgers release each round once. nil: no other ledger is
	// used.
	Claims claims.Log
}

// A Privatizer turns rounds of contributions into releases. It is not safe for concurrent use.
type Privatizer struct {
	*Collector
	terms  Terms
	book   *book.Book
	claims *claims.Register // nil without Terms.Claims
	noise  noises

	charge *event.Charge // the charge of the round that began last
	stored []int64       // its release, if it was charged before
}

// Open opens the ledger for a run. Close must be called at the end.
func Open(ledger string, terms Terms) (*Privatizer, error) {
	p := &Privatizer{terms: terms}
	var err error
	if p.Collector, err = NewCollector(&terms); err != nil {
		return nil, err
	}
	if g := terms.Grant; g != nil {
		if p.noise, err = newNoises(g, p.limit.twice != nil); err != nil {
			return nil, err
		}
	}
	if p.book, err = book.Open(ledger, terms.Grant); err != nil {
		return nil, err
	}
	if terms.Claims != nil {
		p.claims = claims.NewRegister(terms.Claims)
	}
	return p, nil
}

// Close releases the ledger's lock.
func (p *Privatizer) Close() error { return p.book.Close() }

// Begin begins a round. It refuses what the grant does not allow.
//
// If the round was released before, with other coins or with coins that have no name, Begin returns the stored cells.
// The caller passes them on and drops the round's contributions, which come from other units. If the coins were the
// same, the contributions must be the same, too: the caller goes on as with a new round, and Release compares.
func (p *Privatizer) Begin(number int, scheme event.Scheme) (stored []int64, err error) {
	if scheme.CheckCoins() != nil {
		return nil, &book.Mismatch{Reason: "a round names its coins in a form that no sampler writes"}
	}
	p.stored = nil
	p.charge = p.newCharge(number, scheme)
	known, err := p.book.Known(p.charge)
	if err != nil {
		return nil, err
	}
	if known == nil {
		if err := p.book.Allow(p.charge); err != nil {
			return nil, err
		}
		p.Collector.Open()
		return nil, nil
	}
	p.charge = known
	if p.stored, err = p.readStored(known); err != nil {
		return nil, err
	}
	if !sameUnits(scheme, known.Scheme) {
		return p.stored, nil
	}
	p.Collector.Open()
	return nil, nil
}

// Charged tells whether a round in this run was released, and so charged.
func (p *Privatizer) Charged(number int) bool { return p.book.Charged(p.terms.Run, number) }

// Prune removes the run's stored releases up to round last: see book.Book.Prune.
func (p *Privatizer) Prune(last int) error { return p.book.Prune(p.terms.Run, last) }

// sameUnits tells from their schemes whether two rounds with the same number hold the same units.
func sameUnits(a, b event.Scheme) bool {
	return a == b && (a.Coins != "" || a.Method == event.All || a.Method == event.Epoch)
}

// Scheme returns how the units of the round that began last were sampled. For a stored release it is the charged
// scheme. That scheme names the coins that chose the release's units.
func (p *Privatizer) Scheme() event.Scheme { return p.charge.Scheme }

// newCharge returns the charge for a round, which still lacks the hash of its release.
func (p *Privatizer) newCharge(number int, scheme event.Scheme) *event.Charge {
	var charge *event.Charge
	if g := p.terms.Grant; g != nil {
		charge = g.Charge(number, scheme)
	} else {
		charge = event.NoCharge(number, p.terms.Unit, scheme)
	}
	charge.Dataset, charge.Run, charge.Settings = p.terms.Dataset, p.terms.Run, p.terms.Settings
	return charge
}

// Release ends the open round. It checks that exactly the announced units contributed, claims the release, adds the
// noise, stores the result, charges it, and returns it. replayed says that the round was charged before, and that cells
// are its stored release. The caller may change the cells.
func (p *Privatizer) Release(announced Announced) (cells []int64, replayed bool, err error) {
	if s := p.charge.Scheme; s.Method == event.Fixed && announced.Units != s.Size {
		return nil, false, &book.Mismatch{Reason: "a round does not hold as many units as its scheme says"}
	}
	cells, _, err = p.Collector.Sum(announced)
	if err != nil {
		return nil, false, err
	}
	hash := sha256.New()
	writeCells(hash, cells) // never fails
	sum := [sha256.Size]byte(hash.Sum(nil))
	if p.stored != nil {
		fresh := p.newCharge(p.charge.Round, p.charge.Scheme)
		same, err := p.book.Again(p.charge, fresh, sum, p.terms.AllowRespend)
		if err != nil {
			return nil, false, err
		}
		if same {
			return p.stored, true, nil
		}
		p.charge = fresh
	}
	if err := p.claim(); err != nil {
		return nil, false, err
	}
	if p.terms.Grant != nil {
		p.limit.batch(&fixed.Sum{Cells: cells})
		if err := p.noise.add(cells, p.limit.twice); err != nil {
			return nil, false, err
		}
	}
	err = p.book.Charge(p.charge, func(w io.Writer) ([sha256.Size]byte, error) {
		return sum, writeCells(w, cells)
	})
	if err != nil {
		return nil, false, err
	}
	return cells, false, nil
}

// readStored returns the cells that a charged round released.
func (p *Privatizer) readStored(c *event.Charge) ([]int64, error) {
	file, err := p.book.Stored(c)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	b, err := io.ReadAll(file)
	if err != nil {
		return nil, err
	}
	cells := make([]int64, p.layout.Cells())
	if len(b) != 8*len(cells) {
		return nil, file.Refused()
	}
	_, err = binary.Decode(b, binary.LittleEndian, cells)
	return cells, err
}

// writeCells writes cells as they are stored: little-endian, some at a time.
func writeCells(w io.Writer, cells []int64) error {
	b := make([]byte, 1<<15)
	for some := range slices.Chunk(cells, len(b)/8) {
		for i, cell := range some {
			binary.LittleEndian.PutUint64(b[8*i:], uint64(cell))
		}
		if _, err := w.Write(b[:8*len(some)]); err != nil {
			return err
		}
	}
	return nil
}
