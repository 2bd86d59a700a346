package endpoint_test

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"privpipe/pipelines/endpoint"
	"privpipe/pipelines/wire"
)

// TestPipesAreWide: a quarter of a megabyte waits in a FIFO, and on standard output, that nobody reads yet.
func TestPipesAreWide(t *testing.T) {
	const want = 256 << 10
	size := func(f *os.File) int {
		t.Helper()
		n, err := unix.FcntlInt(f.Fd(), unix.F_GETPIPE_SZ, 0)
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	probe, other, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer probe.Close()
	defer other.Close()
	if _, err := unix.FcntlInt(probe.Fd(), unix.F_SETPIPE_SZ, want); err != nil {
		t.Skipf("this user may not widen a pipe: %v", err)
	}

	fifo := filepath.Join(t.TempDir(), "fifo")
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	reader, err := os.OpenFile(fifo, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	create(t, fifo, wire.Side_PRIVATE)
	if got := size(reader); got < want {
		t.Errorf("%d bytes wait in a FIFO", got)
	}

	const wider = 2 * want
	if _, err := unix.FcntlInt(reader.Fd(), unix.F_SETPIPE_SZ, wider); err != nil {
		t.Fatal(err)
	}
	create(t, fifo, wire.Side_PRIVATE)
	if got := size(reader); got != wider {
		t.Errorf("a FIFO of %d bytes has %d now", wider, got)
	}

	in, stdout, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	defer stdout.Close()
	usual := os.Stdout
	os.Stdout = stdout
	_, err = endpoint.Create(t.Context(), "", wire.Side_PRIVATE)
	os.Stdout = usual
	if err != nil {
		t.Fatal(err)
	}
	if got := size(in); got < want {
		t.Errorf("%d bytes wait in standard output", got)
	}
}
