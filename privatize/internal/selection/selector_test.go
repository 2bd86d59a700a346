package selection

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/cryptotest"

	"privpipe/pipelines/event"
	"privpipe/pipelines/testkit"
	"privpipe/privatize/internal/noise"
)

// newGrant returns a grant of noise of one step, so that a word of n units by itself reaches a threshold of (n −
// 0.01)·bound and not one of (n + 0.01)·bound: a draw beyond 20 steps has a probability below 1e-80.
func newGrant(change ...func(*event.Grant)) *event.Grant {
	g := &event.Grant{
		Version: event.GrantVersion, ID: "grant", Mechanism: event.Select, Adjacency: event.AddRemove,
		Unit: event.Document,
		Clip: 1, NoiseMultiplier: 0x1p-20, MaxWords: 4, Threshold: 1.99,
		Scheme: event.Scheme{Method: event.All, Rate: 1, Rounds: 1}, Releases: 1,
	}
	for _, c := range change {
		c(g)
	}
	return g
}

func newTerms(change ...func(*event.Grant)) Terms {
	return Terms{Dataset: "data", Run: "run", Grant: newGrant(change...), Top: 100, Settings: "settings"}
}

func open(t *testing.T, ledger string, terms Terms) *Selector {
	t.Helper()
	s, err := Open(ledger, terms)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func newLedger(t testing.TB) string { return testkit.NewLedger(t) }

// encode writes a word a line.
func encode(words []string) ([]byte, error) {
	var b bytes.Buffer
	for _, w := range words {
		fmt.Fprintln(&b, w)
	}
	return b.Bytes(), nil
}

// some are three documents: two have fig, three have pear, each has one of its own.
var some = []paper{
	{"1", "ann", []string{"pear", "fig", "one"}},
	{"2", "bob", []string{"pear", "fig", "two"}},
	{"3", "ann", []string{"pear", "six"}},
}

func add(t *testing.T, s *Selector, papers ...paper) {
	t.Helper()
	for _, p := range papers {
		if err := s.Add(p.id, p.user, p.words); err != nil {
			t.Fatal(err)
		}
	}
}

// charges returns the charges of a ledger.
func charges(t *testing.T, ledger string) []*event.Charge {
	t.Helper()
	file, err := os.Open(ledger)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	l, err := event.ReadLedger(file, ledger)
	if err != nil {
		t.Fatal(err)
	}
	return l.Charges()
}

func wantCode(t *testing.T, err error, code int, message string) {
	t.Helper()
	var coded interface{ ExitCode() int }
	if !errors.As(err, &coded) || coded.ExitCode() != code || !strings.Contains(err.Error(), message) {
		t.Errorf("got error %v, want code %d and %q", err, code, message)
	}
}

// TestRelease: words that reach the threshold leave, and words of most weight leave first. The same words are stored
// and charged. A rerun gives the same bytes and charges nothing.
func TestRelease(t *testing.T) {
	ledger := newLedger(t)
	// pear has 2/√3 + 1/√2 = 1.86 of weight, fig 1.15, six 0.7, one and two 0.58.
	terms := newTerms(func(g *event.Grant) { g.Threshold = 0.65 })
	s := open(t, ledger, terms)
	add(t, s, some...)
	content, replayed, err := s.Release(encode)
	if err != nil || replayed || string(content) != "pear\nfig\nsix\n" {
		t.Fatalf("released %q, replayed %v, error %v", content, replayed, err)
	}
	s.Close()
	before, err := os.ReadFile(ledger)
	if err != nil {
		t.Fatal(err)
	}
	s = open(t, ledger, terms)
	add(t, s, some[2], some[0], some[1])
	again, replayed, err := s.Release(func([]string) ([]byte, error) { return nil, errors.New("drawn again") })
	if err != nil || !replayed || !bytes.Equal(again, content) {
		t.Errorf("replay %q, replayed %v, error %v", again, replayed, err)
	}
	if after, _ := os.ReadFile(ledger); !bytes.Equal(after, before) {
		t.Error("a replay changed the ledger")
	}
	charged := charges(t, ledger)
	if len(charged) != 1 {
		t.Fatalf("%d charges", len(charged))
	}
	want := event.Charge{
		Dataset: "data", Run: "run", Round: 1, Grant: "grant", Mechanism: event.Select, Adjacency: event.AddRemove,
		Unit: event.Document, Sensitivity: 1 << 20, Scale: 1, Threshold: uint64(math.Ceil(0.65 * (1 << 20))),
		MaxWords: 4,
		Scheme:   terms.Grant.Scheme, Settings: "settings", Release: charged[0].Release,
	}
	if *charged[0] != want {
		t.Errorf("charged %+v, want %+v", *charged[0], want)
	}
}

// TestUnitOfUsers: under a grant for users, the two documents of ann are one vote.
func TestUnitOfUsers(t *testing.T) {
	for unit, want := range map[string]string{event.Document: "pear\n", event.User: ""} {
		s := open(t, newLedger(t), newTerms(func(g *event.Grant) { g.Unit, g.Threshold = unit, 1.5 }))
		add(t, s, some...) // pear has 1.86 of documents, 1/√4 + 1/√3 = 1.08 of users
		if content, _, err := s.Release(encode); err != nil || string(content) != want {
			t.Errorf("unit %s: released %q, error %v, want %q", unit, content, err, want)
		}
	}
}

// TestTop: the words of most weight are kept, and the others are not stored either.
func TestTop(t *testing.T) {
	ledger, terms := newLedger(t), newTerms(func(g *event.Grant) { g.Threshold = 0.1 })
	terms.Top = 2
	s := open(t, ledger, terms)
	add(t, s, some...)
	content, _, err := s.Release(encode)
	if err != nil || string(content) != "pear\nfig\n" {
		t.Errorf("released %q, error %v", content, err)
	}
	if stored, err := os.ReadFile(ledger + ".releases/run/000000001"); err != nil || !bytes.Equal(stored, content) {
		t.Errorf("stored %q, error %v", stored, err)
	}
}

// still is noise that is not there, and counts the draws.
type still struct{ draws int }

func (s *still) Next() int64         { s.draws++; return 0 }
func (s *still) Twin() noise.Sampler { return s }

// TestScale: the noise has the charged scale, to the last entry of its table. The charged scale is not below what the
// grant says. Package noise tests the draws that a sampler makes at one scale.
func TestScale(t *testing.T) {
	for _, multiplier := range []float64{0x1p-20, 0.3, 1, 1.24, 5} {
		s := open(t, newLedger(t), newTerms(func(g *event.Grant) { g.NoiseMultiplier = multiplier }))
		if float64(s.charge.Scale) < multiplier*float64(s.charge.Sensitivity) {
			t.Errorf("multiplier %v: a scale of %d is charged for a sensitivity of %d", multiplier, s.charge.Scale,
				s.charge.Sensitivity)
		}
		if !reflect.DeepEqual(s.noise, noise.Sampler(noise.NewGaussian(s.charge.Scale))) {
			t.Errorf("multiplier %v: the sampler is not that of the scale that is charged", multiplier)
		}
	}
}

// TestThreshold: a weight of exactly the threshold reaches it, one step less does not. Each word that has weight is
// drawn for once, each that has none is not: else a word that its unit did not vote for could leave.
func TestThreshold(t *testing.T) {
	for _, c := range []struct {
		threshold float64
		want      string
	}{{2, "fig\npear\n"}, {2 + 0x1p-20, ""}, {1 + 0x1p-20, "fig\npear\n"}, {1, "fig\npear\none\n"}} {
		s := open(t, newLedger(t), newTerms(func(g *event.Grant) { g.Threshold, g.MaxWords = c.threshold, 1 }))
		quiet := new(still)
		s.noise = quiet
		// Words of one weight come in the order of their bytes.
		add(t, s, paper{"1", "", []string{"pear"}}, paper{"2", "", []string{"pear"}}, paper{"3", "", []string{"one"}},
			paper{"4", "", []string{"fig"}}, paper{"5", "", []string{"fig"}})
		// Of this unit's words one counts; no other unit has any.
		add(t, s, paper{"6", "", []string{"x", "y", "z"}})
		content, _, err := s.Release(func(words []string) ([]byte, error) {
			return encode(slices.DeleteFunc(words, func(w string) bool { return strings.Contains("xyz", w) }))
		})
		if err != nil || string(content) != c.want {
			t.Errorf("threshold %v: released %q, error %v, want %q", c.threshold, content, err, c.want)
		}
		if quiet.draws != 4 {
			t.Errorf("%d draws, want 4: of pear, one, fig and a word of the last unit", quiet.draws)
		}
	}
}

// TestRareWords: a word of one unit of t words leaves with probability P[N_Z(0, σ²) ≥ threshold − ⌊bound/√t⌋], on which
// δ' rests. By Bernstein's inequality a right selector fails a case with a probability below 10⁻⁶ (2·exp(−14.6)). The
// stream is fixed.
func TestRareWords(t *testing.T) {
	cryptotest.SetGlobalRandom(t, 1)
	const words, sigma = 40_000, 1024 // the noise multiplier is 2^-10, of a bound of 2^20 steps
	for _, c := range []struct {
		t         int
		threshold float64
	}{
		{1, 1 + 0x1p-10},
		{1, 1 + 0x1.8p-9},
		{4, 0.5 + 0x1p-10},
		{16, 0.25 - 0x1p-11},
	} {
		terms := newTerms(func(g *event.Grant) {
			g.NoiseMultiplier, g.Threshold, g.MaxWords = 0x1p-10, c.threshold, c.t
		})
		terms.Top = words
		s := open(t, newLedger(t), terms)
		all := numbered(words)
		for unit := range slices.Chunk(all, c.t) {
			add(t, s, paper{unit[0], "", unit})
		}
		left := 0
		if _, _, err := s.Release(func(words []string) ([]byte,
			error) {
			left = len(words)
			return encode(words)
		}); err != nil {
			t.Fatal(err)
		}
		least := int(math.Ceil(c.threshold*bound)) - int(bound/math.Sqrt(float64(c.t)))
		p := upperTail(least, sigma)
		const l = 14.6
		if d, most := float64(left)-words*p, math.Sqrt(2*words*p*(1-p)*l)+l; math.Abs(d) > most {
			t.Errorf("of %d words of units of %d, %d left; want %.0f ± %.0f", words, c.t, left, words*p, most)
		}
	}
}

// upperTail returns P[N_Z(0, σ²) ≥ m], summed out to 40σ.
func upperTail(m, sigma int) float64 {
	tail, all := 0.0, 0.0
	for x := -40 * sigma; x <= 40*sigma; x++ {
		p := math.Exp(-float64(x) * float64(x) / (2 * float64(sigma) * float64(sigma)))
		if all += p; x >= m {
			tail += p
		}
	}
	return tail / all
}

// TestRefusals: what the grant does not allow is refused before a word is read, and what was released before is not
// released from other words, not even with leave: a grant to select has one release.
func TestRefusals(t *testing.T) {
	ledger := newLedger(t)
	s := open(t, ledger, newTerms())
	_, err := Open(ledger, newTerms())
	wantCode(t, err, 91, "another privatizer")
	add(t, s, some...)
	if _, _, err := s.Release(encode); err != nil {
		t.Fatal(err)
	}
	s.Close()
	for name, c := range map[string]struct {
		change  func(*Terms)
		message string
	}{
		"other settings": {func(t *Terms) { t.Settings = "others" }, "released under other settings"},
		"other data set": {func(t *Terms) { t.Dataset = "others" }, "released under other settings"},
		"other run":      {func(t *Terms) { t.Run = "others" }, "all 1 releases of the grant are used"},
		"changed grant":  {func(t *Terms) { t.Grant.Threshold = 1 }, "the grant was changed"},
		"other mechanism": {func(t *Terms) {
			t.Grant.Mechanism, t.Grant.MaxWords, t.Grant.Threshold = event.Gaussian, 0, 0
		}, "a grant for gaussian cannot be used to select a vocabulary"},
		"broken grant": {func(t *Terms) { t.Grant.MaxWords = 0 }, "most words"},
		"much noise":   {func(t *Terms) { t.Grant.NoiseMultiplier = 1e12 }, "noise multiplier"},
	} {
		t.Run(name, func(t *testing.T) {
			terms := newTerms()
			c.change(&terms)
			_, err := Open(ledger, terms)
			wantCode(t, err, 83, c.message)
		})
	}
	s = open(t, ledger, newTerms())
	add(t, s, some[:2]...)
	content, _, err := s.Release(encode)
	wantCode(t, err, 83, "from another sum")
	if content != nil {
		t.Error("released all the same")
	}
	s.Close()
	if err := os.Remove(ledger + ".releases/run/000000001"); err != nil {
		t.Fatal(err)
	}
	s = open(t, ledger, newTerms())
	add(t, s, some...)
	_, _, err = s.Release(encode)
	wantCode(t, err, 83, "its stored release is gone")
	if n := len(charges(t, ledger)); n != 1 {
		t.Errorf("%d charges, want 1", n)
	}
}

// TestNothingIsChargedForNothing: where nothing can be released, nothing is charged or stored.
func TestNothingIsChargedForNothing(t *testing.T) {
	ledger := newLedger(t)
	s := open(t, ledger, newTerms())
	add(t, s, some...)
	wantCode(t, s.Add("1", "", nil), 90, "two documents have the same id")
	_, _, err := s.Release(encode)
	wantCode(t, err, 90, "two documents have the same id")
	s.Close()
	s = open(t, ledger, newTerms())
	broken := errors.New("cannot be written")
	if _, _, err := s.Release(func([]string) ([]byte, error) { return nil, broken }); err != broken {
		t.Errorf("got %v", err)
	}
	if n := len(charges(t, ledger)); n != 0 {
		t.Errorf("%d charges", n)
	}
	if _, err := os.Stat(ledger + ".releases"); err == nil {
		t.Error("a release is stored")
	}
}
