// Package local is the local model of differential privacy on documents. It reports the set of words of each document once, after
// the charge: every bit wrong with a known probability, or a few words, most of them of the document. See claim.md.
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
	Subject  event.Subject // of the documents: what a report repeats of their stream
	Settings string        // hash of the public settings of the documents
}

// A Responder answers for documents by randomized response. It is not safe for concurrent use.
type Responder struct {
	terms  Terms
	book   *book.Book
	flips  *noise.Bernoulli
	draws  *draws        // of words; nil: a report has a bit for each word
	charge *event.Charge // of the reports
	known  *event.Charge // what they were charged as in an earlier run; nil: this one charges them

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

// newCharge returns the charge of the reports, which lacks their hash.
func newCharge(terms *Terms) *event.Charge {
	c := terms.Grant.Charge(1, terms.Grant.Scheme)
	c.Dataset, c.Run, c.Settings = terms.Dataset, terms.Run, terms.Settings
	return c
}

// words is V, the number of words of the vocabulary.
func (r *Responder) words() int { return r.terms.Subject.VocabularySize }

// Close releases the lock of the ledger.
func (r *Responder) Close() error { return r.book.Close() }

// Resume refuses to draw reports again: it fails if the output holds reports of the run that the ledger has no charge of. sent
// says that the output holds any.
func (r *Responder) Resume(sent bool) error {
	if sent && r.known == nil {
		return r.book.Outdated(r.charge.Run, r.charge.Round, "the output holds reports of")
	}
	return nil
}

// Respond reads documents until next returns io.EOF, which says that there are no more. It draws, stores and charges a report of
// each. After another error nothing is charged, and no drawn report is ever let out. If the run was charged before, nothing is
// drawn, and Respond refuses documents with other sets of words.
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

// read reads all documents and writes a report of each to out, if there is one. It returns SHA-256 of their sets of words,
// one after the other.
func (r *Responder) read(next func() (*Document, error), out io.Writer) (sum [sha256.Size]byte, err error) {
	seen := make(unit.Set)
	s, flips := newSet(r.words()), newSet(r.words())
	encoded := make([]byte, size(r.words()))
	digest := sha256.New()
	most := r.terms.Grant.MaxWords
	if r.draws != nil {
		most = r.words() // of a report that is drawn other words count each time
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

// Name names the reports, after Respond: 16 hexadecimal digits of the hash of their charge's line. Reports of other authors have another name, and reports
// that are sent again the same. It is public, as the ledger is.
func (r *Responder) Name() string { return r.book.LineOf(r.charge)[:16] }

// Reports gives the words whose bit is 1 in the stored report of each document, in the order of the documents, after
// Respond. The slice is used again.
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
		return file.Refused() // it is of other documents
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
	if _, err := in.ReadByte(); err != io.EOF { // the end, where what was read is checked
		return cmp.Or(err, file.Refused())
	}
	return nil
}
