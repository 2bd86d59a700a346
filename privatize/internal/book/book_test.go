package book

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"privpipe/pipelines/event"
	"privpipe/pipelines/testkit"
)

// The steps of the protocol under crashes, damage and locks are tested through what uses them, in package release, and
// on the built binary in pipelines/endtoend.

// newBook opens a ledger with a grant.
func newBook(t *testing.T, g *event.Grant) (*Book, string) {
	t.Helper()
	path := testkit.NewLedger(t)
	return openFor(t, path, g), path
}

func openFor(t *testing.T, path string, g *event.Grant) *Book {
	t.Helper()
	b, err := Open(path, g)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { b.Close() })
	return b
}

// linesOf reads a ledger whole.
func linesOf(t *testing.T, path string) *event.Ledger {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	l, err := event.ReadLedger(bytes.NewReader(content), path)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func newGrant() *event.Grant {
	return &event.Grant{
		Version: event.GrantVersion, ID: "grant", Mechanism: event.Gaussian, Adjacency: event.AddRemove,
		Unit: event.Document, Clip: 1, NoiseMultiplier: 1, Releases: 2,
		Subject: event.Subject{Matrices: []event.Matrix{{Name: "matrix", Rows: 1, Columns: 1}}},
		Scheme:  event.Scheme{Method: event.All, Rate: 1, Rounds: 2},
	}
}

func newCharge(g *event.Grant, round int) *event.Charge {
	c := g.Charge(round, g.Scheme)
	c.Dataset, c.Run, c.Settings = "data", "run", "settings"
	return c
}

// digest is the digest of the sum that a content is drawn from in these tests: of the content itself.
func digest(content string) [sha256.Size]byte { return sha256.Sum256([]byte(content)) }

func charge(t *testing.T, b *Book, c *event.Charge, content string) {
	t.Helper()
	if err := b.Charge(c, writes(content)); err != nil {
		t.Fatal(err)
	}
}

// writes writes a content as a release that is drawn from it.
func writes(content string) func(io.Writer) ([sha256.Size]byte, error) {
	return func(w io.Writer) ([sha256.Size]byte, error) {
		_, err := io.WriteString(w, content)
		return digest(content), err
	}
}

func wantCode(t *testing.T, err error, code int) {
	t.Helper()
	var coder interface{ ExitCode() int }
	if !errors.As(err, &coder) || coder.ExitCode() != code {
		t.Errorf("got error %v, want one of exit code %d", err, code)
	}
}

// TestCharge: what is stored is what was charged, and readable only by its owner.
func TestCharge(t *testing.T) {
	g := newGrant()
	b, path := newBook(t, g)
	c := newCharge(g, 1)
	charge(t, b, c, "noisy")
	want := digest("noisy")
	if c.Release != hex.EncodeToString(want[:]) {
		t.Errorf("charged release %s", c.Release)
	}
	file, err := b.Stored(c)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if content, err := io.ReadAll(file); err != nil || string(content) != "noisy" {
		t.Errorf("stored %q, %v", content, err)
	}
	for name, mode := range map[string]os.FileMode{"": 0o700, "run": 0o700, "run/000000001": 0o600,
		"run/000000001.sum": 0o600} {
		if info, err := os.Stat(filepath.Join(path+".releases", name)); err != nil || info.Mode().Perm() != mode {
			t.Errorf("%s has mode %v, %v", name, info.Mode(), err)
		}
	}
}

// TestFailedWrite: a release that could not be written whole is neither stored nor charged.
func TestFailedWrite(t *testing.T) {
	g := newGrant()
	b, path := newBook(t, g)
	broken := errors.New("the input is truncated")
	err := b.Charge(newCharge(g, 1), func(w io.Writer) (sum [sha256.Size]byte, err error) {
		_, err = w.Write(make([]byte, 1<<20))
		return sum, errors.Join(err, broken)
	})
	if !errors.Is(err, broken) {
		t.Errorf("error %v", err)
	}
	left, err := os.ReadDir(filepath.Join(path+".releases", "run"))
	if charges := linesOf(t, path).Charges(); err != nil || len(left) > 0 || len(charges) > 0 {
		t.Errorf("left %v, %d charges, error %v", left, len(charges), err)
	}
}

// TestAgain: the same sum is answered with the stored release; another one is refused, or charged as a further attempt.
func TestAgain(t *testing.T) {
	g := newGrant()
	g.Releases = 3
	b, path := newBook(t, g)
	first := newCharge(g, 1)
	charge(t, b, first, "one")
	known := first
	for i, content := range []string{"two", "three"} {
		fresh := newCharge(g, 1)
		if stored, err := b.Again(known, fresh, digest(content), false); stored || err == nil {
			t.Errorf("another sum: stored %v, error %v", stored, err)
		} else {
			wantCode(t, err, 83)
		}
		stored, err := b.Again(known, fresh, digest(content), true)
		if stored || err != nil || fresh.Attempt != i+2 {
			t.Fatalf("with leave: stored %v, attempt %d, error %v", stored, fresh.Attempt, err)
		}
		charge(t, b, fresh, content)
		if known, err = b.Known(newCharge(g, 1)); err != nil || *known != *fresh {
			t.Fatalf("known is %+v, %v", known, err)
		}
		if stored, err := b.Again(known, newCharge(g, 1), digest(content), false); !stored || err != nil {
			t.Errorf("the same sum: stored %v, error %v", stored, err)
		}
	}
	_, err := b.Again(known, newCharge(g, 1), digest("four"), true)
	wantCode(t, err, 83) // the grant has three releases
	for _, name := range []string{"000000001", "000000001.2", "000000001.3"} {
		if _, err := os.Stat(filepath.Join(path+".releases", "run", name)); err != nil {
			t.Error(err)
		}
	}
}

// TestAbsent: a ledger is begun by nobody on the way: neither where there is no file, nor where it is empty.
func TestAbsent(t *testing.T) {
	path := filepath.Join(t.TempDir(), "ledger")
	_, err := Open(path, nil)
	wantCode(t, err, 82)
	if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a ledger was begun: %v", err)
	}
	if err := os.WriteFile(path, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	_, err = Open(path, nil)
	wantCode(t, err, 82)
	// If releases were charged to a missing ledger, the error says that the ledger is lost.
	b, path := newBook(t, newGrant())
	charge(t, b, newCharge(newGrant(), 1), "one")
	b.Close()
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	_, err = Open(path, nil)
	wantCode(t, err, 90)
}

// TestForgedLedger: a privatizer would not have written one line of the ledger, although the ledger's chain of hashes
// is whole. Such a ledger is not gone on with.
func TestForgedLedger(t *testing.T) {
	for name, forge := range map[string]func(*event.Charge){
		"less noise":       func(c *event.Charge) { c.Scale /= 2 },
		"another grant":    func(c *event.Charge) { c.Grant = "other" },
		"a round too many": func(c *event.Charge) { c.Round = 3 },
	} {
		t.Run(name, func(t *testing.T) {
			b, path := newBook(t, newGrant())
			charge(t, b, newCharge(newGrant(), 1), "one")
			c := newCharge(newGrant(), 2)
			forge(c)
			line := b.tally.Next(time.Now())
			line.Type, line.Charge = event.TypeCharge, c
			if err := b.append(line); err != nil {
				t.Fatal(err)
			}
			b.Close()
			_, err := Open(path, nil)
			wantCode(t, err, 90)
		})
	}
}

// TestLink: the stored releases of a ledger are beside the file, whatever link names it.
func TestLink(t *testing.T) {
	b, path := newBook(t, newGrant())
	charge(t, b, newCharge(newGrant(), 1), "one")
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	charge(t, b, newCharge(newGrant(), 2), "two")
	b.Close()
	link := filepath.Join(t.TempDir(), "link")
	if err := errors.Join(os.WriteFile(path, before, 0o644), os.Symlink(path, link)); err != nil {
		t.Fatal(err)
	}
	_, err = Open(link, nil)
	wantCode(t, err, 90) // it was put back
}

// TestChargeThatCannotBeWritten leaves no grant behind either.
func TestChargeThatCannotBeWritten(t *testing.T) {
	b, path := newBook(t, newGrant())
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	c := newCharge(newGrant(), 1)
	c.Settings = strings.Repeat("x", event.MaxLine)
	if err := b.Charge(c, writes("noisy")); err == nil {
		t.Error("a line that is too long was charged")
	}
	if after, err := os.ReadFile(path); err != nil || !bytes.Equal(after, before) {
		t.Errorf("the ledger changed (%v)", err)
	}
}

// TestEnterLeavesNothing: a grant comes into the ledger with its first charge. A run that is refused leaves the ledger
// as it was, so that the grant may still be planned again.
func TestEnterLeavesNothing(t *testing.T) {
	b, path := newBook(t, newGrant())
	charge(t, b, newCharge(newGrant(), 1), "one")
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	other := newGrant()
	other.ID, other.Adjacency = "other", event.ReplaceOne
	b.Close()
	b = openFor(t, path, other)
	c := newCharge(other, 1)
	c.Run = "other"
	wantCode(t, b.Allow(c), 83)
	err = b.Charge(c, func(io.Writer) (sum [sha256.Size]byte, err error) { return sum, nil })
	wantCode(t, err, 83)
	after, err := os.ReadFile(path)
	if err != nil || !bytes.Equal(after, before) {
		t.Errorf("the ledger changed (%v):\n%s", err, after[len(before):])
	}
}

// TestEnterRefuses: what leaves open which ledger it is for, or what its releases would say of themselves, is not used.
func TestEnterRefuses(t *testing.T) {
	for name, change := range map[string]func(*event.Grant){
		"version 1": func(g *event.Grant) { g.Version, g.Subject = 1, event.Subject{} },
		"select of version 1": func(g *event.Grant) {
			g.Version, g.Mechanism, g.MaxWords, g.Threshold, g.Subject = 1, event.Select, 3, 3, event.Subject{}
			g.Scheme, g.Releases = event.Scheme{Method: event.All, Rate: 1, Rounds: 1}, 1
		},
		"no matrices": func(g *event.Grant) { g.Matrices = nil },
		"no ledger": func(g *event.Grant) {
			g.Budget = event.Budget{Epsilon: 1, Delta: 1e-6, After: event.Genesis}
		},
	} {
		t.Run(name, func(t *testing.T) {
			g := newGrant()
			g.ID = "other"
			change(g)
			_, err := Open(testkit.NewLedger(t), g)
			wantCode(t, err, 83)
		})
	}
}

// TestAgainUnderBudget: a grant with a budget allows one release of a round.
func TestAgainUnderBudget(t *testing.T) {
	path := testkit.NewLedger(t)
	ledger, g := linesOf(t, path), newGrant()
	g.ID, g.Ledger = "planned", ledger.Head().ID
	g.Budget = event.Budget{Epsilon: 1, Delta: 1e-6, After: ledger.LastHash()}
	b := openFor(t, path, g)
	known := newCharge(g, 1)
	charge(t, b, known, "one")
	_, err := b.Again(known, newCharge(g, 1), digest("two"), true)
	wantCode(t, err, 83)
}

// TestAllow: what the ledger's rules refuse is a refusal of the privatizer, when it is asked for and when it is
// charged.
func TestAllow(t *testing.T) {
	noon := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	expires := noon.Add(time.Hour)
	g := newGrant()
	g.Expires = &expires
	b, path := newBook(t, g)
	first, second, third := newCharge(g, 1), newCharge(g, 2), newCharge(g, 3)
	b.Now = func() time.Time { return expires.Add(-time.Nanosecond) }
	if err := errors.Join(b.Allow(first), b.Allow(second)); err != nil {
		t.Fatal(err)
	}
	wantCode(t, b.Allow(third), 83) // beyond the scheme
	charge(t, b, first, "one")
	wantCode(t, b.Allow(newCharge(g, 1)), 83) // a second charge of a round that says it is the first
	b.Now = func() time.Time { return expires }
	wantCode(t, b.Allow(second), 83)
	err := b.Charge(second, func(io.Writer) (sum [sha256.Size]byte, err error) { return sum, nil })
	wantCode(t, err, 83)
	b.Close()
	if b, err = Open(path, nil); err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	if n := len(linesOf(t, path).Charges()); n != 1 {
		t.Errorf("%d charges, want that of before the grant expired", n)
	}
}

// TestKnown: a round is answered only under its own settings.
func TestKnown(t *testing.T) {
	g := newGrant()
	b, _ := newBook(t, g)
	if known, err := b.Known(newCharge(g, 1)); known != nil || err != nil {
		t.Errorf("an empty ledger knows %v, %v", known, err)
	}
	charge(t, b, newCharge(g, 1), "one")
	for name, change := range map[string]func(*event.Charge){
		"settings": func(c *event.Charge) { c.Settings = "other" },
		"data set": func(c *event.Charge) { c.Dataset = "other" },
		"grant":    func(c *event.Charge) { c.Grant = "other" },
		"scheme":   func(c *event.Charge) { c.Scheme.Rounds = 3 },
	} {
		c := newCharge(g, 1)
		change(c)
		if _, err := b.Known(c); err == nil {
			t.Errorf("other %s: the stored release answers", name)
		} else {
			wantCode(t, err, 83)
		}
	}
	for name, change := range map[string]func(*event.Charge){
		"run": func(c *event.Charge) { c.Run = "other" }, "round": func(c *event.Charge) { c.Round = 2 },
	} {
		c := newCharge(g, 1)
		change(c)
		if known, err := b.Known(c); known != nil || err != nil {
			t.Errorf("other %s: known %v, %v", name, known, err)
		}
	}
}

// TestReleases: a run has the releases of its own charges, in all attempts.
func TestReleases(t *testing.T) {
	g := newGrant()
	g.Releases = 4
	b, _ := newBook(t, g)
	want := make(map[int][]string)
	for _, of := range []struct {
		run            string
		round, attempt int
	}{{"run", 1, 0}, {"other", 1, 0}, {"run", 2, 0}, {"run", 1, 2}} {
		if b.Charged("run", of.round) != (len(want[of.round]) > 0) || b.Begun("run") != (len(want) > 0) {
			t.Errorf("before round %d: charged %v, begun %v", of.round, b.Charged("run", of.round), b.Begun("run"))
		}
		c := newCharge(g, of.round)
		c.Run, c.Attempt = of.run, of.attempt
		charge(t, b, c, fmt.Sprint(of))
		if of.run == "run" {
			want[of.round] = append(want[of.round], c.Release)
		}
	}
	if got, err := b.Releases("run"); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, %v, want %v", got, err, want)
	}
}

// TestOpenOnce: a grant of one release opens for it, for its replay, and for nothing else.
func TestOpenOnce(t *testing.T) {
	path := testkit.NewLedger(t)
	g := newGrant()
	g.Scheme.Rounds, g.Releases = 1, 1
	for _, again := range []bool{false, true} {
		c := newCharge(g, 1)
		b, known, err := OpenOnce(path, g, c)
		if err != nil || (known != nil) != again {
			t.Fatalf("known %v, %v", known, err)
		}
		if !again {
			charge(t, b, c, "one")
		}
		b.Close()
	}
	other := newCharge(g, 1)
	other.Run = "other"
	_, _, err := OpenOnce(path, g, other)
	wantCode(t, err, 83)
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if n := bytes.Count(before, []byte{'\n'}); n != 3 {
		t.Errorf("%d lines, want the head, the grant and its charge", n)
	}
	b, err := Open(path, nil) // a refusal holds no lock
	if err != nil {
		t.Fatal(err)
	}
	b.Close()
}

// TestUnended: a charge that lacks only its newline counts; Open writes the newline, and the next charge follows it.
func TestUnended(t *testing.T) {
	g := newGrant()
	b, path := newBook(t, g)
	first := newCharge(g, 1)
	charge(t, b, first, "one")
	b.Close()
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(path, int64(len(whole)-1)); err != nil {
		t.Fatal(err)
	}
	if b, err = Open(path, nil); err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	if got, err := os.ReadFile(path); err != nil || !bytes.Equal(got, whole) {
		t.Errorf("after Open: %q, want %q; %v", got, whole, err)
	}
	if known, err := b.Known(newCharge(g, 1)); err != nil || known == nil {
		t.Errorf("the charge is unknown: %v", err)
	}
	charge(t, b, newCharge(g, 2), "two")
}

// TestLostLines: a ledger that was cut, emptied or put back after a charge is seen by what is kept beside it.
func TestLostLines(t *testing.T) {
	for name, c := range map[string]struct {
		lose func(path string, lines [][]byte) error
		lost bool
	}{
		"whole":  {func(string, [][]byte) error { return nil }, false},
		"longer": {func(path string, _ [][]byte) error { return os.Remove(path + ".releases/.last") }, false},
		"last line": {func(path string,
			l [][]byte) error {
			return os.WriteFile(path, slices.Concat(l[:2]...), 0o600)
		}, true},
		"all lines": {func(path string, _ [][]byte) error { return os.Truncate(path, 0) }, true},
		"the file":  {func(path string, _ [][]byte) error { return os.Remove(path) }, true},
		"cut in a line": {func(path string,
			l [][]byte) error {
			return os.Truncate(path, int64(len(l[0])+len(l[1])+9))
		}, true},
		"power cut": {func(path string, _ [][]byte) error { return os.Truncate(path+".releases/.last", 0) }, false},
		"crash": {func(path string, l [][]byte) error { // before the last hash was written
			line := bytes.TrimSpace(l[1])
			hash := line[len(line)-66 : len(line)-2]
			return os.WriteFile(path+".releases/.last", append(bytes.Clone(hash), '\n'), 0o600)
		}, false},
		"cut hash": {func(path string, _ [][]byte) error { return os.Truncate(path+".releases/.last", 40) }, false},
		"other hash": {func(path string, _ [][]byte) error {
			return os.WriteFile(path+".releases/.last", []byte(strings.Repeat("a", 64)+"\n"), 0o600)
		}, true},
	} {
		t.Run(name, func(t *testing.T) {
			g := newGrant()
			b, path := newBook(t, g)
			charge(t, b, newCharge(g, 1), "one")
			charge(t, b, newCharge(g, 2), "two")
			b.Close()
			content, err := os.ReadFile(path)
			if err == nil {
				err = c.lose(path, bytes.SplitAfter(content, []byte{'\n'}))
			}
			if err != nil {
				t.Fatal(err)
			}
			left, _ := os.ReadFile(path)
			b, err = Open(path, nil)
			if now, _ := os.ReadFile(path); c.lost && !bytes.Equal(now, left) {
				t.Error("the ledger is refused and changed")
			}
			if !c.lost {
				if err != nil {
					t.Fatal(err)
				}
				b.Close()
				return
			}
			wantCode(t, err, 90)
		})
	}
}

// TestStoredIsWhatIsRead: a stored release that changes between the check and the reading is refused at its end.
func TestStoredIsWhatIsRead(t *testing.T) {
	g := newGrant()
	b, path := newBook(t, g)
	c := newCharge(g, 1)
	charge(t, b, c, "noisy")
	file, err := b.Stored(c)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if err := os.WriteFile(filepath.Join(path+".releases", "run/000000001"), []byte("other"), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err = io.ReadAll(file)
	wantCode(t, err, 83)
	_, err = b.Stored(c)
	wantCode(t, err, 83)
}

// TestChangedWhileOpen: a ledger that another program has made longer gets no line of this process, which would
// overwrite what was added.
func TestChangedWhileOpen(t *testing.T) {
	g := newGrant()
	b, path := newBook(t, g)
	charge(t, b, newCharge(g, 1), "noisy")
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := file.WriteString("a line of another program\n"); err != nil {
		t.Fatal(err)
	}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	wantCode(t, b.Charge(newCharge(g, 2), writes("noisy")), 90)
	if after, err := os.ReadFile(path); err != nil || !bytes.Equal(after, before) {
		t.Errorf("the ledger was written: %q, %v", after, err)
	}
}

// TestChangedWhileCharged: a line that did not come to the end of the ledger is no charge. Whoever shares the open file
// may move its offset, which nobody can see before the line is written.
func TestChangedWhileCharged(t *testing.T) {
	g := newGrant()
	b, _ := newBook(t, g)
	charge(t, b, newCharge(g, 1), "noisy")
	if _, err := b.file.Seek(-1, io.SeekCurrent); err != nil {
		t.Fatal(err)
	}
	wantCode(t, b.Charge(newCharge(g, 2), writes("noisy")), 90)
}

// TestEveryByteOfASum: a stored digest that differs in one byte, or is cut, is of another sum.
func TestEveryByteOfASum(t *testing.T) {
	g := newGrant()
	b, path := newBook(t, g)
	known := newCharge(g, 1)
	charge(t, b, known, "noisy")
	stored, sum := filepath.Join(path+".releases", "run/000000001.sum"), digest("noisy")
	same := func(content []byte) bool {
		t.Helper()
		if err := os.WriteFile(stored, content, 0o600); err != nil {
			t.Fatal(err)
		}
		same, _ := b.Again(known, newCharge(g, 1), sum, true)
		return same
	}
	if !same(sum[:]) {
		t.Error("the digest itself is of another sum")
	}
	for at := range sum {
		other := sum
		other[at] ^= 1
		if same(other[:]) {
			t.Errorf("byte %d is not compared", at)
		}
		if same(sum[:at]) {
			t.Errorf("the first %d bytes are the digest", at)
		}
	}
	if same(append(sum[:], 0)) {
		t.Error("a longer digest is the digest")
	}
}

// TestEveryDigitOfARelease: a stored release is compared with all of the charged hash.
func TestEveryDigitOfARelease(t *testing.T) {
	g := newGrant()
	b, _ := newBook(t, g)
	c := newCharge(g, 1)
	charge(t, b, c, "noisy")
	for at, digit := range []byte(c.Release) {
		other := *c
		hash := []byte(c.Release)
		hash[at] = "0123456789abcdef"[(strings.IndexByte("0123456789abcdef", digit)+1)%16]
		other.Release = string(hash)
		if _, err := b.Stored(&other); err == nil {
			t.Errorf("digit %d is not compared", at)
		}
	}
}

// TestOwner: the name of an owner is random, the owner's to read, and the same for good.
func TestOwner(t *testing.T) {
	b, path := newBook(t, newGrant())
	name := filepath.Join(path+".releases", ".owner")
	if _, err := os.Stat(name); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("before it is asked for: %v", err)
	}
	owner, err := b.Owner()
	if err != nil || len(owner) != 32 {
		t.Fatalf("owner %q, %v", owner, err)
	}
	if info, err := os.Stat(name); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	b.Close()
	if b, err = Open(path, nil); err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	for range 2 {
		if again, err := b.Owner(); err != nil || again != owner {
			t.Errorf("owner %q, then %q, %v", owner, again, err)
		}
	}
	other, _ := newBook(t, newGrant())
	if foreign, err := other.Owner(); err != nil || foreign == owner {
		t.Errorf("two ledgers have the owner %q, %v", foreign, err)
	}
}
