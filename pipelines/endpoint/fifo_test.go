package endpoint_test

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"privpipe/pipelines/endpoint"
	"privpipe/pipelines/exit"
	"privpipe/pipelines/wire"
)

func fifo(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "fifo")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// readAll opens a FIFO and reads it to its end in the background.
func readAll(t *testing.T, path string) (in *endpoint.Input, content <-chan string, failed <-chan error) {
	t.Helper()
	return readAllOf(t.Context(), t, path)
}

func readAllOf(ctx context.Context, t *testing.T, path string) (*endpoint.Input, <-chan string, <-chan error) {
	t.Helper()
	in, err := endpoint.Open(ctx, path)
	if err != nil {
		t.Fatal(err)
	}
	contents, errs := make(chan string, 1), make(chan error, 1)
	go func() {
		b, err := io.ReadAll(in)
		contents <- string(b)
		errs <- err
	}()
	return in, contents, errs
}

// TestFIFOCarriesAStream opens both ends in either order; the first waits for the second, which a plain file would not.
func TestFIFOCarriesAStream(t *testing.T) {
	send := func(path string) error {
		out, err := endpoint.Create(t.Context(), path, wire.Side_PRIVATE)
		if err != nil {
			return err
		}
		if !out.Pipe() {
			t.Error("a FIFO is not seen as a pipe")
		}
		for range 2 {
			if _, err := out.Write([]byte("record ")); err != nil {
				return err
			}
		}
		return out.Commit()
	}
	t.Run("reader first", func(t *testing.T) {
		path := fifo(t)
		_, content, failed := readAll(t, path)
		if err := send(path); err != nil {
			t.Error(err)
		}
		if got, err := <-content, <-failed; got != "record record " || err != nil {
			t.Errorf("got %q, %v", got, err)
		}
	})
	t.Run("writer first", func(t *testing.T) {
		path := fifo(t)
		sent := make(chan error, 1)
		go func() { sent <- send(path) }()
		_, content, failed := readAll(t, path)
		if err := <-sent; err != nil {
			t.Error(err)
		}
		if got, err := <-content, <-failed; got != "record record " || err != nil {
			t.Errorf("got %q, %v", got, err)
		}
	})
}

func TestFIFOWhoseWriterLeavesWithoutData(t *testing.T) {
	path := fifo(t)
	_, content, failed := readAll(t, path)
	out, err := endpoint.Create(t.Context(), path, wire.Side_PRIVATE)
	if err != nil {
		t.Fatal(err)
	}
	out.Abort()
	if got, err := <-content, <-failed; got != "" || err != nil {
		t.Errorf("got %q, %v, want the end of the input", got, err)
	}
}

// TestFIFOWhoseWriterNeverComes checks that the wait is ours, with an end: a plain open would stand in the kernel,
// where nothing but a writer ends it.
func TestFIFOWhoseWriterNeverComes(t *testing.T) {
	in, content, failed := readAll(t, fifo(t))
	in.Close()
	if got, err := <-content, <-failed; got != "" || !errors.Is(err, os.ErrClosed) {
		t.Errorf("closed: got %q, %v", got, err)
	}

	path := fifo(t)
	impatient := endpoint.With(t.Context(), endpoint.Options{Patience: 20 * time.Millisecond})
	_, content, failed = readAllOf(impatient, t, path)
	got, err := <-content, <-failed
	if wantCode(t, err, exit.Missing); got != "" || !strings.Contains(exit.Hint(err), path) {
		t.Errorf("waited: got %q, %v", got, err)
	}
}

func TestFIFOWhoseReaderNeverComes(t *testing.T) {
	path := fifo(t)
	ctx := endpoint.With(t.Context(), endpoint.Options{ReaderPatience: 20 * time.Millisecond})
	_, err := endpoint.Create(ctx, path, wire.Side_PUBLIC)
	if wantCode(t, err, exit.Missing); !strings.Contains(exit.Hint(err), path) {
		t.Errorf("the hint is %q", exit.Hint(err))
	}
}

func TestFIFOWhoseReaderIsGone(t *testing.T) {
	path := fifo(t)
	in, err := endpoint.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	out := create(t, path, wire.Side_PRIVATE)
	in.Close()
	_, err = out.Write([]byte("more"))
	wantCode(t, err, exit.ClosedOutput)
	if _, err := os.Stat(path); err != nil {
		t.Errorf("the FIFO is gone: %v", err)
	}
}
