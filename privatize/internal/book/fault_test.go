package book

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"privpipe/pipelines/event"
	"privpipe/pipelines/testkit"
)

// The faults below are made of folders where files belong, files where folders belong, closed files and limits of the
// system. No access right holds a superuser, who may run these tests, so no fault is a missing right.

// An obstacle is a file or a folder that stands where something else belongs.
func obstacle(t *testing.T, path string, folder bool) {
	t.Helper()
	err := errors.Join(os.RemoveAll(path), os.MkdirAll(filepath.Dir(path), 0o700))
	if folder {
		err = errors.Join(err, os.Mkdir(path, 0o700), os.WriteFile(filepath.Join(path, "full"), nil, 0o600))
	} else {
		err = errors.Join(err, os.WriteFile(path, nil, 0o600))
	}
	if err != nil {
		t.Fatal(err)
	}
}

// wantPlain checks that an error is the system's. The privatizer's own rules have exit codes.
func wantPlain(t *testing.T, err error, about string) {
	t.Helper()
	var coder interface{ ExitCode() int }
	if err == nil || errors.As(err, &coder) || !strings.Contains(err.Error(), about) {
		t.Errorf("got error %v, want the system's about %q", err, about)
	}
}

// opensWith opens a ledger again and checks how many charges it has.
func opensWith(t *testing.T, path string, charges int) *Book {
	t.Helper()
	b := openFor(t, path, newGrant())
	if n := len(linesOf(t, path).Charges()); n != charges {
		t.Errorf("%d charges, want %d", n, charges)
	}
	return b
}

// TestOpenFaults: whatever Open cannot look at is neither an absent ledger, which somebody might begin, nor a good one.
// After the refusal nobody holds the ledger.
func TestOpenFaults(t *testing.T) {
	for name, c := range map[string]struct {
		spoil func(path string)
		about string
	}{
		"folder":      {func(path string) { obstacle(t, path, true) }, "is a directory"},
		"no hash":     {func(path string) { obstacle(t, path+".releases", false) }, "not a directory"},
		"unread hash": {func(path string) { obstacle(t, path+".releases/.last", true) }, "is a directory"},
	} {
		t.Run(name, func(t *testing.T) {
			b, path := newBook(t, newGrant())
			charge(t, b, newCharge(newGrant(), 1), "one")
			b.Close()
			before, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			c.spoil(path)
			_, err = Open(path, nil)
			wantPlain(t, err, c.about)
			if name == "folder" {
				return
			}
			if after, err := os.ReadFile(path); err != nil || !bytes.Equal(after, before) {
				t.Errorf("the ledger changed (%v)", err)
			}
			if err := os.RemoveAll(path + ".releases"); err != nil {
				t.Fatal(err)
			}
			opensWith(t, path, 1)
		})
	}
}

// TestChargeFaults: a charge that fails before its line leaves the ledger as it was. The next process charges the
// round, as its first release.
func TestChargeFaults(t *testing.T) {
	stands := func(where string, folder bool) func(*Book, string) {
		return func(_ *Book, path string) { obstacle(t, path+where, folder) }
	}
	for name, c := range map[string]struct {
		spoil func(b *Book, path string)
		about string
	}{
		"no folder":           {stands(".releases", false), "not a directory"},
		"no run's folder":     {stands(".releases/run", false), "not a directory"},
		"no file for it":      {stands(".releases/run/000000001.tmp", true), "is a directory"},
		"no name for it":      {stands(".releases/run/000000001", true), "file exists"},
		"no file for its sum": {stands(".releases/run/000000001.sum.tmp", true), "is a directory"},
		"full disk": {func(_ *Book, path string) {
			obstacle(t, path+".releases/run/000000001.sum", false)
			if err := os.Symlink("/dev/full", path+".releases/run/000000001.tmp"); err != nil {
				t.Fatal(err)
			}
		}, "no space left"},
		"full disk for its sum": {func(_ *Book, path string) {
			obstacle(t, path+".releases/run/000000001", false)
			if err := os.Symlink("/dev/full", path+".releases/run/000000001.sum.tmp"); err != nil {
				t.Fatal(err)
			}
		}, "no space left"},
		"a ledger that is closed": {func(b *Book, _ string) { b.file.Close() }, "already closed"},
		"a ledger that is only read": {func(b *Book, path string) {
			b.file.Close()
			var err error
			if b.file, err = os.Open(path); err != nil {
				t.Fatal(err)
			}
		}, "bad file descriptor"},
		"a grant that is too long": {func(b *Book, path string) {
			g := newGrant()
			g.Budget = event.Budget{Epsilon: 1, Delta: 1e-6, After: b.tally.LastHash()}
			for i := range 1000 {
				hash := sha256.Sum256([]byte{byte(i), byte(i >> 8)})
				g.Budget.Beside = append(g.Budget.Beside, hex.EncodeToString(hash[:]))
			}
			g.Ledger = linesOf(t, path).Head().ID
			b.entering = g
		}, "exceeds 65536"},
	} {
		t.Run(name, func(t *testing.T) {
			b, path := newBook(t, newGrant())
			before, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			c.spoil(b, path)
			wantPlain(t, b.Charge(newCharge(newGrant(), 1), writes("noisy")), c.about)
			if after, err := os.ReadFile(path); err != nil || !bytes.Equal(after, before) {
				t.Errorf("the ledger changed (%v):\n%s", err, after)
			}
			if left, err := os.Lstat(path + ".releases/run/000000001.tmp"); err == nil && !left.IsDir() {
				t.Error("a file under a temporary name is left")
			}
			b.Close()
			if err := os.RemoveAll(path + ".releases"); err != nil {
				t.Fatal(err)
			}
			b = opensWith(t, path, 0)
			charge(t, b, newCharge(newGrant(), 1), "noisy")
		})
	}
}

// TestForgottenHash: the hash beside the ledger comes behind the charge. Where it cannot be written, the charge stands,
// and the next process answers the round with the stored release.
func TestForgottenHash(t *testing.T) {
	b, path := newBook(t, newGrant())
	obstacle(t, path+".releases/.last.tmp", true)
	wantPlain(t, b.Charge(newCharge(newGrant(), 1), writes("noisy")), "is a directory")
	b.Close()
	b = opensWith(t, path, 1)
	known, err := b.Known(newCharge(newGrant(), 1))
	if err != nil || known == nil {
		t.Fatalf("known %v, error %v", known, err)
	}
	if stored, err := b.Again(known, newCharge(newGrant(), 1), digest("noisy"), false); !stored || err != nil {
		t.Errorf("stored %v, error %v", stored, err)
	}
}

// TestEnterFaults: a grant that breaks its own rules is refused. One that cannot be compared with the ledger's is not
// taken for the ledger's.
func TestEnterFaults(t *testing.T) {
	b, path := newBook(t, newGrant())
	charge(t, b, newCharge(newGrant(), 1), "one")
	b.Close()
	broken := newGrant()
	broken.Clip = -1
	_, err := Open(path, broken)
	wantCode(t, err, 83)
	late := newGrant()
	late.Created = time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC) // JSON has no such year
	_, err = Open(path, late)
	wantPlain(t, err, "year outside of range")
}

// TestLineOf: the line of a charge is found in any order, also where a round has several charges.
func TestLineOf(t *testing.T) {
	const rounds = 100
	g := newGrant()
	g.Releases, g.Scheme.Rounds = 2*rounds, rounds
	b, path := newBook(t, g)
	var charges []*event.Charge
	var hashes []string
	add := func(run string, round, attempt int) {
		c := newCharge(g, round)
		c.Run, c.Attempt = run, attempt
		charge(t, b, c, "noisy")
		charges, hashes = append(charges, c), append(hashes, b.tally.LastHash())
	}
	for round := 1; round <= rounds; round++ {
		add("run", round, 0)
		if round%3 == 0 {
			add("other", round, 0)
		}
		if round%5 == 0 {
			add("run", round-1, 2)
		}
		if round == rounds/2 {
			b.Close()
			b = openFor(t, path, g)
		}
	}
	for i, at := range rand.Perm(len(charges)) {
		if line, err := b.LineOf(charges[at]); line != hashes[at] || err != nil {
			t.Fatalf("search %d: line %q, %v; want that of charge %d", i, line, err, at)
		}
	}
	_, err := b.LineOf(newCharge(g, rounds+1))
	wantCode(t, err, 90) // the tally said that it is there
}

// TestReadAgainFaults: a charge that cannot be read again is neither another charge nor none. So no noise is drawn.
func TestReadAgainFaults(t *testing.T) {
	for name, c := range map[string]struct {
		spoil func(b *Book, path string) error
		check func(*testing.T, error)
	}{
		"closed": {
			func(b *Book, _ string) error { return b.file.Close() },
			func(t *testing.T, err error) { t.Helper(); wantPlain(t, err, "already closed") },
		},
		"changed": {
			func(_ *Book, path string) error {
				content, err := os.ReadFile(path)
				content = bytes.Replace(content, []byte(`"run"`), []byte(`"ran"`), 1)
				return errors.Join(err, os.WriteFile(path, content, 0))
			},
			func(t *testing.T, err error) { t.Helper(); wantCode(t, err, 90) },
		},
	} {
		t.Run(name, func(t *testing.T) {
			b, path := newBook(t, newGrant())
			first := newCharge(newGrant(), 1)
			charge(t, b, first, "one")
			if err := c.spoil(b, path); err != nil {
				t.Fatal(err)
			}
			known, err := b.Known(newCharge(newGrant(), 1))
			c.check(t, err)
			line, err := b.LineOf(first)
			c.check(t, err)
			releases, err := b.Releases("run")
			c.check(t, err)
			if known != nil || line != "" || releases != nil {
				t.Errorf("got %v, %q, %v", known, line, releases)
			}
		})
	}
}

// TestOtherBranch: another ledger with the same beginning, in the same file, has no charge that this process knew.
func TestOtherBranch(t *testing.T) {
	g := newGrant()
	g.Releases, g.Scheme.Rounds = 90, 90
	path := testkit.NewLedger(t)
	var branches [2][]byte
	for i := range branches {
		b := openFor(t, path, g)
		first := 1
		if i > 0 { // after the grant and the first of 70 charges
			lines := bytes.SplitAfter(branches[0], []byte("\n"))
			b.Close()
			err := errors.Join(os.RemoveAll(path+".releases"), os.WriteFile(path, bytes.Join(lines[:3], nil), 0))
			if err != nil {
				t.Fatal(err)
			}
			b, first = openFor(t, path, g), 2
		}
		for round := first; round <= 70; round++ {
			charge(t, b, newCharge(g, round), fmt.Sprint(i))
		}
		var err error
		if branches[i], err = os.ReadFile(path); err != nil {
			t.Fatal(err)
		}
		if i == 0 {
			b.Close()
			continue
		}
		if len(branches[0]) != len(branches[1]) {
			t.Fatal("the branches differ in length")
		}
		if err := os.WriteFile(path, branches[0], 0); err != nil {
			t.Fatal(err)
		}
		for _, round := range []int{1, 2, 61, 62, 63, 70} { // before and behind a mark
			known, err := b.Known(newCharge(g, round))
			if known != nil {
				t.Errorf("round %d: known %+v", round, known)
			}
			wantCode(t, err, 90)
		}
		_, err = b.Releases("run")
		wantCode(t, err, 90)
	}
}

// TestKeepFaults: a ledger that cannot be made durable is refused.
func TestKeepFaults(t *testing.T) {
	path := testkit.NewLedger(t)
	read, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer read.Close()
	closed, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	closed.Close()
	for about, c := range map[string]struct {
		file   *os.File
		ledger event.Ledger
	}{
		"truncate": {read, event.Ledger{Torn: true}},
		"seek":     {closed, event.Ledger{}},
		"write":    {read, event.Ledger{Unended: true}},
	} {
		wantPlain(t, (&Book{path: path, file: c.file}).keep(&c.ledger), about)
	}
}

// TestPrune: a run's stored releases go up to a round, with their attempts and digests, and nothing else goes. A round
// that went is refused, and not drawn again.
func TestPrune(t *testing.T) {
	g := newGrant()
	g.Releases, g.Scheme.Rounds = 11, 11
	b, path := newBook(t, g)
	if err := b.Prune("run", 9); err != nil {
		t.Errorf("a run without releases: %v", err)
	}
	var first *event.Charge
	for _, round := range []int{1, 2, 3, 10} {
		c := newCharge(g, round)
		charge(t, b, c, "noisy")
		if first == nil {
			first = c
		}
	}
	again := newCharge(g, 2)
	again.Attempt = 2
	charge(t, b, again, "noisy")
	other := newCharge(g, 1)
	other.Run = "other"
	charge(t, b, other, "noisy")
	for _, name := range []string{"notes", ".hidden", "1x"} {
		obstacle(t, filepath.Join(path+".releases/run", name), false)
	}
	if err := b.Prune("run", 2); err != nil {
		t.Fatal(err)
	}
	var left []string
	err := fs.WalkDir(os.DirFS(path+".releases"), ".", func(name string, e fs.DirEntry, err error) error {
		if !e.IsDir() {
			left = append(left, name)
		}
		return err
	})
	want := []string{".last", "other/000000001", "other/000000001.sum", "run/.hidden", "run/000000003",
		"run/000000003.sum", "run/000000010", "run/000000010.sum", "run/1x", "run/notes"}
	if err != nil || !slices.Equal(left, want) {
		t.Errorf("left %q, want %q; error %v", left, want, err)
	}
	_, err = b.Stored(first)
	wantCode(t, err, 83)
	known, err := b.Known(newCharge(g, 1))
	if err != nil || *known != *first {
		t.Errorf("known %+v, error %v", known, err)
	}
	_, err = b.Again(first, newCharge(g, 1), digest("noisy"), false)
	wantCode(t, err, 83)
}

// TestPruneFaults: what cannot be listed or removed is an error, and not passed over.
func TestPruneFaults(t *testing.T) {
	b, path := newBook(t, newGrant())
	obstacle(t, path+".releases/run", false)
	wantPlain(t, b.Prune("run", 1), "not a directory")
	if err := os.Remove(path + ".releases/run"); err != nil {
		t.Fatal(err)
	}
	obstacle(t, path+".releases/run/000000001", true)
	wantPlain(t, b.Prune("run", 1), "not empty")
}

// TestStoredFaults: a stored release that cannot be read is neither gone nor another one: an operator may mend the disk
// and start again.
func TestStoredFaults(t *testing.T) {
	for about, spoil := range map[string]func(stored string){
		"is a directory":  func(stored string) { obstacle(t, stored, true) },
		"not a directory": func(stored string) { obstacle(t, filepath.Dir(stored), false) },
	} {
		b, path := newBook(t, newGrant())
		c := newCharge(newGrant(), 1)
		charge(t, b, c, "noisy")
		spoil(path + ".releases/run/000000001")
		file, err := b.Stored(c)
		wantPlain(t, err, about)
		if file != nil {
			t.Error("a file is given")
		}
	}
}

// TestSumFaults: a digest that cannot be read does not answer a rerun, nor allows it to draw.
func TestSumFaults(t *testing.T) {
	b, path := newBook(t, newGrant())
	c := newCharge(newGrant(), 1)
	charge(t, b, c, "noisy")
	obstacle(t, path+".releases/run/000000001.sum", true)
	same, err := b.Again(c, newCharge(newGrant(), 1), digest("noisy"), true)
	wantPlain(t, err, "is a directory")
	if same {
		t.Error("it is the same")
	}
}

// TestClosedStored: a stored release that is closed has no size and no content.
func TestClosedStored(t *testing.T) {
	b, _ := newBook(t, newGrant())
	c := newCharge(newGrant(), 1)
	charge(t, b, c, "noisy")
	file, err := b.Stored(c)
	if err != nil {
		t.Fatal(err)
	}
	if size, err := file.Size(); size != 5 || err != nil {
		t.Errorf("size %d, %v", size, err)
	}
	file.Close()
	size, err := file.Size()
	wantPlain(t, err, "closed")
	if size != 0 {
		t.Errorf("size %d", size)
	}
	_, err = io.ReadAll(file)
	wantPlain(t, err, "closed")
}

// TestOwnerFaults: a name that cannot be read or kept is not replaced by another, which would disown the claims.
func TestOwnerFaults(t *testing.T) {
	for about, spoil := range map[string]func(path string){
		"not a directory":   func(path string) { obstacle(t, path+".releases", false) },
		".owner: is a dir":  func(path string) { obstacle(t, path+".releases/.owner", true) },
		".owner.tmp: is a ": func(path string) { obstacle(t, path+".releases/.owner.tmp", true) },
	} {
		b, path := newBook(t, newGrant())
		spoil(path)
		owner, err := b.Owner()
		wantPlain(t, err, about)
		if owner != "" {
			t.Errorf("owner %q", owner)
		}
	}
	for name, content := range map[string]string{
		"empty": "", "cut": strings.Repeat("a", 32), "short": "aa\n", "text": strings.Repeat("z", 32) + "\n",
	} {
		b, path := newBook(t, newGrant())
		obstacle(t, path+".releases/.owner", false)
		if err := os.WriteFile(path+".releases/.owner", []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		owner, err := b.Owner()
		wantCode(t, err, 90)
		if left, err := os.ReadFile(path + ".releases/.owner"); owner != "" || err != nil || string(left) != content {
			t.Errorf("%s: owner %q, the file holds %q, %v", name, owner, left, err)
		}
	}
}

// TestSyncFolder: a folder that is not there is not synced.
func TestSyncFolder(t *testing.T) {
	if err := syncFolder(filepath.Join(t.TempDir(), "none", "file")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("error %v", err)
	}
}
