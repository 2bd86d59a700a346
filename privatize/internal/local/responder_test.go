package local

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"privpipe/pipelines/event"
	"privpipe/pipelines/testkit"
)

func newGrant() *event.Grant {
	return &event.Grant{
		Version: event.GrantVersion, ID: "grant", Mechanism: event.RandomizedResponse, Adjacency: event.ReplaceOne,
		Unit: event.Document, Flip: 0.25, MaxWords: 3, Scheme: event.Scheme{Method: event.All, Rate: 1, Rounds: 1},
		Releases: 1,
		Subject:  event.Subject{VocabularySize: 100},
	}
}

func newTerms() Terms {
	return Terms{Dataset: "data", Run: "run", Grant: newGrant(), Subject: event.Subject{VocabularySize: 100},
		Settings: "settings"}
}

// over returns terms, and their grant, for documents over a vocabulary of so many words.
func over(terms Terms, words int) Terms {
	terms.Subject.VocabularySize, terms.Grant.VocabularySize = words, words
	return terms
}

func newLedger(t testing.TB) string { return testkit.NewLedger(t) }

// document returns one whose words occur once, named by MARKER, which no message may quote.
func document(id string, words ...uint32) *Document {
	return &Document{ID: "MARKER " + id, Words: words, Counts: slices.Repeat([]uint32{1}, len(words))}
}

var two = []*Document{document("a", 1, 2, 99), document("b")}

// feed gives documents and then err.
func feed(documents []*Document, err error) func() (*Document, error) {
	return func() (*Document, error) {
		if len(documents) == 0 {
			return nil, err
		}
		d := documents[0]
		documents = documents[1:]
		return d, nil
	}
}

// respond opens a ledger, reads documents and returns their reports.
func respond(ledger string, terms Terms, documents []*Document) (reports [][]uint32, replayed bool, err error) {
	r, err := Open(ledger, terms)
	if err != nil {
		return nil, false, err
	}
	defer r.Close()
	if replayed, err = r.Respond(feed(documents, io.EOF)); err != nil {
		return nil, false, err
	}
	err = r.Reports(func(words []uint32) error {
		reports = append(reports, slices.Clone(words))
		return nil
	})
	return reports, replayed, err
}

func responded(t *testing.T, ledger string, terms Terms, documents []*Document) [][]uint32 {
	t.Helper()
	reports, _, err := respond(ledger, terms, documents)
	if err != nil {
		t.Fatal(err)
	}
	return reports
}

func refused(t *testing.T, err error, code int, about string) {
	t.Helper()
	var coded interface{ ExitCode() int }
	if !errors.As(err, &coded) || coded.ExitCode() != code || !strings.Contains(err.Error(), about) {
		t.Errorf("got error %v, want one of code %d about %q", err, code, about)
	}
	if err != nil && strings.Contains(err.Error(), "MARKER") {
		t.Errorf("the message quotes a document: %v", err)
	}
}

func read(t *testing.T, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func charges(t *testing.T, ledger string) []*event.Charge {
	t.Helper()
	l, err := event.ReadLedger(bytes.NewReader(read(t, ledger)), ledger)
	if err != nil {
		t.Fatal(err)
	}
	return l.Charges()
}

func stored(ledger string) string { return filepath.Join(ledger+".releases", "run", "000000001") }

// One charge, a file of ⌈V/8⌉ bytes a document, and the same reports for the same documents ever after.
func TestOnce(t *testing.T) {
	ledger := newLedger(t)
	reports := responded(t, ledger, newTerms(), two)
	if len(reports) != 2 || slices.Equal(reports[0], reports[1]) {
		t.Fatalf("reports %v", reports)
	}
	all := charges(t, ledger)
	if len(all) != 1 {
		t.Fatalf("%d charges, want 1", len(all))
	}
	c := *all[0]
	c.Release = ""
	if want := (event.Charge{
		Dataset: "data", Run: "run", Round: 1, Grant: "grant", Mechanism: event.RandomizedResponse,
		Adjacency: event.ReplaceOne,
		Unit:      event.Document, Sensitivity: 6, Scale: 1 << 30, Scheme: newGrant().Scheme, Settings: "settings",
	}); c != want {
		t.Errorf("charge %+v, want %+v", c, want)
	}
	if info, err := os.Stat(stored(ledger)); err != nil || info.Size() != 2*13 || info.Mode().Perm() != 0o600 {
		t.Errorf("stored %v, error %v", info, err)
	}
	before := read(t, ledger)
	for range 2 {
		again, replayed, err := respond(ledger, newTerms(), two)
		if err != nil || !replayed || !slices.EqualFunc(again, reports, slices.Equal) {
			t.Fatalf("replay %v, %v, error %v, want %v", again, replayed, err, reports)
		}
	}
	if !bytes.Equal(read(t, ledger), before) {
		t.Error("a replay changed the ledger")
	}
}

// Reports of drawn words are of the same size, charged for as many words, and the same ever after.
func TestOnceOfWords(t *testing.T) {
	ledger, terms := newLedger(t), newTerms()
	terms.Grant.ReportWords, terms.Grant.Flip = 2, 1.0/event.FlipSteps
	reports := responded(t, ledger, terms, two)
	if len(reports[0]) < 1 || len(reports[0]) > 2 || len(reports[1]) != 0 {
		t.Errorf("reports %v", reports) // a word of another document is drawn once in 10⁷
	}
	if c := charges(t, ledger)[0]; c.Sensitivity != 2 || c.Scale != 1 {
		t.Errorf("charge %+v", c)
	}
	if info, err := os.Stat(stored(ledger)); err != nil || info.Size() != 2*13 {
		t.Errorf("stored %v, error %v", info, err)
	}
	if again := responded(t, ledger, terms, two); !slices.EqualFunc(again, reports, slices.Equal) {
		t.Errorf("replay %v, want %v", again, reports)
	}
	bits := newTerms()
	bits.Grant.Flip = terms.Grant.Flip
	_, _, err := respond(ledger, bits, two)
	refused(t, err, 83, "")
}

// What a report does not depend on may change.
func TestSameSets(t *testing.T) {
	ledger := newLedger(t)
	documents := []*Document{{ID: "a", Words: []uint32{4, 5, 6, 7}, Counts: []uint32{2, 2, 2, 1}}, document("b", 8)}
	reports := responded(t, ledger, newTerms(), documents)
	documents = []*Document{{ID: "c", Words: []uint32{4, 5, 6, 70}, Counts: []uint32{9, 9, 9, 8}}, document("d", 8)}
	if again := responded(t, ledger, newTerms(), documents); !slices.EqualFunc(again, reports, slices.Equal) {
		t.Errorf("reports %v, want %v", again, reports)
	}
}

// Two reports of the same place, of different documents, would tell how they differ.
func TestOtherSets(t *testing.T) {
	ledger := newLedger(t)
	reports := responded(t, ledger, newTerms(), two)
	before := read(t, ledger)
	for name, documents := range map[string][]*Document{
		"a word more":     {document("a", 1, 2, 99), document("b", 5)},
		"a word less":     {document("a", 1, 2), document("b")},
		"a document more": append(slices.Clone(two), document("c")),
		"a document less": two[:1],
		"none":            nil,
		"another order":   {two[1], two[0]},
	} {
		t.Run(name, func(t *testing.T) {
			_, _, err := respond(ledger, newTerms(), documents)
			refused(t, err, 83, "released from another sum")
		})
	}
	if !bytes.Equal(read(t, ledger), before) {
		t.Error("a refusal changed the ledger")
	}
	if again := responded(t, ledger, newTerms(), two); !slices.EqualFunc(again, reports, slices.Equal) {
		t.Error("the same documents were reported again")
	}
}

// Nothing is charged or kept before the last document is read and right.
func TestNotWhole(t *testing.T) {
	broken := errors.New("the stream is truncated")
	for name, c := range map[string]struct {
		next  func() (*Document, error)
		about string
	}{
		"cut":         {feed(two, broken), ""},
		"cut at once": {feed(nil, broken), ""},
		"twice":       {feed([]*Document{two[0], two[1], two[0]}, io.EOF), "two documents have the same id"},
		"no word":     {feed([]*Document{two[0], document("c", 100)}, io.EOF), "a word that the vocabulary lacks"},
	} {
		t.Run(name, func(t *testing.T) {
			ledger := newLedger(t)
			r, err := Open(ledger, newTerms())
			if err != nil {
				t.Fatal(err)
			}
			defer r.Close()
			if _, err = r.Respond(c.next); c.about != "" {
				refused(t, err, 90, c.about)
			} else if !errors.Is(err, broken) {
				t.Errorf("got error %v", err)
			}
			if n := len(charges(t, ledger)); n != 0 {
				t.Errorf("%d charges", n)
			}
			if left, _ := filepath.Glob(filepath.Join(ledger+".releases", "run", "*")); left != nil {
				t.Errorf("left %v", left)
			}
		})
	}
}

// A run that was charged is not drawn again because its input is broken.
func TestBrokenReplay(t *testing.T) {
	ledger := newLedger(t)
	responded(t, ledger, newTerms(), two)
	_, _, err := respond(ledger, newTerms(), []*Document{two[0], two[0]})
	refused(t, err, 90, "the same id")
}

func TestGrants(t *testing.T) {
	past := time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)
	for name, c := range map[string]struct {
		change func(*Terms)
		about  string
	}{
		"not a grant":        {func(terms *Terms) { terms.Grant.Version = 9 }, "version 9"},
		"flip":               {func(terms *Terms) { terms.Grant.Flip = 0.51 }, "flip must be in"},
		"unit":               {func(terms *Terms) { terms.Grant.Unit = event.User }, "unit \"document\""},
		"adjacency":          {func(terms *Terms) { terms.Grant.Adjacency = event.AddRemove }, "needs adjacency"},
		"expired":            {func(terms *Terms) { terms.Grant.Expires = &past }, "expired"},
		"no vocabulary":      {func(terms *Terms) { *terms = over(*terms, 0) }, "names no vocabulary"},
		"another vocabulary": {func(terms *Terms) { terms.Subject.VocabularySize++ }, "for another vocabulary"},
		"a model":            {func(terms *Terms) { terms.Subject.Model = "MARKER" }, "for no model"},
		"mechanism": {func(terms *Terms) {
			terms.Grant = &event.Grant{
				Version: event.GrantVersion, ID: "gaussian", Mechanism: event.Gaussian, Adjacency: event.ReplaceOne,
				Unit: event.Document, Clip: 1, NoiseMultiplier: 1, Scheme: newGrant().Scheme, Releases: 1,
			}
		}, "a grant for gaussian"},
	} {
		t.Run(name, func(t *testing.T) {
			ledger, terms := newLedger(t), newTerms()
			c.change(&terms)
			_, _, err := respond(ledger, terms, two)
			refused(t, err, 83, c.about)
			if _, err := os.Stat(ledger); err == nil && len(charges(t, ledger)) > 0 {
				t.Error("it is charged")
			}
		})
	}
}

// A charged run is answered only for its own settings. A new grant collects again.
func TestRuns(t *testing.T) {
	ledger := newLedger(t)
	reports := responded(t, ledger, newTerms(), two)
	for name, change := range map[string]func(*Terms){
		"settings": func(terms *Terms) { terms.Settings = "other" },
		"data set": func(terms *Terms) { terms.Dataset = "other" },
		"grant":    func(terms *Terms) { terms.Grant.ID = "other" },
	} {
		terms := newTerms()
		change(&terms)
		_, _, err := respond(ledger, terms, two)
		refused(t, err, 83, "released under other settings")
		if t.Failed() {
			t.Fatal(name)
		}
	}
	terms := newTerms()
	terms.Run = "second"
	_, _, err := respond(ledger, terms, two)
	refused(t, err, 83, "all 1 releases of the grant are used")
	terms.Grant.ID = "second"
	if again := responded(t, ledger, terms, two); slices.EqualFunc(again, reports, slices.Equal) {
		t.Error("two runs have the same flips")
	}
	if n := len(charges(t, ledger)); n != 2 {
		t.Errorf("%d charges, want 2", n)
	}
}

func TestLocked(t *testing.T) {
	ledger := newLedger(t)
	r, err := Open(ledger, newTerms())
	if err != nil {
		t.Fatal(err)
	}
	_, _, err = respond(ledger, newTerms(), two)
	refused(t, err, 91, "another privatizer")
	r.Close()
	responded(t, ledger, newTerms(), two)
}

func TestDamagedReports(t *testing.T) {
	for name, damage := range map[string]func(stored string) error{
		"gone":    os.Remove,
		"changed": func(stored string) error { return os.WriteFile(stored, make([]byte, 26), 0o600) },
		"cut":     func(stored string) error { return os.Truncate(stored, 13) },
	} {
		t.Run(name, func(t *testing.T) {
			ledger := newLedger(t)
			responded(t, ledger, newTerms(), two)
			if err := damage(stored(ledger)); err != nil {
				t.Fatal(err)
			}
			_, _, err := respond(ledger, newTerms(), two)
			refused(t, err, 83, "stored release")
		})
	}
}

// The reports of a run are those of as many documents as it has now.
func TestReportsOfOtherDocuments(t *testing.T) {
	ledger := newLedger(t)
	responded(t, ledger, newTerms(), two)
	r, err := Open(ledger, newTerms())
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	r.charge, r.documents = r.known, 3
	err = r.Reports(func([]uint32) error { t.Error("a report is given"); return nil })
	refused(t, err, 83, "not the one that was charged")
}

// An error of the receiver ends the reports.
func TestReceiver(t *testing.T) {
	r, err := Open(newLedger(t), newTerms())
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if _, err := r.Respond(feed(two, io.EOF)); err != nil {
		t.Fatal(err)
	}
	full, given := errors.New("disk full"), 0
	if err := r.Reports(func([]uint32) error { given++; return full }); err != full || given != 1 {
		t.Errorf("%d reports, error %v", given, err)
	}
}

func TestNoDocuments(t *testing.T) {
	ledger := newLedger(t)
	if reports := responded(t, ledger, newTerms(), nil); len(reports) != 0 || len(charges(t, ledger)) != 1 {
		t.Errorf("reports %v", reports)
	}
}

func BenchmarkRespond(b *testing.B) {
	for _, flip := range []float64{0.25, 0.2689} { // 2 binary digits, and 32
		b.Run(fmt.Sprint(flip), func(b *testing.B) {
			const documents, words = 2000, 8000
			terms := newTerms()
			terms = over(terms, words)
			terms.Grant.Flip, terms.Grant.MaxWords = flip, 100
			corpus := make([]*Document, documents)
			for i := range corpus {
				corpus[i] = document(fmt.Sprint(i))
				for w := range uint32(100) {
					corpus[i].Words, corpus[i].Counts = append(corpus[i].Words, 80*w), append(corpus[i].Counts, 1)
				}
			}
			for b.Loop() {
				ledger := newLedger(b)
				if _, _, err := respond(ledger, terms, corpus); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.N*documents)/b.Elapsed().Seconds(), "documents/s")
		})
	}
}
