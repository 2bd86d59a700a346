package book

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"privpipe/pipelines/event"
	"privpipe/pipelines/testkit/crash"
)

// A process cannot see from inside when a file becomes durable: it reads back its own files with data that was never
// synced. So the tests below run this test binary as another process that uses a Book, and follow its system calls. A
// model of the disk (crash.Disk) says what a power cut would take back at each system call.

// child names the steps that the test binary does in place of testing, in its working folder.
const child = "BOOK_TEST_CHILD"

func TestMain(m *testing.M) {
	if name := os.Getenv(child); name != "" {
		if err := steps[name](); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// Names below the working folder of a child. The disk's account is of the folder wall.
const (
	wallName   = "wall"
	ledgerPath = wallName + "/ledger"
	storedName = ledgerPath + ".releases/run/"
	ownerPath  = ledgerPath + ".releases/" + ownerName
	marksName  = "marks"
)

// mark makes a file that tells who follows the calls that a step has returned.
func mark(step string) error { return os.WriteFile(filepath.Join(marksName, step), nil, 0o600) }

// begin begins a ledger, and leaves it to Open to make it durable: who did so may have been killed before.
func begin() error {
	if _, err := os.Stat(ledgerPath); err == nil {
		return nil
	}
	content, err := event.NewLedger(event.NewHead(), time.Now())
	if err != nil {
		return err
	}
	return os.WriteFile(ledgerPath, content, 0o644)
}

// steps are what a child may do.
var steps = map[string]func() error{
	"charges": func() error {
		g := newGrant()
		err := begin()
		if err != nil {
			return err
		}
		b, err := Open(ledgerPath, g)
		if err != nil {
			return err
		}
		defer b.Close()
		err = mark("opened")
		for round := 1; round <= 2 && err == nil; round++ {
			err = errors.Join(b.Charge(newCharge(g, round), writes("noisy")), mark(fmt.Sprint("charged ", round)))
		}
		return err
	},
	"owner": func() error {
		if err := begin(); err != nil {
			return err
		}
		b, err := Open(ledgerPath, nil)
		if err != nil {
			return err
		}
		defer b.Close()
		_, err = b.Owner()
		return errors.Join(err, mark("owned"))
	},
	"open": func() error {
		b, err := Open(ledgerPath, nil)
		if err != nil {
			return err
		}
		defer b.Close()
		return mark("opened")
	},
}

// A follower follows a child's calls.
type follower struct {
	t      *testing.T
	folder string
	disk   *crash.Disk
	lines  int      // writes to the ledger so far
	marks  []string // that were made so far

	// before is called before each write to the ledger, with how many there were, after at each mark.
	before func(f *follower, lines int)
	after  func(f *follower, step string)
	kill   func(s *crash.Stop) bool
}

func newFollower(t *testing.T) *follower {
	t.Helper()
	f := &follower{t: t, folder: t.TempDir()}
	for _, name := range []string{wallName, marksName} {
		if err := os.Mkdir(filepath.Join(f.folder, name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	f.account()
	return f
}

// account begins the account of the disk: all that is there is durable.
func (f *follower) account() {
	f.t.Helper()
	var err error
	if f.disk, err = crash.NewDisk(filepath.Join(f.folder, wallName)); err != nil {
		f.t.Fatal(err)
	}
}

// run runs a child and returns whether it was killed.
func (f *follower) run(name string) bool {
	f.t.Helper()
	program, err := os.Executable()
	if err != nil {
		f.t.Fatal(err)
	}
	end, err := crash.Run(crash.Program{
		Path: program, Dir: f.folder, Env: append(os.Environ(), child+"="+name), Deadline: time.Minute,
		Files: [3]*os.File{nil, nil, os.Stderr},
	}, f.visit)
	if errors.Is(err, errors.ErrUnsupported) {
		f.t.Skip(err)
	}
	if err != nil || !end.Killed && end.Status.ExitStatus() != 0 {
		f.t.Fatalf("exit code %d, error %v", end.Status.ExitStatus(), err)
	}
	return end.Killed
}

func (f *follower) visit(s *crash.Stop) (kill bool, err error) {
	if err := f.disk.Apply(s); err != nil {
		return false, err
	}
	if f.kill != nil && f.kill(s) {
		return true, nil
	}
	switch {
	case s.After:
	case s.Writes() && s.Path == filepath.Join(f.folder, ledgerPath):
		if f.before != nil {
			f.before(f, f.lines)
		}
		f.lines++
	case s.Name == "openat" && filepath.Dir(s.Path) == filepath.Join(f.folder, marksName):
		step := filepath.Base(s.Path)
		f.marks = append(f.marks, step)
		f.after(f, step)
	}
	return false, nil
}

// need says that a file must be there, and that a power cut now could take back neither what is in it nor its name.
func (f *follower) need(when, name string) {
	path := filepath.Join(f.folder, name)
	if _, err := os.Stat(path); err != nil {
		f.t.Errorf("%s: %v", when, err)
	}
	if volatile := f.disk.Volatile(path); len(volatile) > 0 {
		f.t.Errorf("%s: a power cut could undo %q", when, volatile)
	}
}

func (f *follower) needRelease(when string, round int) {
	name := fmt.Sprintf("%s%09d", storedName, round)
	f.need(when, name)
	f.need(when, name+".sum")
}

func (f *follower) want(marks ...string) {
	f.t.Helper()
	if !slices.Equal(f.marks, marks) {
		f.t.Errorf("the steps were %q, want %q", f.marks, marks)
	}
}

// TestChargeIsDurable: before the line of each charge is written, its release and the digest beside it are durable. So
// are their names and their folders' names. When Open, Enter and Charge return, so are the ledger and all of its lines.
func TestChargeIsDurable(t *testing.T) {
	f := newFollower(t)
	f.before = func(f *follower, lines int) {
		if lines == 0 {
			return // the head
		}
		// The line of the grant comes with the first charge.
		round := max(1, lines-1)
		f.needRelease(fmt.Sprintf("before line %d, of round %d", lines+1, round), round)
	}
	f.after = func(f *follower, step string) {
		f.need(step, ledgerPath)
		if round := 0; strings.HasPrefix(step, "charged") {
			fmt.Sscanf(step, "charged %d", &round)
			f.needRelease(step, round)
			if f.lines != 2+round {
				t.Errorf("%s: %d lines are written", step, f.lines)
			}
		}
	}
	f.run("charges")
	f.want("opened", "charged 1", "charged 2")
	if f.lines != 4 {
		t.Errorf("%d writes to the ledger, want those of the head, the grant and two charges", f.lines)
	}
}

// TestOwnerIsDurable: the name under which a ledger claims is durable before anybody hears it, also where an earlier
// process was killed before it synced the name.
func TestOwnerIsDurable(t *testing.T) {
	f := newFollower(t)
	f.after = func(f *follower, step string) { f.need(step, ownerPath) }
	f.run("owner")
	f.want("owned")

	f = newFollower(t)
	f.after = func(f *follower, step string) { f.need(step, ownerPath) }
	f.kill = func(s *crash.Stop) bool { // as soon as the name stands
		return s.After && strings.HasPrefix(s.Name, "rename") && s.Target == filepath.Join(f.folder, ownerPath)
	}
	if !f.run("owner") {
		t.Fatal("the first process was not killed")
	}
	f.kill = nil
	f.run("owner")
	f.want("owned")
}

// TestOpenMakesDurable: what Open believes and what it mends is durable when it returns. A process that was killed
// between a line's write and its sync leaves a line that a replay would stand on. A torn line is cut off for good. A
// newline that was missing is there.
func TestOpenMakesDurable(t *testing.T) {
	f := newFollower(t)
	f.after = func(*follower, string) {}
	f.kill = func(s *crash.Stop) bool { // before the sync of the first charge
		return !s.After && s.Name == "fsync" && s.Path == filepath.Join(f.folder, ledgerPath) && f.lines == 3
	}
	if !f.run("charges") {
		t.Fatal("the first process was not killed")
	}
	if volatile := f.disk.Volatile(filepath.Join(f.folder, ledgerPath)); len(volatile) == 0 {
		t.Fatal("the ledger is durable before it was synced: this test sees nothing")
	}
	f.kill, f.marks = nil, nil
	f.after = func(f *follower, step string) { f.need(step, ledgerPath) }
	f.run("open")
	f.want("opened")

	whole, err := os.ReadFile(filepath.Join(f.folder, ledgerPath))
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string][]byte{
		"torn": append(slices.Clone(whole), whole[:20]...), "without its newline": whole[:len(whole)-1],
	} {
		t.Run(name, func(t *testing.T) {
			if err := os.WriteFile(filepath.Join(f.folder, ledgerPath), content, 0o600); err != nil {
				t.Fatal(err)
			}
			f.t, f.marks = t, nil
			f.account()
			changed := false
			f.kill = func(s *crash.Stop) bool {
				changed = changed || s.After && (s.Name == "ftruncate" || s.Writes()) &&
					s.Path == filepath.Join(f.folder, ledgerPath)
				return false
			}
			f.run("open")
			f.want("opened")
			if left, err := os.ReadFile(filepath.Join(f.folder, ledgerPath)); err != nil ||
				!slices.Equal(left, whole) || !changed {
				t.Errorf("left %q, error %v, changed %v: want the whole ledger", left, err, changed)
			}
		})
	}
}
