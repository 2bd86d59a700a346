package filter

import (
	"bytes"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"privpipe/pipelines/endpoint"
)

// TestWaitsAreTold: each lasting wait is told once, loudly where nobody is at the other end or somebody is silent for
// --stall-timeout, and again when it comes again.
func TestWaitsAreTold(t *testing.T) {
	var said bytes.Buffer
	common := &Common{Verbose: true, StallTimeout: time.Hour}
	ctx := endpoint.With(t.Context(), endpoint.Options{Patience: endpoint.Usual})
	r := &Run{Context: ctx, Log: newLogger("fake", common, &said), common: common}
	var told teller
	expect := func(want string) {
		t.Helper()
		told.tell(r, 0)
		if said.String() != want {
			t.Errorf("said %q, want %q", said.String(), want)
		}
		said.Reset()
	}
	expect("")
	ended := endpoint.Await(ctx, "the reader of x")
	expect("fake: waiting for the reader of x\n")
	expect("")
	common.StallTimeout = time.Nanosecond
	expect("fake: warning: waiting for the reader of x\n")
	expect("")
	ended()
	expect("")
	common.StallTimeout = 0
	defer endpoint.Await(ctx, "the reader of x")()
	expect("fake: waiting for the reader of x\n")

	path := filepath.Join(t.TempDir(), "fifo")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	in, err := endpoint.Open(ctx, path)
	if err != nil {
		t.Fatal(err)
	}
	go in.Read(make([]byte, 1))
	for alone := []string(nil); len(alone) == 0; time.Sleep(time.Millisecond) {
		alone, _ = endpoint.Awaited(ctx, 0)
	}
	told.tell(r, 0)
	want := "fake: warning: waiting for a program that opens the FIFO " + path + " to write, for at most 24h0m0s\n"
	if !bytes.Contains(said.Bytes(), []byte(want)) {
		t.Errorf("said %q, want %q", said.String(), want)
	}
	said.Reset()
	if told.tell(r, time.Hour); said.Len() > 0 {
		t.Errorf("said %q of waits that are not long", said.String())
	}
	in.Close()
	for alone := []string{""}; len(alone) > 0; time.Sleep(time.Millisecond) {
		alone, _ = endpoint.Awaited(ctx, 0)
	}
}
