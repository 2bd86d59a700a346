package release

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"privpipe/pipelines/event"
	"privpipe/pipelines/wire"
	"privpipe/privatize/internal/fixed"
	"privpipe/privatize/internal/noise"
	"privpipe/privatize/internal/unit"
)

// constant is noise that is always the same number. fatal, where set, is a panic in its place.
type constant struct {
	value int64
	fatal any
}

func (c constant) Twin() noise.Sampler { return c }

func (c constant) Next() int64 {
	if c.fatal != nil {
		panic(c.fatal)
	}
	return c.value
}

// nothingLeft checks that a ledger has no charge, and that no release is stored beside it, not even in part.
func nothingLeft(t *testing.T, ledger string) {
	t.Helper()
	if n := len(charges(t, ledger)); n != 0 {
		t.Errorf("%d charges", n)
	}
	if left, err := filepath.Glob(storedRelease(ledger, "*")); err != nil || left != nil {
		t.Errorf("stored %v", left)
	}
}

// TestPanicOfNoise: a worker that panics ends the process by its own panic. Else its cells would leave without noise.
func TestPanicOfNoise(t *testing.T) {
	ledger := newLedger(t)
	p := open(t, ledger, newTerms(newGrant()))
	p.noise = noises{cell: constant{fatal: "no random bits"}}
	digest := take(t, p, 1, poisson, one)
	func() {
		defer func() {
			if got := recover(); got != "no random bits" {
				t.Errorf("recovered %v", got)
			}
		}()
		cells, _, err := p.Release(Announced{1, 1, digest})
		t.Errorf("released %v, %v", cells, err)
	}()
	nothingLeft(t, ledger)
}

// TestOverflowOfARelease: noise that takes a cell beyond 64 bits ends the round without a release.
func TestOverflowOfARelease(t *testing.T) {
	ledger := newLedger(t)
	p := open(t, ledger, newTerms(newGrant()))
	p.noise = noises{cell: constant{value: math.MaxInt64}}
	digest := take(t, p, 1, poisson, one)
	cells, _, err := p.Release(Announced{1, 1, digest})
	wantCode(t, err, 90)
	if cells != nil {
		t.Errorf("released %v", cells)
	}
	nothingLeft(t, ledger)
}

// TestFullDisk: a release that does not fit the disk is neither stored in part nor charged.
func TestFullDisk(t *testing.T) {
	ledger := newLedger(t)
	// The cells take 80 kB, and pass the buffers on their way.
	p := open(t, ledger, shaped(newTerms(newGrant()), event.Matrix{Name: "matrix", Rows: 100, Columns: 100}))
	digest := take(t, p, 1, poisson, contribution{"one", make([]float32, 100*100)})
	spool := storedRelease(ledger, "000000001.tmp")
	if err := errors.Join(os.MkdirAll(filepath.Dir(spool), 0o700), os.Symlink("/dev/full", spool)); err != nil {
		t.Fatal(err)
	}
	cells, _, err := p.Release(Announced{1, 1, digest})
	if err == nil || !strings.Contains(err.Error(), "no space left") || cells != nil {
		t.Errorf("released %d cells, error %v", len(cells), err)
	}
	nothingLeft(t, ledger)
}

// TestFailedWriter: cells stop at the first error of their writer.
func TestFailedWriter(t *testing.T) {
	full := errors.New("full")
	for fits := range 3 {
		w := &limited{fits: fits, err: full}
		if err := writeCells(w, make([]int64, 3<<12)); !errors.Is(err, full) || w.calls != fits+1 {
			t.Errorf("after %d writes: %d calls, error %v", fits, w.calls, err)
		}
	}
}

// limited is a writer that takes some writes and then fails.
type limited struct {
	fits, calls int
	err         error
}

func (l *limited) Write(b []byte) (int, error) {
	if l.calls++; l.calls > l.fits {
		return 0, l.err
	}
	return len(b), nil
}

// TestPruneOfARun: the stored releases of the run go, and those of other runs stay.
func TestPruneOfARun(t *testing.T) {
	ledger := newLedger(t)
	terms := newTerms(newGrant())
	p := open(t, ledger, terms)
	if p.Begun() {
		t.Error("a run without a charge has begun")
	}
	release(t, p, 1, poisson, one)
	if !p.Begun() {
		t.Error("a charged run has not begun")
	}
	p.Close()
	terms.Run = "other"
	q := open(t, ledger, terms)
	if q.Begun() {
		t.Error("the charge of another run is taken for this run's")
	}
	if err := q.Prune(1); err != nil {
		t.Fatal(err)
	}
	q.Close()
	terms.Run = "run"
	p = open(t, ledger, terms)
	if _, err := p.Begin(1, poisson); err != nil {
		t.Errorf("another run's releases went: %v", err)
	}
	if err := p.Prune(1); err != nil {
		t.Fatal(err)
	}
	_, err := p.Begin(1, poisson)
	wantCode(t, err, 83)
}

// TestResumeWithoutOwner: a ledger that cannot read under which name it claims does not go on.
func TestResumeWithoutOwner(t *testing.T) {
	log, ledger := new(sharedLog), newLedger(t)
	if _, err := finish(t, open(t, newLedger(t), claiming(log)), 1); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(ledger+".releases/.owner/full", 0o700); err != nil {
		t.Fatal(err)
	}
	err := open(t, ledger, claiming(log)).Resume(nil)
	if err == nil || !strings.Contains(err.Error(), "is a directory") {
		t.Errorf("got error %v", err)
	}
}

// TestGrantsForNoSums: a grant for another mechanism, or with a bound for a statistic of no matrix, takes no
// contributions.
func TestGrantsForNoSums(t *testing.T) {
	selects := newTerms(&event.Grant{
		Version: event.GrantVersion, ID: "grant", Mechanism: event.Select, Adjacency: event.AddRemove,
		Unit: event.Document, Clip: 1, NoiseMultiplier: 1, MaxWords: 4, Threshold: 2,
		Scheme: event.Scheme{Method: event.All, Rate: 1, Rounds: 1}, Releases: 1,
	})
	selects.Grant.Subject = event.Subject{}
	shapeless := shaped(newTerms(newGrant(func(g *event.Grant) {
		g.Statistics = []event.Statistic{{Name: "mean", Bound: 2}}
	})))
	for about, terms := range map[string]Terms{
		"a grant for select cannot be used for sums":     selects,
		`bounds statistic "mean", and the contributions`: shapeless,
	} {
		_, err := NewCollector(&terms)
		wantCode(t, err, 83)
		if err != nil && !strings.Contains(err.Error(), about) {
			t.Errorf("got error %v, want one about %q", err, about)
		}
	}
}

// TestLayout: a symmetric matrix has the cells of its upper triangle, after those of the matrices before it.
func TestLayout(t *testing.T) {
	terms := shaped(newTerms(newGrant()), event.Matrix{Name: "mean", Rows: 1, Columns: 4},
		event.Matrix{Name: "square", Rows: 4, Columns: 4, Symmetric: true})
	c, err := NewCollector(&terms)
	if err != nil {
		t.Fatal(err)
	}
	if l := c.Layout(); l.Cells() != 4+10 || l.Matrices() != 2 {
		t.Errorf("%d cells of %d matrices", l.Cells(), l.Matrices())
	}
}

// TestHugeUserWithoutClip: nothing brings a user's total back within the grid without a clip, so the total is refused
// when the round closes.
func TestHugeUserWithoutClip(t *testing.T) {
	r := collector(t, func(terms *Terms) { terms.Grant, terms.Unit = nil, event.User })
	for i := range 2 {
		if err := put(r, "u", fmt.Sprint(i), 1e30, 0, 0, 0, 0, 0); err != nil {
			t.Fatal(err)
		}
	}
	cells, _, err := r.Sum(r.round.taken)
	wantCode(t, err, 90)
	if cells != nil {
		t.Errorf("sum %v", cells)
	}
}

// TestOverflowOfAUser: the records of one user may not wrap around, either. It takes 2^23 of them, so the test begins
// near the end.
func TestOverflowOfAUser(t *testing.T) {
	r := collector(t, users)
	if err := put(r, "u", "1", 1, 0, 0, 0, 0, 0); err != nil {
		t.Fatal(err)
	}
	k := unit.KeyOf("u")
	r.round.pending[k].Steps[0] = math.MaxInt64
	r.round.factored[k] = []*fixed.Vector{{Cells: []int{0}, Steps: []int64{1}}}
	cells, _, err := r.Sum(Announced{1, 1, wire.UnitDigest("u")})
	wantCode(t, err, 90)
	if cells != nil {
		t.Errorf("sum %v", cells)
	}
}

// TestMatrixOutOfRange: a block of a matrix that the contributions lack is refused, and changes no sum.
func TestMatrixOutOfRange(t *testing.T) {
	for _, factored := range []bool{false, true} {
		for _, matrix := range []int{-1, 1} {
			c, v := collector(t), new(fixed.Vector)
			if err := c.Quantise(v, matrix, nil, nil, []float32{1, 0, 0, 0, 0, 0}, factored); err == nil {
				t.Errorf("matrix %d is taken", matrix)
			}
			if len(v.Cells) > 0 || len(v.Products) > 0 {
				t.Errorf("matrix %d: the vector has %v", matrix, v)
			}
		}
	}
}

// TestNoNoise: a multiplier of 0 has no sampler, whoever made the grant.
func TestNoNoise(t *testing.T) {
	for _, mechanism := range []string{event.Gaussian, event.Laplace} {
		n, err := newNoises(&event.Grant{Mechanism: mechanism}, false)
		wantCode(t, err, 83)
		if n.cell != nil {
			t.Errorf("%s: there is a sampler", mechanism)
		}
	}
}

// TestPartOfWords: documents of words have no bound of their own, and neither have sums over them.
func TestPartOfWords(t *testing.T) {
	for _, words := range []bool{false, true} {
		l := limiter{clipping: event.ClipProved, words: words, bound: 5}
		if got := l.part([]int64{90}, 1); got != words {
			t.Errorf("words %v: a large part is taken: %v", words, got)
		}
	}
}

// TestSameUnits: rounds of one scheme hold the same units if all units are in each, if their place follows from their
// names, or if the coins are the same by their name.
func TestSameUnits(t *testing.T) {
	named := event.Scheme{Method: event.Poisson, Rate: 0.5, Rounds: 2, Coins: coins("a")}
	other, unnamed := named, named
	other.Coins, unnamed.Coins = coins("b"), ""
	all := event.Scheme{Method: event.All, Rate: 1, Rounds: 2}
	epoch := event.Scheme{Method: event.Epoch, Rate: 0.5, Rounds: 2}
	for _, c := range []struct {
		a, b event.Scheme
		same bool
	}{
		{named, named, true}, {named, other, false}, {unnamed, unnamed, false}, {named, unnamed, false},
		{all, all, true}, {epoch, epoch, true}, {all, epoch, false},
	} {
		if sameUnits(c.a, c.b) != c.same {
			t.Errorf("%v and %v: the same units: %v", c.a, c.b, !c.same)
		}
	}
}
