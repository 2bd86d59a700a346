// Package objective releases logistic regression weights. They minimise a perturbed objective, and are released once,
// after the charge (Chaudhuri, Monteleoni, Sarwate 2011). The release's ε is a paper's claim, and the charge has no
// bound. See claim.md.
package objective

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"io"
	"math"

	"privpipe/pipelines/event"
	"privpipe/privatize/internal/book"
)

// MaxFeatures bounds d: a model file has d × d moments, 512 MB at the most.
const MaxFeatures = 1 << 13

// Terms are the settings that a run is charged for. All are public.
type Terms struct {
	Dataset string
	Run     string
	Grant   *event.Grant  // nil: without perturbation, for a charge without privacy
	Subject event.Subject // the part of the documents' header that the release repeats
	Lambda  float64       // Λ; with a grant the grant's Λ
	Norm    float64       // R: a row x becomes x·min(1, R/|x|)/R
	// Settings is the hash of the public settings. Λ, R and the positive class are among them.
	Settings string
}

// A Regression releases weights. It is not safe for concurrent use.
type Regression struct {
	terms  Terms
	book   *book.Book
	rows   *rows
	charge *event.Charge // the release's charge
	known  *event.Charge // the release's charge from an earlier run; nil: this run charges it
}

// A Result holds the released numbers. The number of rows is public.
type Result struct {
	Weights   []float64 // for each feature, for rows scaled to a norm of at most 1
	Precision float64   // n·(Λ + Δ): the normal prior's precision. Without b the weights are the posterior's mode.
}

// Open opens the ledger for a run, and refuses what the grant does not allow. Close must be called at the end.
func Open(ledger string, terms Terms) (*Regression, error) {
	if g := terms.Grant; g != nil {
		if err := g.Check(); err != nil {
			return nil, book.Refuse("%v", err)
		}
		if g.Mechanism != event.Objective {
			return nil, book.Refuse("a grant for %s cannot be used to perturb an objective", g.Mechanism)
		}
		// The release repeats the header of the documents' stream, so the header must be public already. The grant is.
		if err := g.Subject.Fits(terms.Subject); err != nil {
			return nil, book.Refuse("%v", err)
		}
		terms.Lambda = g.Regularisation
	}
	r := &Regression{terms: terms, rows: newRows(terms.Norm), charge: newCharge(&terms)}
	var err error
	if r.book, r.known, err = book.OpenOnce(ledger, terms.Grant, r.charge); err != nil {
		return nil, err
	}
	return r, nil
}

// newCharge returns the charge for the release, which still lacks its hash.
func newCharge(terms *Terms) *event.Charge {
	c := event.NoCharge(1, event.Document, event.Scheme{Method: event.All, Rate: 1, Rounds: 1})
	if g := terms.Grant; g != nil {
		c = g.Charge(1, g.Scheme)
	}
	c.Dataset, c.Run, c.Settings = terms.Dataset, terms.Run, terms.Settings
	return c
}

// Close releases the ledger's lock.
func (r *Regression) Close() error { return r.book.Close() }

// Resume refuses to draw weights again: it fails if the output holds weights of the run and the ledger has no charge
// for them. sent says whether the output holds any.
func (r *Regression) Resume(sent bool) error {
	if sent && r.known == nil {
		return r.book.Outdated(r.charge.Run, r.charge.Round, "the output holds weights of")
	}
	return nil
}

// Add takes a document. It refuses a document if its id came before. Nothing else depends on ids. After an error
// nothing can be released.
func (r *Regression) Add(d *Document) error { return r.rows.add(d) }

// Release ends the rows: it perturbs the objective, stores its minimiser, charges it, and returns it. replayed says
// that the release was charged before, and that result holds its stored weights.
func (r *Regression) Release() (result *Result, replayed bool, err error) {
	if r.rows.number() == 0 {
		return nil, false, &book.Mismatch{Reason: "there is no row to learn from"}
	}
	sum := [sha256.Size]byte(r.rows.digest.Sum(nil))
	change := r.perturbation()
	result = &Result{Precision: float64(r.rows.number()) * (r.terms.Lambda + change.more)}
	if r.known != nil {
		if _, err := r.book.Again(r.known, r.charge, sum, false); err != nil { // a grant has one release
			return nil, false, err
		}
		result.Weights, err = r.stored()
		return result, true, err
	}
	if result.Weights, err = r.minimise(change); err != nil {
		return nil, false, err
	}
	err = r.book.Charge(r.charge, func(out io.Writer) ([sha256.Size]byte, error) {
		return sum, binary.Write(out, binary.LittleEndian, result.Weights)
	})
	if err != nil {
		return nil, false, err
	}
	return result, false, nil
}

// perturbation returns the perturbation that the grant is for, or none without a grant.
func (r *Regression) perturbation() perturbation {
	if r.terms.Grant == nil {
		return perturbation{}
	}
	return perturb(r.terms.Grant.ClaimedEpsilon, r.terms.Lambda, r.rows.number())
}

// minimise draws b, unless the release is without privacy, and returns the minimiser.
func (r *Regression) minimise(change perturbation) ([]float64, error) {
	b := make([]float64, r.terms.Subject.VocabularySize)
	if r.terms.Grant != nil {
		var err error
		if b, err = change.draw(len(b), rand.Reader); err != nil {
			return nil, err
		}
	}
	n := float64(r.rows.number())
	for i := range b {
		b[i] /= n
	}
	w, err := (&objective{rows: r.rows, lambda: r.terms.Lambda + change.more, tilt: b}).minimise()
	if err != nil {
		return nil, &book.Mismatch{Reason: err.Error()}
	}
	return w, nil
}

// stored returns the weights that were charged.
func (r *Regression) stored() ([]float64, error) {
	file, err := r.book.Stored(r.known)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	encoded, err := io.ReadAll(file)
	if err != nil {
		return nil, err
	}
	weights := make([]float64, r.terms.Subject.VocabularySize)
	if len(encoded) != 8*len(weights) {
		return nil, file.Refused() // the stored weights are of other features
	}
	for i := range weights {
		weights[i] = math.Float64frombits(binary.LittleEndian.Uint64(encoded[8*i:]))
	}
	return weights, nil
}
