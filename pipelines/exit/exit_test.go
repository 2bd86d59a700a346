package exit_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"syscall"
	"testing"

	"privpipe/pipelines/event"
	"privpipe/pipelines/exit"
)

// failed is an error of the operating system, as package os returns it.
func failed(errno syscall.Errno) error { return &fs.PathError{Op: "write", Path: "x", Err: errno} }

func TestCode(t *testing.T) {
	refused := exit.Errorf(exit.Refused, "refused")
	_, notThere := os.Open(t.TempDir() + "/nowhere")
	for _, c := range []struct {
		err  error
		want int
	}{
		{nil, 0},
		{errors.New("plain"), 1},
		{refused, 83},
		{fmt.Errorf("round 1: %w", refused), 83},
		{errors.Join(errors.New("plain"), refused), 83},
		{&event.LedgerError{Err: errors.New("changed")}, 90},
		{notThere, 82},
		{failed(syscall.EACCES), 82},
		{failed(syscall.EISDIR), 82},
		{failed(syscall.ENOTDIR), 82},
		{failed(syscall.ENAMETOOLONG), 82},
		{failed(syscall.ENOSPC), 101},
		{failed(syscall.EDQUOT), 101},
		{failed(syscall.EIO), 101},
		{failed(syscall.EROFS), 101},
		{failed(syscall.EFBIG), 101},
		{failed(syscall.EMFILE), 101},
		{failed(syscall.ENFILE), 101},
		{failed(syscall.EINTR), 101},
		{failed(syscall.ENOMEM), 101},
		{failed(syscall.ENOLCK), 101},
		{failed(syscall.ESTALE), 101},
		{failed(syscall.ETIMEDOUT), 101},
		{failed(syscall.EPERM), 82},
		{failed(syscall.ELOOP), 82},
		{failed(syscall.ENXIO), 82},
		{failed(syscall.EPIPE), 141},
		{failed(syscall.EINVAL), 1},
		// What the program made of an error counts more than the error.
		{exit.Errorf(exit.Malformed, "cut short: %w", notThere), 90},
	} {
		if got := exit.Code(c.err); got != c.want {
			t.Errorf("%v: exit code %d, want %d", c.err, got, c.want)
		}
	}
}

func TestErrorf(t *testing.T) {
	cause := failed(syscall.EIO)
	err := exit.Errorf(exit.Unavailable, "ledger %s: %w", "x", cause).WithHint("free %d bytes", 8)
	if err.Error() != "ledger x: write x: input/output error" || !errors.Is(err, cause) {
		t.Errorf("message %q", err)
	}
	if got := exit.Hint(fmt.Errorf("run: %w", err)); got != "free 8 bytes" {
		t.Errorf("hint %q", got)
	}
	if got := exit.Hint(cause); got != "" {
		t.Errorf("hint %q of an error without one", got)
	}
}

// TestMeaning: --help must explain each code once, in order. 143 stands beside 130.
func TestMeaning(t *testing.T) {
	var codes []int
	for _, m := range exit.Meaning {
		codes = append(codes, m.Code)
		if m.Text == "" {
			t.Errorf("exit code %d is not explained", m.Code)
		}
	}
	// The table of design/cli.md, §3; 2 is the Go runtime's.
	if want := []int{0, 1, 80, 82, 83, 90, 91, 100, 101, 130, 141}; !slices.Equal(codes, want) {
		t.Errorf("codes %v, want %v", codes, want)
	}
}

// TestLasting: a new code must be given its place, so that no service manager restarts for ever what cannot heal.
func TestLasting(t *testing.T) {
	heals := []int{exit.Failure, exit.Unavailable}
	for _, m := range exit.Meaning {
		if m.Code == exit.OK || m.Code > 128 { // done, or ended from outside
			continue
		}
		if slices.Contains(heals, m.Code) == slices.Contains(exit.Lasting, m.Code) {
			t.Errorf("exit code %d must stand either in Lasting or among those that a restart may heal", m.Code)
		}
	}
}
