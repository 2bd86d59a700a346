package event

import (
	"encoding/json"
	"maps"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
)

var noon = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

func validGrant() *Grant {
	return &Grant{
		Version: 2, ID: "g1", Created: noon, Ledger: validHead().ID, Mechanism: Gaussian, Adjacency: AddRemove,
		Unit: Document,
		Subject: Subject{
			Model: "lda", Vocabulary: strings.Repeat("ab", 32), VocabularySize: 3,
			Matrices: []Matrix{{Name: "topics", Rows: 2, Columns: 3}},
		},
		Clip: 1, NoiseMultiplier: 1.5, Scheme: schemes()[Poisson], Releases: 8,
		Budget: Budget{Epsilon: 1, Delta: 1e-6, Accountant: "renyi", After: headHash},
	}
}

func validHead() *Head { return &Head{ID: "0123456789abcdef0123456789abcdef"} }

func TestGrantCheck(t *testing.T) {
	nan := math.NaN()
	for _, c := range []struct {
		rule   string // "" for a valid grant
		change func(*Grant)
	}{
		{"", func(g *Grant) {}},
		{"", func(g *Grant) { g.Budget = Budget{} }},
		{"", func(g *Grant) { g.Scheme, g.Adjacency = schemes()[Fixed], ReplaceOne }},
		{"", func(g *Grant) { g.Version, g.Scheme, g.Adjacency = 3, schemes()[Fixed], ReplaceNull }},
		{"", func(g *Grant) { g.Version, g.Adjacency = 3, ReplaceNull }},
		{"replace-null, clipping unbounded, sensitivity, draws, report_words and epochs do not belong to a grant of " +
			"version 2",
			func(g *Grant) { g.Adjacency = ReplaceNull }},
		{"version 0", func(g *Grant) { g.Version = 0 }},
		{"version 4 of a grant, must be 1 to 3", func(g *Grant) { g.Version = 4 }},
		{"no id", func(g *Grant) { g.ID = "" }},
		{"unknown mechanism", func(g *Grant) { g.Mechanism = "cauchy" }},
		{"unknown mechanism", func(g *Grant) { g.Mechanism = None }}, // no leave is needed for no privacy
		{"unknown adjacency", func(g *Grant) { g.Adjacency = "" }},
		{"unknown unit", func(g *Grant) { g.Unit = "paragraph" }},
		{"make the population public", func(g *Grant) { g.Scheme = schemes()[Fixed] }},
		{"clip", func(g *Grant) { g.Clip = nan }},
		{"noise multiplier", func(g *Grant) { g.NoiseMultiplier = 0 }},
		{"releases", func(g *Grant) { g.Releases = 0 }},
		{"budget: epsilon", func(g *Grant) { g.Budget.Epsilon = nan }},
		{"budget: epsilon", func(g *Grant) { g.Budget.Epsilon = -1 }},
		{"budget: epsilon", func(g *Grant) { g.Budget.Epsilon = 0 }},
		{"budget: delta", func(g *Grant) { g.Budget.Delta = 0 }},
		{"", func(g *Grant) { g.Mechanism, g.Budget.Delta = Laplace, 0 }}, // it is pure
		{"budget: delta", func(g *Grant) { g.Mechanism, g.Budget.Delta = Laplace, -1 }},
		// An account at this δ would be 0, whatever was released.
		{"budget: delta", func(g *Grant) { g.Budget.Delta = 1 }},
		{"which line of the ledger", func(g *Grant) { g.Budget.After = "" }},
		{"unknown sampling method", func(g *Grant) { g.Scheme.Method = "" }},
		{"id: name", func(g *Grant) { g.ID = "no id of ours" }},
		{"ledger must be 16 bytes", func(g *Grant) { g.Ledger = "run.ledger" }},
		{"ledger must be 16 bytes", func(g *Grant) { g.Ledger = strings.ToUpper(g.Ledger) }},
		{"cost must be", func(g *Grant) { g.Cost = nan }},
		{"", func(g *Grant) { g.Dataset = "north hospital" }},
		{"names no ledger", func(g *Grant) { g.Dataset, g.Ledger = "north", "" }},
		{"name of the data set must be UTF-8", func(g *Grant) { g.Dataset = "\xff" }},
		{"no space at its ends", func(g *Grant) { g.Dataset = " north" }},
		{"no control character", func(g *Grant) { g.Dataset = "nor\th" }},
		{"of at most 1024 bytes", func(g *Grant) { g.Dataset = strings.Repeat("x", 1025) }},
		{"", func(g *Grant) { g.Budget.Beside = []string{strings.Repeat("0", 64)} }},
		{"occurs twice", func(g *Grant) {
			g.Budget.Beside = []string{strings.Repeat("0", 64),
				strings.Repeat("0", 64)}
		}},
		{"hash of a grant beside it", func(g *Grant) { g.Budget.Beside = []string{"g2"} }},
		{"names other grants, but no epsilon",
			func(g *Grant) { g.Budget = Budget{Beside: []string{strings.Repeat("0", 64)}} }},
		{"do not belong to a grant of version 1", func(g *Grant) { g.Version, g.Subject = 1, Subject{} }},
		{"do not belong to a grant of version 1", func(g *Grant) {
			g.Version, g.Subject, g.Ledger, g.Cost = 1, Subject{}, "", 1
		}},
		{"do not belong to a grant of version 1", func(g *Grant) {
			g.Version, g.Subject, g.Ledger, g.Budget.Beside = 1, Subject{}, "", []string{strings.Repeat("0", 64)}
		}},
		{"do not belong to a grant of version 2", func(g *Grant) { g.Draws = 0.5 }},
		{"has no model, vocabulary or matrices", func(g *Grant) {
			g.Version, g.Ledger, g.Subject = 1, "", Subject{Vocabulary: g.Vocabulary}
		}},
		{"has no model, vocabulary or matrices", func(g *Grant) {
			g.Version, g.Ledger, g.Subject = 1, "", Subject{VocabularySize: g.VocabularySize}
		}},
		{"has no model, vocabulary or matrices", func(g *Grant) {
			g.Version, g.Ledger, g.Subject = 1, "", Subject{Matrices: g.Matrices}
		}},
		{"has no model, vocabulary or matrices", func(g *Grant) { g.Version, g.Ledger = 1, "" }},
		{"", func(g *Grant) { g.Version, g.Ledger, g.Subject = 1, "", Subject{} }},
	} {
		g := validGrant()
		c.change(g)
		expect(t, g.Check(), c.rule)
	}
}

func TestExpired(t *testing.T) {
	g := validGrant()
	if g.Expired(noon.AddDate(1000, 0, 0)) {
		t.Error("a grant without an end has expired")
	}
	g.Expires = &noon
	if g.Expired(noon.Add(-time.Nanosecond)) || !g.Expired(noon) {
		t.Error("a grant must end when it says, not before")
	}
}

// TestSensitivity: constants of ../../shared/design/sensitivities.md, lemmas 0 and 1.
func TestSensitivity(t *testing.T) {
	for _, c := range []struct {
		mechanism, adjacency, clipping string
		nonNegative                    bool
		bound, want                    uint64
	}{
		{Gaussian, AddRemove, "", false, 1 << 20, 1 << 20},
		{Gaussian, AddRemove, ClipUnitL1, true, 1 << 20, 1 << 20},
		{Gaussian, ReplaceOne, "", false, 1 << 20, 2 << 20},
		{Gaussian, ReplaceOne, "", true, 1 << 20, 1482911}, // ⌈√2·2^20⌉
		{Gaussian, ReplaceOne, "", true, 1, 2},
		{Gaussian, ReplaceOne, ClipProved, true, 5, 8}, // ⌈√50⌉
		{Gaussian, AddRemove, ClipBatch, false, 1 << 20, 2 << 20},
		{Gaussian, AddRemove, ClipBatch, true, 1 << 20, 1482911},
		{Laplace, AddRemove, "", false, 1 << 20, 1 << 20},
		{Laplace, ReplaceOne, "", true, 1 << 20, 2 << 20}, // disjoint supports: L1 norms add up
	} {
		g := &Grant{Mechanism: c.mechanism, Adjacency: c.adjacency, Clipping: c.clipping, NonNegative: c.nonNegative}
		if got := g.Sensitivity(c.bound); got != c.want {
			t.Errorf("%+v: %d", c, got)
		}
	}
	for _, method := range []string{All, Poisson, Allocate, Epoch, Fixed} {
		for _, c := range []struct {
			mechanism, clipping string
			nonNegative         bool
			want, fixed         uint64 // an empty unit is not as near in a batch of a fixed size
		}{
			{Gaussian, "", false, 1 << 20, 2 << 20},
			{Gaussian, "", true, 1 << 20, 1482911},
			{Gaussian, ClipUnitL1, false, 1 << 20, 2 << 20},
			{Gaussian, ClipProved, false, 1 << 20, 2 << 20},
			{Gaussian, ClipBatch, false, 2 << 20, 2 << 20},
			{Laplace, "", true, 1 << 20, 2 << 20},
		} {
			g := &Grant{Mechanism: c.mechanism, Adjacency: ReplaceNull, Clipping: c.clipping,
				NonNegative: c.nonNegative, Scheme: schemes()[method]}
			want := c.want
			if method == Fixed {
				want = c.fixed
			}
			if got := g.Sensitivity(1 << 20); got != want {
				t.Errorf("replace-null, %s, %+v: %d", method, c, got)
			}
		}
	}
	proved := &Grant{Mechanism: Laplace, Adjacency: ReplaceOne, Clipping: ClipProved, Proved: 1.5}
	if got := proved.Sensitivity(5); got != 8 { // ⌈1.5·5⌉
		t.Errorf("a sensitivity by a proof of 1.5 clips of 5 steps: %d", got)
	}
}

func TestParseGrant(t *testing.T) {
	whole, err := json.MarshalIndent(validGrant(), "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	if g, err := ParseGrant(append(whole, '\n')); err != nil || !reflect.DeepEqual(g, validGrant()) {
		t.Errorf("a grant came back as %+v, %v", g, err)
	}
	for _, c := range []struct{ old, new, rule string }{
		{`"clip"`, `"non_negative": false, "clip"`, ""},
		{`"version": 2`, `"version": 4`, "version 4"},
		{`"clip"`, `"bound": 1, "clip"`, `unknown field "bound"`},
		{`"secret"`, `"hidden": 1, "secret"`, `unknown field "hidden"`},
		{`"clip": 1`, `"clip": "1"`, "not a grant"},
		{`"clip": 1`, `"clip": 1e999`, "not a grant"},
		{`"clip": 1,`, ``, "clip must be positive"},
		{`"releases": 8`, `"releases": 8.5`, "not a grant"},
		{"{", "", "not a grant"},
		{`"clip"`, `"clip": 2, "clip"`, `member "clip" occurs twice`},
		{`"clip"`, `"Clip"`, "not of small letters"},
		{`"releases": 8`, `"releases": 1, "releaſes": 8`, "not of small letters"},
		{`"secret"`, `"ſecret": true, "secret"`, "not of small letters"},
		{`"rate"`, `"rate": 1, "rate"`, `member "rate" occurs twice`},
		{"\n}", "\n}{}", "more than one JSON value"},
		{`"budget": {`, `"cost": 0, "budget": {`, `member "cost" is nothing`},
		{`"clip"`, `"sensitivity": -0.0, "clip"`, `member "sensitivity" is nothing`},
		{`"clip"`, `"clipping": "", "clip"`, `member "clipping" is nothing`},
		{`"clip"`, `"statistics": [], "clip"`, `member "statistics" is nothing`},
		{`"epsilon": 1,`, `"epsilon": 0,`, `member "epsilon" is nothing`},
		{`"rows": 2`, `"symmetric": null, "rows": 2`, `member "symmetric" is nothing`}, // in a list
		{`"model": "lda"`, `"model": "a b"`, "model: name"},
	} {
		_, err := ParseGrant([]byte(strings.Replace(string(whole), c.old, c.new, 1)))
		expect(t, err, c.rule)
	}
}

// TestGrantHash: a grant has a hash of its own, and numbers that JSON has not give none.
func TestGrantHash(t *testing.T) {
	g := validGrant()
	first, err := g.Hash()
	if err != nil || len(first) != 64 {
		t.Fatalf("hash %q, %v", first, err)
	}
	g.Clip++
	if second, err := g.Hash(); err != nil || second == first {
		t.Errorf("another clip: hash %q, %v", second, err)
	}
	g.Clip = math.NaN()
	if hash, err := g.Hash(); err == nil || hash != "" {
		t.Errorf("no clip: hash %q, %v", hash, err)
	}
}

// FuzzParseGrant: an accepted grant keeps the rules, means the same when it is written and read again, and makes
// charges that a ledger takes.
func FuzzParseGrant(f *testing.F) {
	batch := validGrant()
	batch.Clipping, batch.Claim, batch.Statistics = ClipBatch, PaperClaim, []Statistic{{"a", 0.5}, {"b", 2}}
	for _, g := range append(slices.Collect(maps.Values(grantOfEach())), batch) {
		whole, err := json.Marshal(g)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(whole)
	}
	f.Add([]byte(`{"version":1,"budget":{"epsilon":-0}}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		g, err := ParseGrant(b)
		if err != nil {
			return
		}
		if err := g.Check(); err != nil {
			t.Fatalf("accepted: %v", err)
		}
		charge := g.Charge(1, g.Scheme)
		if g.Mechanism == RandomizedResponse {
			charge.Sensitivity = 2 * uint64(g.MaxWords) // of a large vocabulary
		}
		if err := charge.Check(); err != nil {
			t.Fatalf("%s makes a charge that breaks a rule: %v", b, err)
		}
		written, err := json.Marshal(g)
		if err != nil {
			t.Fatal(err)
		}
		again, err := ParseGrant(written)
		if err != nil {
			t.Fatalf("%s: %v", written, err)
		}
		if twice, err := json.Marshal(again); err != nil || string(twice) != string(written) {
			t.Errorf("%s is read as %s (%v)", written, twice, err)
		}
	})
}
