package book

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"privpipe/pipelines/event"
)

// asNobody runs do without the rights of a superuser. The right to files is one of the thread. A thread that kept its
// goroutine to the end is not used again.
func asNobody(t *testing.T, do func()) {
	t.Helper()
	done := make(chan syscall.Errno)
	go func() {
		runtime.LockOSThread()
		_, _, errno := syscall.RawSyscall(syscall.SYS_SETFSUID, nobody, 0, 0)
		do()
		done <- errno
	}()
	if errno := <-done; errno != 0 {
		t.Fatal(errno)
	}
}

const nobody = 65534

// forNobody opens a ledger. Its folder of releases is nobody's, if a superuser tests.
func forNobody(t *testing.T) (b *Book, path string) {
	t.Helper()
	if os.Getuid() != 0 {
		return newBook(t, newGrant())
	}
	t.Setenv("TMPDIR", "/tmp") // the tests' own folder may be closed to others
	b, path = newBook(t, newGrant())
	for _, folder := range []string{filepath.Dir(path), filepath.Dir(filepath.Dir(path))} {
		if err := os.Chmod(folder, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, folder := range []string{path + ".releases", path + ".releases/run"} {
		if err := errors.Join(os.Mkdir(folder, 0o700), os.Chown(folder, nobody, -1)); err != nil {
			t.Fatal(err)
		}
	}
	return b, path
}

// TestFolderThatCannotBeSynced: files may be made in a folder that nobody may read, and then their names cannot be made
// durable. Nothing is charged.
func TestFolderThatCannotBeSynced(t *testing.T) {
	b, path := forNobody(t)
	folder := path + ".releases/run"
	if err := errors.Join(os.MkdirAll(folder, 0o700), os.Chmod(folder, 0o300)); err != nil {
		t.Fatal(err)
	}
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	asNobody(t, func() { err = b.Charge(newCharge(newGrant(), 1), writes("noisy")) })
	wantPlain(t, err, "permission denied")
	if after, err := os.ReadFile(path); err != nil || string(after) != string(before) {
		t.Errorf("the ledger changed (%v)", err)
	}
	if err := os.Chmod(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(folder + "/000000001.sum"); err != nil {
		t.Errorf("the fault came before the folders were synced: %v", err)
	}
}

// TestLedgerOfAnotherOwner: whoever may write a ledger and does not own it charges. The file's time is then the
// system's.
func TestLedgerOfAnotherOwner(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only a superuser makes a file of another owner")
	}
	b, path := forNobody(t)
	var err error
	asNobody(t, func() { err = b.Charge(newCharge(newGrant(), 1), writes("noisy")) })
	if err != nil {
		t.Fatal(err)
	}
	b.Close()
	opensWith(t, path, 1)
}

// TestLineThatCannotBeSynced: a line that was written and cannot be made durable is no charge. A pipe takes lines and
// has no sync.
func TestLineThatCannotBeSynced(t *testing.T) {
	b, path := newBook(t, newGrant())
	pipe := path + ".pipe"
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	file, err := os.OpenFile(pipe, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	b.file.Close()
	b.path, b.file, b.size, b.entering = pipe, file, 0, nil
	last := b.tally.LastHash()
	line := b.tally.Next(b.Now())
	line.Type, line.Grant = event.TypeGrant, newGrant()
	wantPlain(t, b.append(line), "sync")
	if b.tally.LastHash() != last {
		t.Error("the line counts")
	}
}

// endsIn runs a step of another process on a ledger, and checks its exit code and what it says.
func endsIn(t *testing.T, step, ledger string, code int, about string) {
	t.Helper()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	command := exec.Command(program)
	command.Env = append(os.Environ(), child+"="+step, faultyLedger+"="+ledger)
	says, err := command.CombinedOutput()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != code || !strings.Contains(string(says), about) {
		t.Fatalf("error %v, want one of exit code %d about %q:\n%s", err, code, about, says)
	}
}

// faultyLedger names the ledger of a step below.
const faultyLedger = "BOOK_TEST_LEDGER"

// charges opens the ledger and charges a release that write writes.
func charges(write func(io.Writer) ([sha256.Size]byte, error)) error {
	b, err := Open(os.Getenv(faultyLedger), newGrant())
	if err != nil {
		return err
	}
	return b.Charge(newCharge(newGrant(), 1), write)
}

// limit sets a limit of the system on this process.
func limit(what int, at uint64) error {
	return syscall.Setrlimit(what, &syscall.Rlimit{Cur: at, Max: at})
}

func init() {
	for _, room := range []int64{1, 100, 900} {
		steps[fmt.Sprintf("has room for %d bytes", room)] = func() error {
			info, err := os.Stat(os.Getenv(faultyLedger))
			if err == nil {
				err = limit(syscall.RLIMIT_FSIZE, uint64(info.Size()+room))
			}
			if err != nil {
				return err
			}
			return charges(writes("noisy"))
		}
	}
	steps["exhausts memory"] = func() error {
		return charges(func(w io.Writer) (sum [sha256.Size]byte, err error) {
			_, err = w.Write(make([]byte, 1<<20))
			if err == nil {
				err = limit(syscall.RLIMIT_AS, 1<<20) // the process has more
			}
			if err == nil {
				_, err = w.Write(make([]byte, 1<<30))
			}
			return sum, err
		})
	}
}

// goesOn checks that the next process charges the round as its first release.
func goesOn(t *testing.T, path string) {
	t.Helper()
	b := opensWith(t, path, 0)
	charge(t, b, newCharge(newGrant(), 1), "other")
	b.Close()
	opensWith(t, path, 1)
	if left, err := filepath.Glob(path + ".releases/run/*.tmp"); err != nil || left != nil {
		t.Errorf("left %v", left)
	}
}

// TestLineThatDoesNotFit: a disk that is full in the middle of a line leaves a part of it. The charge fails. The next
// process cuts the part off.
func TestLineThatDoesNotFit(t *testing.T) {
	for _, room := range []int64{1, 100, 900} {
		b, path := newBook(t, newGrant())
		before, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		b.Close()
		endsIn(t, fmt.Sprintf("has room for %d bytes", room), path, 1, "file too large")
		if after, err := os.Stat(path); err != nil || after.Size() != before.Size()+room {
			t.Fatalf("the ledger has %d bytes, want %d and %d of a line", after.Size(), before.Size(), room)
		}
		goesOn(t, path)
	}
}

// TestMemoryExhausted: a process that the system gives no memory in the middle of a release ends, and has charged
// nothing. It holds no lock.
func TestMemoryExhausted(t *testing.T) {
	b, path := newBook(t, newGrant())
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	b.Close()
	endsIn(t, "exhausts memory", path, 2, "out of memory")
	if after, err := os.ReadFile(path); err != nil || string(after) != string(before) {
		t.Errorf("the ledger changed (%v)", err)
	}
	if _, err := os.Stat(path + ".releases/run/000000001"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("half a release has the name of a whole one: %v", err)
	}
	goesOn(t, path)
}
