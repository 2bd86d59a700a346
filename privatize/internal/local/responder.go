// Package local is the local model of differential privacy on documents. It reports each document's set of words once,
// after the charge. A report has every bit wrong with a known probability, or holds a few words, most of them from the
// document. See claim.md.
package local

import (
	"bufio"
	"cmp"
	"crypto/sha256"
	"io"

	"privpipe/pipelines/event"
	"privpipe/privatize/internal/book"
	"privpipe/privatize/internal/noise"
	"privpipe/privatize/internal/unit"
)

// Terms are the settings that a run is charged for. All are public.
type Terms struct {
	Dataset  string
	Run      string
	Grant    *event.Grant
	Subject  event.Subject // the part of the documents' header that the reports repeat
	Settings string        // hash of the documents' public settings
}

// A Responder answers for documents by randomized response. It is not safe for concurrent use.
type Responder struct {
	terms  Terms
	book   *book.Book
	flips  *noise.Bernoulli
	draws  *draws        // of words; nil: a report has a bit for each word
	charge *event.Charge // the reports' charge
	known  *event.Charge // the reports' charge from an earlier run; nil: this run charges them

	documents int64 // read
}

// Open opens the ledger for a run, and refuses what the grant does not allow. Close must be called at the end.
func Open(ledger string, terms Terms) (*Responder, error) {
	g := terms.Grant
	if err := g.Check(); err != nil {
		return nil, book.Refuse("%v", err)
	}
	if g.Mechanism != event.RandomizedResponse {
		return nil, book.Refuse("a grant for %s cannot be used for randomized response", g.Mechanism)
	}
	// A report repeats the header of the documents' stream, so the header must be public already. The grant is.
	if err := g.Subject.Fits(terms.Subject); err != nil {
		return nil, book.Refuse("%v", err)
	}
	r := &Responder{terms: terms, charge: newCharge(&terms)}
	r.flips = noise.NewBernoulli(r.charge.Scale)
	if g.ReportWords > 0 {
		r.draws = newDraws(r.words(), g, r.charge.Scale)
	}
	var err error
	r.book, r.known, err = book.OpenOnce(ledger, g, r.charge)
	if err != nil {
		return nil, err
	}
	return r, nil
}

// newCharge returns the charge for the reports, which still lacks their hash.
func newCharge(terms *Terms) *event.Charge {
	c := terms.Grant.Charge(1, terms.Grant.Scheme)
	c.Dataset, c.Run, c.Settings = terms.Dataset, terms.Run, terms.Settings
	return c
}

// words is V, the number of words in the vocabulary.
func (r *Responder) words() int { return r.terms.Subject.VocabularySize }

// Close releases the ledger's lock.
func (r *Responder) Close() error { return r.book.Close() }

// Resume refuses to draw reports again: it fails if the output holds reports of the run and the ledger has no charge
// for them. sent says whether the output holds any.
func (r *Responder) Resume(sent bool) error {
	if sent && r.known == nil {
		return r.book.Outdated(r.charge.Run, r.charge.Round, "the output holds reports of")
	}
	return nil
}

// Respond reads documents until next returns io.EOF, which says that there are no more. It draws, stores and charges
// one report for each document. After another error nothing is charged, and no drawn report is ever let out. If the run
// was charged before, nothing is drawn, and Respond refuses documents with other sets of words.
func (r *Responder) Respond(next func() (*Document, error)) (replayed bool, err error) {
	if r.known == nil {
		return false, r.book.Charge(r.charge, func(w io.Writer) ([sha256.Size]byte, error) { return r.read(next, w) })
	}
	sum, err := r.read(next, nil)
	if err != nil {
		return false, err
	}
	if _, err := r.book.Again(r.known, r.charge, sum, false); err != nil { // a grant has one release
		return false, err
	}
	r.charge = r.known
	return true, nil
}

// read reads all documents and writes a report for each to out, if out is not nil. It returns the SHA-256 of their sets
// of words, one after the other.
func (r *Responder) read(next func() (*Document, error), out io.Writer) (sum [sha256.Size]byte, err error) {
	seen := make(unit.Set)
	s, flips := newSet(r.words()), newSet(r.words())
	encoded := make([]byte, size(r.words()))
	digest := sha256.New()
	most := r.terms.Grant.MaxWords
	if r.draws != nil {
		// If a document has more than MaxWords words, other words count in each drawn report. So the digest is over all
		// words.
		most = r.words()
	}
	for {
		d, err := next()
		if err == io.EOF {
			return [sha256.Size]byte(digest.Sum(nil)), nil
		}
		if err != nil {
			return sum, err
		}
		if !seen.Add(unit.KeyOf(d.ID)) {
			return sum, &book.Mismatch{Reason: "two documents have the same id"}
		}
		r.documents++
		if err := s.take(d, r.words(), most); err != nil {
			return sum, err
		}
		s.encode(encoded)
		digest.Write(encoded)
		if out == nil {
			continue
		}
		if r.draws != nil {
			r.draws.report(s, appendWords(nil, encoded))
		} else {
			r.flips.Fill(flips)
			s.flip(flips, r.words())
		}
		s.encode(encoded)
		if _, err := out.Write(encoded); err != nil {
			return sum, err
		}
	}
}

// Name names the reports, after Respond: 16 hexadecimal digits of the hash that their charge's line has. Reports of
// other authors have another name. Reports that are sent again keep their name. The name is public, as the ledger is.
func (r *Responder) Name() (string, error) {
	line, err := r.book.LineOf(r.charge)
	if err != nil {
		return "", err
	}
	return line[:16], nil
}

// Reports passes the words in each stored report to each: the words with bit 1. The reports come in the order of the
// documents. Call Reports after Respond. The slice is used again.
func (r *Responder) Reports(each func(words []uint32) error) error {
	file, err := r.book.Stored(r.charge)
	if err != nil {
		return err
	}
	defer file.Close()
	encoded := make([]byte, size(r.words()))
	length, err := file.Size()
	if err != nil {
		return err
	}
	if length != r.documents*int64(len(encoded)) {
		return file.Refused() // the stored reports are of other documents
	}
	in := bufio.NewReaderSize(file, 1<<16)
	var words []uint32
	for range r.documents {
		if _, err := io.ReadFull(in, encoded); err != nil {
			return err
		}
		words = appendWords(words[:0], encoded)
		if err := each(words); err != nil {
			return err
		}
	}
	if _, err := in.ReadByte(); err != io.EOF { // at the end the Stored checks everything that was read
		return cmp.Or(err, file.Refused())
	}
	return nil
}
