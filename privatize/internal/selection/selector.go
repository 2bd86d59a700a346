// Package selection finds a vocabulary. Each unit votes for a few of its words, and each word's weight gets noise. The
// words with a noisy weight that reaches a threshold are released once, after the charge. See claim.md.
package selection

import (
	"cmp"
	"crypto/sha256"
	"io"
	"slices"

	"privpipe/pipelines/event"
	"privpipe/privatize/internal/book"
	"privpipe/privatize/internal/noise"
)

// Terms are the settings that a run is charged for. All are public.
type Terms struct {
	Dataset  string
	Run      string
	Grant    *event.Grant
	Top      int    // the most words that are released
	Settings string // hash of the public settings, Top among them
}

// A Selector releases a vocabulary from the words of units. It is not safe for concurrent use.
type Selector struct {
	terms  Terms
	book   *book.Book
	noise  noise.Sampler
	charge *event.Charge // the release's charge
	known  *event.Charge // the release's charge from an earlier run; nil: this run charges it
	votes  *votes
}

// Open opens the ledger for a run, and refuses what the grant does not allow. Close must be called at the end.
func Open(ledger string, terms Terms) (*Selector, error) {
	g := terms.Grant
	if err := g.Check(); err != nil {
		return nil, book.Refuse("%v", err)
	}
	if g.Mechanism != event.Select {
		return nil, book.Refuse("a grant for %s cannot be used to select a vocabulary", g.Mechanism)
	}
	s := &Selector{terms: terms, charge: newCharge(&terms)}
	if s.charge.Scale > noise.MaxScale {
		return nil, book.Refuse("noise multiplier %v is outside the range of this mechanism", g.NoiseMultiplier)
	}
	bound, _ := g.Steps()
	s.noise = noise.NewGaussian(s.charge.Scale)
	s.votes = newVotes(g.MaxWords, bound, g.Unit == event.User)
	var err error
	s.book, s.known, err = book.OpenOnce(ledger, g, s.charge)
	if err != nil {
		return nil, err
	}
	return s, nil
}

// newCharge returns the charge for the release, which still lacks its hash.
func newCharge(terms *Terms) *event.Charge {
	c := terms.Grant.Charge(1, terms.Grant.Scheme)
	c.Dataset, c.Run, c.Settings = terms.Dataset, terms.Run, terms.Settings
	return c
}

// Close releases the ledger's lock.
func (s *Selector) Close() error { return s.book.Close() }

// Add takes a document's words and its user. If user is "", the document is a unit of its own. If the grant's unit is
// the document, Add ignores the user. It refuses a document if its id came before. Nothing else depends on ids. After
// an error nothing can be released.
func (s *Selector) Add(document, user string, words []string) error {
	return s.votes.add(document, user, words)
}

// Release ends the votes. It draws the vocabulary, and passes its words to encode, the largest noisy weight first. It
// stores the content from encode, charges it, and returns it. replayed says that the release was charged before, and
// that content is its stored release.
func (s *Selector) Release(encode func(words []string) ([]byte, error)) (content []byte, replayed bool, err error) {
	w, err := s.votes.count()
	if err != nil {
		return nil, false, err
	}
	sum := w.digest()
	if s.known != nil {
		replayed, err = s.book.Again(s.known, s.charge, sum, false) // a grant has one release
		if err != nil {
			return nil, false, err
		}
		if replayed {
			content, err = s.stored()
			return content, true, err
		}
	}
	words, err := s.draw(&w)
	if err != nil {
		return nil, false, err
	}
	if content, err = encode(words); err != nil {
		return nil, false, err
	}
	err = s.book.Charge(s.charge, func(out io.Writer) ([sha256.Size]byte, error) {
		_, err := out.Write(content)
		return sum, err
	})
	if err != nil {
		return nil, false, err
	}
	return content, false, nil
}

func (s *Selector) stored() ([]byte, error) {
	file, err := s.book.Stored(s.known)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return io.ReadAll(file)
}

// draw adds noise to the weight of every word and returns the words that reach the threshold, by decreasing noisy
// weight. Words with equal noisy weights are in the order of their bytes. It returns at most Terms.Top words.
func (s *Selector) draw(w *weights) ([]string, error) {
	var reached []int
	for i := range w.words {
		if err := w.Add(i, s.noise.Next()); err != nil {
			return nil, err
		}
		if w.Cells[i] >= int64(s.charge.Threshold) { // at most 2^62: event.Grant.Charge
			reached = append(reached, i)
		}
	}
	slices.SortStableFunc(reached, func(i, j int) int { return cmp.Compare(w.Cells[j], w.Cells[i]) })
	first := make([]string, min(len(reached), s.terms.Top))
	for i := range first {
		first[i] = w.words[reached[i]]
	}
	return first, nil
}
