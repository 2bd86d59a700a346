package endpoint_test

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"

	"privpipe/pipelines/endpoint"
	"privpipe/pipelines/exit"
	"privpipe/pipelines/testkit/broker"
	"privpipe/pipelines/wire"
)

// TestCheck: what can be opened for reading passes, and a FIFO without a writer is not waited for.
func TestCheck(t *testing.T) {
	folder := t.TempDir()
	file, waiting := write(t, folder, "file", nil), fifo(t)
	fake := broker.Fake(t, map[string]int{"rounds.private": 3})
	for _, c := range []struct {
		names []string
		code  int
	}{
		{nil, exit.OK},
		{[]string{""}, exit.OK},
		{[]string{file, folder, waiting, os.DevNull, topic(fake.Address, "rounds.private")}, exit.OK},
		{[]string{file, filepath.Join(folder, "nowhere")}, exit.Missing},
		{[]string{waiting, filepath.Join(file, "below")}, exit.Missing},
		{[]string{"https://example.com/docs.pp"}, exit.Usage},
		{[]string{"kafka://broker/"}, exit.Usage},
		{[]string{topic(fake.Address, "nowhere.private")}, exit.Missing},
	} {
		err := endpoint.Check(t.Context(), c.names...)
		if exit.Code(err) != c.code {
			t.Errorf("%q: exit code %d, want %d: %v", c.names, exit.Code(err), c.code, err)
		}
	}
}

func TestCheckUnreadable(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("root may read everything")
	}
	closed, waiting := write(t, t.TempDir(), "closed", nil), fifo(t)
	for _, name := range []string{closed, waiting} {
		if err := os.Chmod(name, 0); err != nil {
			t.Fatal(err)
		}
		wantCode(t, endpoint.Check(t.Context(), name), exit.Missing)
	}
}

// TestDryRun: of what can be read once only, nothing is read, and its writer is not told that a reader came.
func TestDryRun(t *testing.T) {
	path := fifo(t)
	dry := endpoint.With(t.Context(), endpoint.Options{DryRun: true})
	for range 2 {
		in, err := endpoint.Open(dry, path)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.ReadAll(in); err != endpoint.ErrUnread {
			t.Errorf("read of a FIFO: %v", err)
		}
		in.Close()
		if _, _, err := endpoint.OpenStream(dry, path, rounds); !errors.Is(err, endpoint.ErrUnread) {
			t.Errorf("stream of a FIFO: %v", err)
		}
		if err := endpoint.CheckStream(dry, path, rounds); !errors.Is(err, endpoint.ErrUnread) {
			t.Errorf("check of a FIFO: %v", err)
		}
	}
	came := make(chan *endpoint.Output, 1)
	go func() {
		out, err := endpoint.Create(t.Context(), path, wire.Side_PRIVATE)
		if err != nil {
			t.Error(err)
		}
		came <- out
	}()
	in, err := endpoint.Open(dry, path)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	select {
	case <-came:
		t.Error("the writer found a reader")
	case <-time.After(50 * time.Millisecond):
	}
	if in, err = endpoint.Open(t.Context(), path); err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	(<-came).Abort()

	file := filepath.Join(t.TempDir(), "rounds.pp")
	fill(t, file, roundsHeader("a"), threeRounds...)
	if err := endpoint.CheckStream(dry, file, rounds); err != nil {
		t.Errorf("a file is read: %v", err)
	}
	wantCode(t, endpoint.CheckStream(dry, file, endpoint.Wanted{Kinds: []wire.Kind{wire.Kind_DOCUMENTS}}),
		exit.Malformed)
	wantCode(t, endpoint.CheckStream(dry, file+".none", rounds), exit.Missing)
}
