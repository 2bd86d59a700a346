package endpoint_test

import (
	"context"
	"slices"
	"syscall"
	"testing"
	"time"

	"os"

	"privpipe/pipelines/endpoint"
	"privpipe/pipelines/wire"
)

// awaits waits until a run has these waits, and fails after a minute.
func awaits(ctx context.Context, t *testing.T, alone, others []string) {
	t.Helper()
	var a, o []string
	for began := time.Now(); time.Since(began) < time.Minute; time.Sleep(time.Millisecond) {
		if a, o = endpoint.Awaited(ctx, 0); slices.Equal(a, alone) && slices.Equal(o, others) {
			return
		}
	}
	t.Errorf("waits for %q alone and for %q, want %q and %q", a, o, alone, others)
}

// TestWaits: whoever waits for another program is known to, whether that program is there or not, until it has come.
func TestWaits(t *testing.T) {
	usual := endpoint.Options{Patience: endpoint.Usual, ReaderPatience: endpoint.Usual}
	ctx := endpoint.With(t.Context(), usual)
	awaits(ctx, t, nil, nil)
	path := fifo(t)
	_, content, failed := readAllOf(endpoint.With(ctx, usual), t, path)
	writer := "a program that opens the FIFO " + path + " to write, for at most 24h0m0s"
	awaits(ctx, t, []string{writer}, []string{"what is to come from " + path})
	out, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	awaits(ctx, t, nil, []string{"what is to come from " + path})
	out.Close()
	if got, err := <-content, <-failed; got != "" || err != nil {
		t.Errorf("%q, %v", got, err)
	}
	awaits(ctx, t, nil, nil)

	path = fifo(t)
	created := make(chan *endpoint.Output)
	go func() {
		out, err := endpoint.Create(ctx, path, wire.Side_PRIVATE)
		if err != nil {
			t.Error(err)
		}
		created <- out
	}()
	reader := "a program that opens the FIFO " + path + " to read, for at most 24h0m0s"
	if info, err := os.Stdin.Stat(); err == nil && info.Mode()&os.ModeNamedPipe == 0 { // else others may be at work
		awaits(ctx, t, []string{reader}, nil)
	}
	in, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	full := <-created
	awaits(ctx, t, nil, nil)
	go func() { // until nobody reads any more
		for err := error(nil); err == nil; {
			_, err = full.Write(make([]byte, 1<<16))
		}
		full.Abort()
	}()
	awaits(ctx, t, nil, []string{"the reader of " + path})
	awaits(endpoint.With(t.Context(), usual), t, nil, nil) // another run
	in.Close()
	awaits(ctx, t, nil, nil)

	if alone, others := endpoint.Awaited(ctx, time.Hour); len(alone)+len(others) > 0 {
		t.Errorf("%q and %q last an hour", alone, others)
	}
}
