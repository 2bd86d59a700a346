package release

import (
	"bytes"
	"errors"
	"math"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"privpipe/pipelines/event"
	"privpipe/pipelines/testkit"
	"privpipe/pipelines/wire"
	"privpipe/privatize/internal/fixed"
)

// poisson is the scheme of the grant below.
var poisson = event.Scheme{Method: event.Poisson, Rate: 0.25, Rounds: 3, Secret: true}

// newGrant returns a grant of two releases. Its noise is one step on a bound of 2^20 steps. So each released cell is
// its sum to a few steps: a draw beyond 20 steps has a probability below 1e-80.
func newGrant(change ...func(*event.Grant)) *event.Grant {
	g := &event.Grant{
		Version: event.GrantVersion, ID: "grant", Mechanism: event.Gaussian, Adjacency: event.AddRemove,
		Unit: event.Document, Clip: 2, NoiseMultiplier: 0x1p-20, Scheme: poisson, Releases: 2,
		Subject: event.Subject{Matrices: []event.Matrix{{Name: "matrix", Rows: 2, Columns: 3}}},
	}
	for _, c := range change {
		c(g)
	}
	return g
}

func newTerms(g *event.Grant) Terms {
	terms := Terms{Dataset: "data", Run: "run", Unit: event.Document, Grant: g, Settings: "settings"}
	return shaped(terms, event.Matrix{Name: "matrix", Rows: 2, Columns: 3})
}

// shaped returns terms, and their grant, for contributions to other matrices.
func shaped(terms Terms, matrices ...event.Matrix) Terms {
	terms.Subject = event.Subject{Matrices: matrices}
	if terms.Grant != nil {
		terms.Grant.Subject = terms.Subject
	}
	return terms
}

func newLedger(t testing.TB) string { return testkit.NewLedger(t) }

// open opens a privatizer and closes it when the test ends, or earlier through its own Close.
func open(t *testing.T, ledger string, terms Terms) *Privatizer {
	t.Helper()
	p, err := Open(ledger, terms)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Close() })
	return p
}

// A contribution is a unit and its values in the first matrix, row by row.
type contribution struct {
	unit   string
	values []float32
}

var one = contribution{"one", []float32{1, 0, 0, 0, 0, -1}}

// take begins a round and adds contributions. It fails the test if the round was released before.
func take(t *testing.T, p *Privatizer, number int, scheme event.Scheme, contributions ...contribution) (digest uint64) {
	t.Helper()
	stored, err := p.Begin(number, scheme)
	if err != nil || stored != nil {
		t.Fatalf("begin round %d: stored %v, error %v", number, stored, err)
	}
	for _, c := range contributions {
		if err := give(p, c); err != nil {
			t.Fatal(err)
		}
		digest += wire.UnitDigest(c.unit)
	}
	return digest
}

func give(p *Privatizer, c contribution) error {
	var v fixed.Vector
	if err := p.Quantise(&v, 0, nil, nil, c.values, false); err != nil {
		return err
	}
	return p.Add(c.unit, "", wire.UnitDigest(c.unit), &v)
}

// release takes a round through to its release.
func release(t *testing.T, p *Privatizer, number int, scheme event.Scheme, contributions ...contribution) []int64 {
	t.Helper()
	digest := take(t, p, number, scheme, contributions...)
	n := uint64(len(contributions))
	cells, _, err := p.Release(Announced{n, n, digest})
	if err != nil {
		t.Fatal(err)
	}
	return slices.Clone(cells)
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

func lastHash(t *testing.T, ledger string) string {
	t.Helper()
	l, err := event.ReadLedger(bytes.NewReader(read(t, ledger)), ledger)
	if err != nil {
		t.Fatal(err)
	}
	return l.LastHash()
}

// wantCode checks the exit code that an error gives the process.
func wantCode(t *testing.T, err error, code int) {
	t.Helper()
	var coder interface{ ExitCode() int }
	if !errors.As(err, &coder) || coder.ExitCode() != code {
		t.Errorf("got error %v, want one of exit code %d", err, code)
	}
}

// TestReleaseIsClippedSum: units are clipped one by one, and cells that none of them touches get noise too.
func TestReleaseIsClippedSum(t *testing.T) {
	ledger := newLedger(t)
	p := open(t, ledger, newTerms(newGrant()))
	cells := release(t, p, 1, poisson,
		contribution{"small", []float32{0.5, 0, 0, 0, 0, 0}}, // a norm of 0.5, below the clip of 2: 2^18 steps
		contribution{"huge", []float32{0, 3e30, 0, 0, 0, -4e30}},
		contribution{"none", make([]float32, 6)},
	)
	// The bound of 2^20 steps; "huge" saturates in both cells and comes to 1/√2 of it in each.
	half := int64(math.Floor(0x1p20 / math.Sqrt2))
	for i, want := range []int64{1 << 18, half, 0, 0, 0, -half} {
		if difference := cells[i] - want; difference < -20 || difference > 20 {
			t.Errorf("cell %d is %d, want %d and some steps of noise", i, cells[i], want)
		}
	}
	c := charges(t, ledger)[0]
	if c.Sensitivity != 1<<20 || c.Scale != 1 || c.Adjacency != event.AddRemove || c.Scheme != poisson {
		t.Errorf("charge %+v", c)
	}
}

// TestChargedSensitivity: an exchange of two units may move the clipped sum by 2·C, and is charged as that.
func TestChargedSensitivity(t *testing.T) {
	ledger := newLedger(t)
	fixedSize := event.Scheme{Method: event.Fixed, Rate: 0.5, Size: 1, Population: 2, Rounds: 3, Secret: true}
	p := open(t, ledger, newTerms(newGrant(func(g *event.Grant) {
		g.Adjacency, g.Scheme, g.NoiseMultiplier = event.ReplaceOne, fixedSize, 3
	})))
	release(t, p, 1, fixedSize, one)
	if c := charges(t, ledger)[0]; c.Sensitivity != 2<<20 || c.Scale != 3<<20 || c.Adjacency != event.ReplaceOne {
		t.Errorf("charge %+v", c)
	}
}

// TestNoise checks the variance of the noise and that no draw is used twice, be it in two rounds or two parts of one.
// Each bound is six standard deviations, so a sound program fails with a probability below 1e-6 in all; here the stream
// is fixed. TestEveryCellGetsNoise has the same of several workers.
func TestNoise(t *testing.T) {
	fixedStream(t)
	const cells = 8192
	terms := newTerms(newGrant(func(g *event.Grant) { g.NoiseMultiplier = 2 }))
	terms = shaped(terms, event.Matrix{Name: "matrix", Rows: cells, Columns: 1})
	p := open(t, newLedger(t), terms)
	first, second := release(t, p, 1, poisson), release(t, p, 2, poisson) // no unit: only noise
	correlation := func(a, b []int64) float64 {
		sum := 0.0
		for i := range a {
			sum += float64(a[i]) / (2 << 20) * float64(b[i]) / (2 << 20)
		}
		return sum / float64(len(a))
	}
	for _, noise := range [][]int64{first, second} {
		if v := correlation(noise, noise); math.Abs(v-1) > 6*math.Sqrt(2.0/cells) { // Var x² = 2σ⁴
			t.Errorf("variance is %v times the one charged", v)
		}
		for _, parts := range []int{2, 4} {
			n := cells / parts
			if c := correlation(noise[:n], noise[n:2*n]); math.Abs(c) > 6/math.Sqrt(float64(n)) {
				t.Errorf("noise of two of %d parts has correlation %v", parts, c)
			}
		}
	}
	if c := correlation(first, second); math.Abs(c) > 6/math.Sqrt(cells) {
		t.Errorf("noise of two rounds has correlation %v", c)
	}
}

// TestNone: exact sums, and a charge that says so.
func TestNone(t *testing.T) {
	ledger := newLedger(t)
	p := open(t, ledger, newTerms(nil))
	cells := release(t, p, 1, poisson, one, contribution{"two", []float32{300, 0.5, 0, 0, 0, 0}})
	for i, want := range []float64{301, 0.5, 0, 0, 0, -1} {
		if got := float64(cells[i]) * p.Step(); got != want {
			t.Errorf("cell %d is %v, want %v", i, got, want)
		}
	}
	c := charges(t, ledger)[0]
	if c.Mechanism != event.None || c.Scale != 0 || c.Sensitivity != 0 || c.Grant != "" {
		t.Errorf("charge %+v", c)
	}
}

// TestNoneRefusesSaturation: without a clip a coordinate beyond the grid would be a wrong sum.
func TestNoneRefusesSaturation(t *testing.T) {
	p := open(t, newLedger(t), newTerms(nil))
	digest := take(t, p, 1, poisson, contribution{"less", []float32{0, 0, -65535, 0, 0, 0}})
	wantCode(t, give(p, contribution{"big", []float32{0, 0, -65536, 0, 0, 0}}), 90)
	_, _, err := p.Release(Announced{1, 1, digest})
	wantCode(t, err, 90)
}

// TestRefusals: what a grant does not allow is refused with exit code 83 and leaves no trace.
func TestRefusals(t *testing.T) {
	schemes := map[string]func(*event.Scheme){
		"rate":               func(s *event.Scheme) { s.Rate = 0.5 },
		"number of rounds":   func(s *event.Scheme) { s.Rounds = 4 },
		"coins from a seed":  func(s *event.Scheme) { s.Secret = false },
		"all units":          func(s *event.Scheme) { s.Method, s.Rate = event.All, 1 },
		"fixed-size batches": func(s *event.Scheme) { s.Method, s.Size, s.Population = event.Fixed, 1, 4 },
	}
	for name, change := range schemes {
		t.Run(name, func(t *testing.T) {
			scheme := poisson
			change(&scheme)
			refused(t, newLedger(t), newTerms(newGrant()), 1, scheme, "not sampled by poisson(0.25) × 3")
		})
	}
	t.Run("more releases", func(t *testing.T) {
		ledger := newLedger(t)
		p := open(t, ledger, newTerms(newGrant()))
		release(t, p, 1, poisson)
		release(t, p, 2, poisson)
		p.Close()
		refused(t, ledger, newTerms(newGrant()), 3, poisson, "all 2 releases")
		// Under another run's name, too: a grant counts over all of them.
		other := newTerms(newGrant())
		other.Run = "other"
		refused(t, ledger, other, 1, poisson, "all 2 releases")
	})
	t.Run("round beyond the scheme's", func(t *testing.T) {
		refused(t, newLedger(t), newTerms(newGrant()), 4, poisson, "beyond the 3 rounds")
	})
	t.Run("round beyond what a ledger holds", func(t *testing.T) {
		refused(t, newLedger(t), newTerms(nil), event.MaxRounds+1, poisson, "number of rounds")
	})
	t.Run("allocation without a name", func(t *testing.T) {
		allocate := event.Scheme{Method: event.Allocate, Rate: 0.5, Rounds: 2, Secret: true}
		grant := newGrant(func(g *event.Grant) { g.Scheme = allocate })
		refused(t, newLedger(t), newTerms(grant), 1, allocate, "has no name")
	})
}

// refused checks that Begin refuses a round, and that nothing but the grant is in the ledger afterwards.
func refused(t *testing.T, ledger string, terms Terms, number int, scheme event.Scheme, message string) {
	t.Helper()
	p := open(t, ledger, terms)
	defer p.Close()
	before := read(t, ledger)
	stored, err := p.Begin(number, scheme)
	wantCode(t, err, 83)
	if stored != nil || err != nil && !strings.Contains(err.Error(), message) {
		t.Errorf("got cells %v, error %v, want an error that says %q", stored, err, message)
	}
	if !bytes.Equal(read(t, ledger), before) {
		t.Error("the ledger changed")
	}
}

// TestExpiry: a grant may be used until, not at, the time that it names. Stored releases may be sent later.
func TestExpiry(t *testing.T) {
	end := time.Date(2026, 12, 31, 0, 0, 0, 0, time.UTC)
	ledger := newLedger(t)
	p := open(t, ledger, newTerms(newGrant(func(g *event.Grant) { g.Expires = &end })))
	p.book.Now = func() time.Time { return end.Add(-time.Nanosecond) }
	cells := release(t, p, 1, poisson, one)
	p.book.Now = func() time.Time { return end }
	_, err := p.Begin(2, poisson)
	wantCode(t, err, 83)
	if stored, err := p.Begin(1, poisson); err != nil || !slices.Equal(stored, cells) {
		t.Errorf("replay after the end: %v, error %v", stored, err)
	}
	if n := len(charges(t, ledger)); n != 1 {
		t.Errorf("%d charges, want 1", n)
	}
}

// TestGrantThatCannotBeUsed: what Open refuses leaves nothing in the ledger.
func TestGrantThatCannotBeUsed(t *testing.T) {
	for name, change := range map[string]func(*event.Grant){
		"other unit":     func(g *event.Grant) { g.Unit = event.User },
		"no noise":       func(g *event.Grant) { g.NoiseMultiplier = 0 },
		"NaN":            func(g *event.Grant) { g.NoiseMultiplier = math.NaN() },
		"endless clip":   func(g *event.Grant) { g.Clip = math.Inf(1) },
		"too much noise": func(g *event.Grant) { g.NoiseMultiplier = 0x1p32 },
		"clip of no step": func(g *event.Grant) { // 2^20 steps of it are more than a float64 holds
			g.Clip = math.SmallestNonzeroFloat64
		},
		"clip of no step without a statistic": func(g *event.Grant) { // the clip of the matrix has steps
			g.Clip, g.Statistics = math.SmallestNonzeroFloat64, []event.Statistic{{Name: "matrix", Bound: 1e300}}
		},
		"endless clip of a statistic": func(g *event.Grant) {
			g.Clip, g.Statistics = math.MaxFloat64, []event.Statistic{{Name: "matrix", Bound: 2}}
		},
		"other mechanism": func(g *event.Grant) { g.Mechanism = event.None },
		"other version":   func(g *event.Grant) { g.Version++ },
	} {
		t.Run(name, func(t *testing.T) {
			ledger := newLedger(t)
			before := read(t, ledger)
			_, err := Open(ledger, newTerms(newGrant(change)))
			wantCode(t, err, 83)
			if !bytes.Equal(read(t, ledger), before) {
				t.Error("the ledger changed")
			}
		})
	}
}

// TestChangedGrant: a grant is what it was at its first use.
func TestChangedGrant(t *testing.T) {
	ledger, _, before, _ := onceReleased(t)
	later := time.Date(2027, 1, 1, 0, 0, 0, 0, time.UTC)
	for name, change := range map[string]func(*event.Grant){
		"clip":      func(g *event.Grant) { g.Clip = 3 },
		"noise":     func(g *event.Grant) { g.NoiseMultiplier /= 2 },
		"adjacency": func(g *event.Grant) { g.Adjacency = event.ReplaceOne },
		"scheme":    func(g *event.Grant) { g.Scheme.Rate = 0.5 },
		"releases":  func(g *event.Grant) { g.Releases = 3 },
		"expiry":    func(g *event.Grant) { g.Expires = &later },
		"budget": func(g *event.Grant) {
			g.Budget = event.Budget{Epsilon: 9, Delta: 1e-6, After: strings.Repeat("0", 63) + "1"}
		},
		"model": func(g *event.Grant) { g.Model = "other" },
	} {
		t.Run(name, func(t *testing.T) {
			grant := newGrant(change)
			terms := newTerms(grant)
			terms.Subject.Model, grant.Model = grant.Model, terms.Subject.Model
			change(grant)
			_, err := Open(ledger, terms)
			wantCode(t, err, 83)
			if !bytes.Equal(read(t, ledger), before) {
				t.Error("the ledger changed")
			}
		})
	}
	open(t, ledger, newTerms(newGrant())) // as it was, it opens again, and the failed attempts hold no lock
	if !bytes.Equal(read(t, ledger), before) {
		t.Error("a grant was entered twice")
	}
}

// TestReplayUnderOtherSettings: a stored release answers only the round that it was made for.
func TestReplayUnderOtherSettings(t *testing.T) {
	ledger := newLedger(t)
	p := open(t, ledger, newTerms(newGrant()))
	release(t, p, 1, poisson, one)
	p.Close()
	other := poisson
	other.Rate = 0.5
	const message = "released under other settings"
	refused(t, ledger, newTerms(newGrant()), 1, other, message)
	for name, change := range map[string]func(*Terms){
		"settings":   func(terms *Terms) { terms.Settings = "others" },
		"data set":   func(terms *Terms) { terms.Dataset = "other" },
		"no privacy": func(terms *Terms) { terms.Grant = nil },
		"clip":       func(terms *Terms) { terms.Grant.ID, terms.Grant.Clip = "other", 3 },
		"adjacency":  func(terms *Terms) { terms.Grant.ID, terms.Grant.Adjacency = "third", event.ReplaceOne },
	} {
		t.Run(name, func(t *testing.T) {
			terms := newTerms(newGrant())
			change(&terms)
			refused(t, ledger, terms, 1, poisson, message)
		})
	}
}

// TestDisjointRounds: a grant for disjoint rounds counts each unit in one of them, so it sticks to one throw of the
// coins, one run and one data set.
func TestDisjointRounds(t *testing.T) {
	allocate := event.Scheme{Method: event.Allocate, Rate: 0.5, Rounds: 2, Secret: true, Coins: coins("a")}
	epoch := event.Scheme{Method: event.Epoch, Rate: 0.5, Rounds: 2}
	again := allocate
	again.Coins = coins("b")
	shorter := event.Scheme{Method: event.Epoch, Rate: 0.25, Rounds: 4}
	epochs := event.Scheme{Method: event.Allocate, Rate: 1, Rounds: 2, Epochs: 2, Secret: true, Coins: coins("a")}
	otherEpochs, more := epochs, epochs
	otherEpochs.Coins = coins("b")
	more.Rate, more.Rounds = 0.5, 4
	same := func(*Terms) {}
	otherRun := func(terms *Terms) { terms.Run = "other" }
	otherDataset := func(terms *Terms) { terms.Dataset = "other" }
	for name, c := range map[string]struct {
		scheme, then event.Scheme
		change       func(*Terms)
		message      string
	}{
		"allocate, assigned again": {allocate, again, same, "a second time"},
		"allocate, other run":      {allocate, allocate, otherRun, `run run of data set "data" has begun`},
		"epoch, other run":         {epoch, epoch, otherRun, `run run of data set "data" has begun`},
		"epoch, other data set":    {epoch, epoch, otherDataset, `run run of data set "data" has begun`},
		"epoch, more rounds":       {epoch, shorter, same, "the grant is for"},
		"epochs, by other coins":   {epochs, otherEpochs, same, "a second time"},
		"epochs, other run":        {epochs, epochs, otherRun, `run run of data set "data" has begun`},
		"epochs, more rounds":      {epochs, more, same, "was not sampled by allocate × 1 × 2, which the grant is for"},
		"epochs, as one": {epochs, allocate, same,
			"was not sampled by allocate × 1 × 2, which the grant is for"},
	} {
		t.Run(name, func(t *testing.T) {
			grant := newGrant(func(g *event.Grant) { g.Scheme = c.scheme; g.Scheme.Coins = "" })
			ledger := newLedger(t)
			p := open(t, ledger, newTerms(grant))
			release(t, p, 1, c.scheme, one)
			p.Close()
			terms := newTerms(grant)
			c.change(&terms)
			refused(t, ledger, terms, 2, c.then, c.message)
			// the second half
			release(t, open(t, ledger, newTerms(grant)), 2, c.scheme, contribution{"two", one.values})
		})
	}
}

// coins is the name of a throw, by a hexadecimal digit.
func coins(digit string) string { return strings.Repeat(digit, 32) }

// headOf returns the head of a ledger.
func headOf(t *testing.T, ledger string) *event.Head {
	t.Helper()
	l, err := event.ReadLedger(bytes.NewReader(read(t, ledger)), ledger)
	if err != nil {
		t.Fatal(err)
	}
	return l.Head()
}

// TestOneLedger: a grant with a budget is for one ledger. A second one, begun elsewhere, has another identity.
func TestOneLedger(t *testing.T) {
	ledger, other := newLedger(t), newLedger(t)
	scheme := poisson
	scheme.Coins = coins("a")
	grant := newGrant(func(g *event.Grant) {
		g.Ledger = headOf(t, ledger).ID
		g.Budget = event.Budget{Epsilon: 1, Delta: 1e-6, Accountant: "pld", After: lastHash(t, ledger)}
	})
	refused(t, other, newTerms(grant), 1, scheme, "for another ledger")
	release(t, open(t, ledger, newTerms(grant)), 1, scheme, one)
	refused(t, other, newTerms(grant), 1, scheme, "for another ledger")
}

// TestSubjectIsTheGrants: what a release would repeat of a stream is what the grant names, or nothing is charged.
func TestSubjectIsTheGrants(t *testing.T) {
	for name, change := range map[string]func(*event.Subject){
		"model":           func(s *event.Subject) { s.Model = "victim had cancer; n=48213 docs" },
		"vocabulary":      func(s *event.Subject) { s.Vocabulary = coins("a") + coins("b") },
		"vocabulary size": func(s *event.Subject) { s.VocabularySize = 48213 },
		"matrix":          func(s *event.Subject) { s.Matrices[0].Name = "cancer" },
		"rows":            func(s *event.Subject) { s.Matrices[0].Rows++ },
		"more matrices": func(s *event.Subject) {
			s.Matrices = append(s.Matrices,
				event.Matrix{Name: "b", Rows: 1, Columns: 1})
		},
	} {
		t.Run(name, func(t *testing.T) {
			ledger := newLedger(t)
			before := read(t, ledger)
			terms := newTerms(newGrant())
			terms.Subject.Matrices = slices.Clone(terms.Subject.Matrices)
			change(&terms.Subject)
			_, err := Open(ledger, terms)
			wantCode(t, err, 83)
			if strings.Contains(err.Error(), "cancer") || strings.Contains(err.Error(), "48213") {
				t.Errorf("the refusal quotes the stream: %v", err)
			}
			if !bytes.Equal(read(t, ledger), before) {
				t.Error("the ledger changed")
			}
		})
	}
	// Without a grant nothing is protected, but nothing is written that no stage writes.
	terms := newTerms(nil)
	terms.Subject.Model = "n=48213 docs"
	_, err := Open(newLedger(t), terms)
	wantCode(t, err, 90)
}

// TestCoinsHaveAForm: the name of the coins is published, so it has no room for anything else.
func TestCoinsHaveAForm(t *testing.T) {
	for _, grant := range []*event.Grant{newGrant(), nil} {
		p := open(t, newLedger(t), newTerms(grant))
		scheme := poisson
		scheme.Coins = "the victim is in"
		_, err := p.Begin(1, scheme)
		wantCode(t, err, 90)
	}
}

// TestPlannedWithout: a budget holds only if the plan knew of all that the ledger has spent.
func TestPlannedWithout(t *testing.T) {
	ledger := newLedger(t)
	identity, begun := headOf(t, ledger).ID, lastHash(t, ledger)
	planned := func(id, after string) *event.Grant {
		return newGrant(func(g *event.Grant) {
			g.ID, g.Ledger = id, identity
			g.Budget = event.Budget{Epsilon: 1, Delta: 1e-6, Accountant: "renyi", After: after}
		})
	}
	terms := func(g *event.Grant) Terms {
		terms := newTerms(g)
		terms.Run = g.ID
		return terms
	}
	coins := func(name string) event.Scheme {
		s := poisson
		s.Coins = coins(name)
		return s
	}
	first, second := planned("first", begun), planned("second", begun) // side by side
	p := open(t, ledger, terms(first))
	release(t, p, 1, coins("a"), one)
	p.Close()
	refused(t, ledger, terms(second), 1, coins("b"), "planned without")
	refused(t, ledger, terms(planned("foreign", strings.Repeat("f", 64))), 1, coins("b"), "another ledger")

	p = open(t, ledger, terms(first))
	third := planned("third", lastHash(t, ledger))
	p.Close()
	refused(t, ledger, terms(third), 1, coins("a"), "of these coins was released before") // a stored stream, once more
	p = open(t, ledger, terms(planned("fourth", third.Budget.After)))
	release(t, p, 1, coins("b"), one)
	p.Close()
	refused(t, ledger, terms(first), 2, coins("a"), "planned without") // what it had left, the fourth has spent

	// One grant under several names of the run: the plan counts on batches of their own.
	again := terms(planned("fourth", third.Budget.After))
	again.Run = "again"
	refused(t, ledger, again, 1, coins("b"), "of these coins was released before")

	p = open(t, ledger, terms(newGrant(func(g *event.Grant) { g.ID = "given" }))) // no budget stands behind its noise
	release(t, p, 1, coins("a"), one)
}

// TestNotComposable: what no accountant could compose with the ledger is refused before it is released.
func TestNotComposable(t *testing.T) {
	ledger := newLedger(t)
	p := open(t, ledger, newTerms(newGrant()))
	release(t, p, 1, poisson, one)
	p.Close()
	terms := newTerms(newGrant(func(g *event.Grant) { g.ID, g.Adjacency = "other", event.ReplaceOne }))
	terms.Run = "other"
	refused(t, ledger, terms, 1, poisson, "a ledger of its own")
	terms = newTerms(newGrant(func(g *event.Grant) { g.ID, g.Unit = "users", event.User }))
	terms.Run, terms.Unit = "users", event.User
	refused(t, ledger, terms, 1, poisson, "a ledger of its own")
}

// TestReplayNamesItsCoins: a stored release is of the units that its charge's coins chose, whatever was sampled since.
func TestReplayNamesItsCoins(t *testing.T) {
	ledger := newLedger(t)
	first, second := poisson, poisson
	first.Coins, second.Coins = coins("a"), coins("b")
	p := open(t, ledger, newTerms(newGrant()))
	release(t, p, 1, first, one)
	p.Close()
	p = open(t, ledger, newTerms(newGrant()))
	if stored, err := p.Begin(1, second); err != nil || stored == nil || p.Scheme().Coins != first.Coins {
		t.Errorf("replayed %d cells of coins %q, %v", len(stored), p.Scheme().Coins, err)
	}
}

// TestReplacedLedger: a charge must go where the next reader of the ledger finds it.
func TestReplacedLedger(t *testing.T) {
	for name, change := range map[string]func(ledger string) error{
		"renamed over": func(ledger string) error {
			return errors.Join(os.WriteFile(ledger+".new", read(t, ledger), 0o666), os.Rename(ledger+".new", ledger))
		},
		"removed": os.Remove,
		"longer": func(ledger string) error {
			return os.WriteFile(ledger, append(read(t, ledger), '\n'), 0o666)
		},
	} {
		t.Run(name, func(t *testing.T) {
			ledger := newLedger(t)
			p := open(t, ledger, newTerms(newGrant()))
			release(t, p, 1, poisson, one)
			digest := take(t, p, 2, poisson, one)
			if err := change(ledger); err != nil {
				t.Fatal(err)
			}
			if cells, _, err := p.Release(Announced{1, 1, digest}); err == nil {
				t.Errorf("released %d cells", len(cells))
			}
		})
	}
}

// TestRoundThatIsNotWhole: contributions of other units than announced are not released, and not charged.
func TestRoundThatIsNotWhole(t *testing.T) {
	two := contribution{"MARKER two", one.values}
	digest := wire.UnitDigest(one.unit) + wire.UnitDigest(two.unit)
	for name, c := range map[string]struct {
		given     []contribution
		announced Announced
	}{
		"missing unit":                 {[]contribution{one}, Announced{2, 2, digest}},
		"unit too many":                {[]contribution{one, two}, Announced{1, 1, wire.UnitDigest(one.unit)}},
		"other unit":                   {[]contribution{one, {"MARKER three", one.values}}, Announced{2, 2, digest}},
		"only the number":              {[]contribution{one, two}, Announced{3, 3, digest}},
		"nothing of something":         {nil, Announced{2, 2, digest}},
		"digest of another set of two": {[]contribution{one, two}, Announced{2, 2, digest + 1}},
		"missing record":               {[]contribution{one, two}, Announced{2, 3, digest}},
		"one twice for one missing":    {[]contribution{one, one}, Announced{2, 2, digest}},
		"announced as often as it came": {
			[]contribution{one, two, one}, Announced{2, 3, digest}},
	} {
		t.Run(name, func(t *testing.T) {
			ledger := newLedger(t)
			p := open(t, ledger, newTerms(newGrant()))
			take(t, p, 1, poisson, c.given...)
			before := read(t, ledger)
			cells, _, err := p.Release(c.announced)
			wantCode(t, err, 90)
			if cells != nil || !bytes.Equal(read(t, ledger), before) {
				t.Errorf("released %v, or charged", cells)
			}
			if strings.ContainsAny(err.Error(), "0123456789") || strings.Contains(err.Error(), "MARKER") {
				t.Errorf("message tells what is private: %v", err)
			}
			if _, err := os.Stat(ledger + ".releases"); !errors.Is(err, os.ErrNotExist) {
				t.Error("something was stored")
			}
		})
	}
}

// TestFixedSize: a round with a fixed number of units holds exactly this number. The number is public. A part of such a
// round, as from only one partition, is not released.
func TestFixedSize(t *testing.T) {
	fixed := event.Scheme{Method: event.Fixed, Rate: 0.5, Size: 2, Population: 4, Rounds: 2, Secret: true}
	terms := newTerms(newGrant(func(g *event.Grant) { g.Scheme, g.Adjacency = fixed, event.ReplaceOne }))
	ledger := newLedger(t)
	p := open(t, ledger, terms)
	digest := take(t, p, 1, fixed, one)
	before := read(t, ledger)
	cells, _, err := p.Release(Announced{Units: 1, Records: 1, Digest: digest})
	wantCode(t, err, 90)
	if cells != nil || !bytes.Equal(read(t, ledger), before) {
		t.Errorf("released %v, or charged", cells)
	}
	p.Close()
	p = open(t, ledger, terms)
	release(t, p, 1, fixed, one, contribution{"two", one.values})
}

// TestUnitTwice: a unit that comes again with another contribution spoils the round, even if all else is as announced.
// It is new in another round.
func TestUnitTwice(t *testing.T) {
	ledger := newLedger(t)
	p := open(t, ledger, newTerms(newGrant()))
	digest := take(t, p, 1, poisson, one, contribution{"MARKER", one.values})
	err := give(p, contribution{"MARKER", make([]float32, 6)})
	wantCode(t, err, 90)
	if strings.Contains(err.Error(), "MARKER") {
		t.Errorf("message quotes the unit: %v", err)
	}
	cells, _, err := p.Release(Announced{2, 2, digest})
	wantCode(t, err, 90)
	if n := len(charges(t, ledger)); cells != nil || n != 0 {
		t.Errorf("released %v with %d charges", cells, n)
	}
	release(t, p, 1, poisson, one)
	release(t, p, 2, poisson, one)
}

// TestOrderDoesNotMatter: the exact sum is the same in any order of the units, and of a user's records.
func TestOrderDoesNotMatter(t *testing.T) {
	units := []contribution{one, {"two", []float32{1e-3, 7, 0, -0.25, 1e30, 3}},
		{"three", []float32{0, 1.5, -9, 0, 2, 1e-9}}}
	for _, unit := range []string{event.Document, event.User} {
		sum := func(order ...int) []int64 {
			terms := newTerms(newGrant(func(g *event.Grant) { g.Unit = unit }))
			terms.Unit = unit
			c, err := NewCollector(&terms)
			if err != nil {
				t.Fatal(err)
			}
			c.Open()
			for _, i := range order {
				name, record := units[i].unit, ""
				if unit == event.User {
					name, record = "user", name
				}
				var v fixed.Vector
				if err := c.Quantise(&v, 0, nil, nil, units[i].values, false); err != nil {
					t.Fatal(err)
				}
				if err := c.Add(name, record, 0, &v); err != nil {
					t.Fatal(err)
				}
			}
			cells, _, err := c.Sum(c.round.taken)
			if err != nil {
				t.Fatal(err)
			}
			return cells
		}
		for _, order := range [][]int{{0, 2, 1}, {1, 0, 2}, {2, 1, 0}} {
			if got, want := sum(order...), sum(0, 1, 2); !slices.Equal(got, want) {
				t.Errorf("unit %s: order %v gives %v, want %v", unit, order, got, want)
			}
		}
	}
}
