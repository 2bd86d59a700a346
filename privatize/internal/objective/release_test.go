package objective

import (
	"bytes"
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/cryptotest"

	"privpipe/pipelines/event"
	"privpipe/pipelines/testkit"
)

func newGrant() *event.Grant {
	return &event.Grant{
		Version: event.GrantVersion, ID: "grant", Mechanism: event.Objective, Adjacency: event.ReplaceOne,
		Unit:     event.Document,
		Clipping: event.ClipUnbounded, Regularisation: 1e-2, ClaimedEpsilon: 1.5, Claim: event.PaperClaim,
		Scheme: event.Scheme{Method: event.All, Rate: 1, Rounds: 1}, Releases: 1,
		Subject: event.Subject{VocabularySize: 4},
	}
}

func newTerms() Terms {
	return Terms{Dataset: "data", Run: "run", Grant: newGrant(), Subject: event.Subject{VocabularySize: 4}, Norm: 1,
		Settings: "settings"}
}

func noiseless() Terms {
	terms := newTerms()
	terms.Grant, terms.Lambda = nil, 1e-2
	return terms
}

func smallDocuments() (all []*Document) {
	for i, row := range small {
		all = append(all, document(i, row.positive, row.x...))
	}
	return all
}

func release(ledger string, terms Terms, documents []*Document) (*Result, bool, error) {
	r, err := Open(ledger, terms)
	if err != nil {
		return nil, false, err
	}
	defer r.Close()
	for _, d := range documents {
		if err := r.Add(d); err != nil {
			return nil, false, err
		}
	}
	return r.Release()
}

func charges(t *testing.T, ledger string) []*event.Charge {
	t.Helper()
	b, err := os.ReadFile(ledger)
	if err != nil {
		t.Fatal(err)
	}
	l, err := event.ReadLedger(bytes.NewReader(b), ledger)
	if err != nil {
		t.Fatal(err)
	}
	return l.Charges()
}

// TestOnce: one unbounded charge with the claim, and the same weights for the same rows ever after, also in a process
// of its own.
func TestOnce(t *testing.T) {
	for name, c := range map[string]struct {
		terms Terms
		want  event.Charge
	}{
		"perturbed": {newTerms(), event.Charge{
			Grant: "grant", Mechanism: event.Objective, Adjacency: event.ReplaceOne, Clipping: event.ClipUnbounded,
			Scale: 1 << 32, Claimed: 3 << 31,
		}},
		"noiseless": {noiseless(), event.Charge{Mechanism: event.None, Adjacency: event.AddRemove}},
	} {
		t.Run(name, func(t *testing.T) {
			ledger := testkit.NewLedger(t)
			first, replayed, err := release(ledger, c.terms, smallDocuments())
			if err != nil || replayed {
				t.Fatal(replayed, err)
			}
			all := charges(t, ledger)
			if len(all) != 1 {
				t.Fatalf("%d charges", len(all))
			}
			c.want.Dataset, c.want.Run, c.want.Round, c.want.Unit, c.want.Settings = "data", "run", 1, event.Document,
				"settings"
			c.want.Scheme, c.want.Release = newGrant().Scheme, all[0].Release
			if *all[0] != c.want {
				t.Errorf("charge %+v, want %+v", *all[0], c.want)
			}
			again, replayed, err := release(ledger, c.terms, smallDocuments())
			if err != nil || !replayed || !slices.Equal(again.Weights, first.Weights) ||
				again.Precision != first.Precision {
				t.Errorf("replayed %v: %v, error %v, want %v", replayed, again, err, first)
			}
			if len(charges(t, ledger)) != 1 {
				t.Error("the replay was charged")
			}
		})
	}
}

// TestNoiseless: without a grant the weights are the minimiser itself, and its precision is nΛ.
func TestNoiseless(t *testing.T) {
	got, _, err := release(testkit.NewLedger(t), noiseless(), smallDocuments())
	if err != nil {
		t.Fatal(err)
	}
	want, err := (&objective{rows: smallRows(t), lambda: 1e-2, tilt: make([]float64, 4)}).minimise()
	if err != nil || !slices.Equal(got.Weights, want) || got.Precision != .08 {
		t.Errorf("%+v, want %v", got, want)
	}
}

// TestPerturbed: the gradient of the plain objective at the released weights is −Δ·w − b/n, with a b that has the norm
// and the spread of Algorithm 2. Over 2,000 releases the mean of |b|, which is d·2/ε′, and the sum of all b, which is 0
// in mean, are within 5.1 standard deviations: a right program fails with a probability of about 10⁻⁶, and here the
// stream is fixed.
func TestPerturbed(t *testing.T) {
	cryptotest.SetGlobalRandom(t, 1)
	const draws, d = 2000, 4
	terms := newTerms()
	p := perturb(terms.Grant.ClaimedEpsilon, terms.Grant.Regularisation, len(small))
	if p.more == 0 {
		t.Fatal("want a case with Δ")
	}
	mean, total := 0.0, make([]float64, d)
	r := &Regression{terms: terms, rows: smallRows(t)}
	r.terms.Lambda = terms.Grant.Regularisation
	for range draws {
		w, err := r.minimise(p)
		if err != nil {
			t.Fatal(err)
		}
		g, _ := (&objective{rows: r.rows, lambda: r.terms.Lambda + p.more, tilt: make([]float64, d)}).gradient(w)
		b := sum(make([]float64, d), -float64(len(small)), g)
		mean += norm(b) / draws
		total = sum(total, 1, b)
	}
	theta := 1 / p.rate
	if deviation := theta * math.Sqrt(d) / math.Sqrt(draws); math.Abs(mean-d*theta) > 5.1*deviation {
		t.Errorf("the mean of |b| is %v, want %v ± %v", mean, d*theta, deviation)
	}
	// E|b|² = d(d+1)θ², spread over d coordinates.
	for i, x := range total {
		if deviation := theta * math.Sqrt((d+1)*draws); math.Abs(x) > 5.1*deviation {
			t.Errorf("coordinate %d of all b adds up to %v, standard deviation %v", i, x, deviation)
		}
	}
}

// TestRefused: what the grant or the ledger does not allow is neither released nor charged.
func TestRefused(t *testing.T) {
	other := smallDocuments()
	other[3].Positive = !other[3].Positive
	for name, c := range map[string]struct {
		change func(*Terms)
		about  string
	}{
		"a grant for sums": {func(terms *Terms) {
			*terms.Grant = event.Grant{
				Version: event.GrantVersion, ID: "grant", Mechanism: event.Gaussian, Adjacency: event.ReplaceOne,
				Unit: event.Document,
				Clip: 1, NoiseMultiplier: 1, Scheme: terms.Grant.Scheme, Releases: 1,
			}
		}, "a grant for gaussian"},
		"an invalid grant":   {func(terms *Terms) { terms.Grant.Claim = "" }, "it needs claim"},
		"another vocabulary": {func(terms *Terms) { terms.Subject.VocabularySize++ }, "another vocabulary"},
		"a grant without one": {func(terms *Terms) { terms.Grant.VocabularySize, terms.Subject.VocabularySize = 0, 0 },
			"names no vocabulary"},
	} {
		t.Run(name, func(t *testing.T) {
			ledger, terms := testkit.NewLedger(t), newTerms()
			c.change(&terms)
			_, _, err := release(ledger, terms, smallDocuments())
			refused(t, err, 83, c.about)
			if len(charges(t, ledger)) != 0 {
				t.Error("charged")
			}
		})
	}
	ledger := testkit.NewLedger(t)
	_, _, err := release(ledger, newTerms(), nil)
	refused(t, err, 90, "no row")
	if _, _, err := release(ledger, newTerms(), smallDocuments()); err != nil {
		t.Fatal(err)
	}
	_, _, err = release(ledger, newTerms(), other)
	refused(t, err, 83, "released from another sum")
	terms := newTerms()
	terms.Settings = "others"
	_, _, err = release(ledger, terms, smallDocuments())
	refused(t, err, 83, "other settings")
	terms = newTerms()
	terms.Run = "second"
	_, _, err = release(ledger, terms, smallDocuments())
	refused(t, err, 83, "all 1 releases of the grant are used")

	stored := filepath.Join(ledger+".releases", "run", "000000001")
	if err := os.WriteFile(stored, make([]byte, 32), 0o600); err != nil {
		t.Fatal(err)
	}
	_, _, err = release(ledger, newTerms(), smallDocuments())
	refused(t, err, 83, "is not the one that was charged")
	if err := os.Remove(stored); err != nil {
		t.Fatal(err)
	}
	_, _, err = release(ledger, newTerms(), smallDocuments())
	refused(t, err, 83, "its stored release is gone")
	if len(charges(t, ledger)) != 1 {
		t.Error("a refusal was charged")
	}
}

// TestResume: an output that holds weights which the ledger has not charged shows an older ledger.
func TestResume(t *testing.T) {
	ledger := testkit.NewLedger(t)
	r, err := Open(ledger, newTerms())
	if err != nil {
		t.Fatal(err)
	}
	refused(t, r.Resume(true), 90, "the output holds weights of round 1 of run run")
	if err := errors.Join(r.Resume(false), r.Close()); err != nil {
		t.Error(err)
	}
	if _, _, err := release(ledger, newTerms(), smallDocuments()); err != nil {
		t.Fatal(err)
	}
	if r, err = Open(ledger, newTerms()); err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if err := r.Resume(true); err != nil {
		t.Error(err)
	}
}

// TestUncharged: if the charge cannot be written, nothing is returned.
func TestUncharged(t *testing.T) {
	ledger := testkit.NewLedger(t)
	r, err := Open(ledger, newTerms())
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	for _, d := range smallDocuments() {
		if err := r.Add(d); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(ledger, nil, 0o600); err != nil { // another program empties it
		t.Fatal(err)
	}
	if result, _, err := r.Release(); err == nil || result != nil {
		t.Errorf("released %v", result)
	}
}

func refused(t *testing.T, err error, code int, about string) {
	t.Helper()
	var coded interface{ ExitCode() int }
	if !errors.As(err, &coded) || coded.ExitCode() != code || !strings.Contains(err.Error(), about) ||
		strings.Contains(err.Error(), "MARKER") {
		t.Errorf("got error %v, want one of code %d about %q", err, code, about)
	}
}
