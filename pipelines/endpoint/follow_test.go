package endpoint_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"privpipe/pipelines/endpoint"
	"privpipe/pipelines/exit"
	"privpipe/pipelines/testkit/broker"
	"privpipe/pipelines/wire"
)

// publicHeader is that of a stream of a matrix of two cells.
func publicHeader(kind wire.Kind, run string) *wire.Header {
	return &wire.Header{
		Version: wire.Version, Kind: kind, Side: wire.Side_PUBLIC, Run: run, VocabularySize: 2,
		Matrices: []*wire.Matrix{{Name: "a", Rows: 1, Columns: 2, Element: wire.Element_FLOAT32}},
	}
}

// parametersOf writes the parameters of rounds as one program does, with their end if that is wanted.
func parametersOf(t *testing.T, topic, run string, end bool, rounds ...uint32) {
	t.Helper()
	out, err := endpoint.CreateStream(t.Context(), topic, publicHeader(wire.Kind_PARAMETERS, run), "none")
	if err != nil {
		t.Fatal(err)
	}
	defer out.Abort()
	for _, round := range rounds {
		head := &wire.Record{Round: round, Body: &wire.Record_Parameters{Parameters: new(wire.Parameters)}}
		block := &wire.Record{Round: round, Body: &wire.Record_Block{Block: &wire.Block{Values: make([]byte, 8)}}}
		if err := errors.Join(out.Write(head), out.Flush(), out.Write(block), out.Flush()); err != nil {
			t.Fatal(err)
		}
	}
	if end {
		if err := out.Commit(); err != nil {
			t.Fatal(err)
		}
	}
}

func follow(t *testing.T, topic, run string) *endpoint.Follower {
	t.Helper()
	f, err := endpoint.Follow(t.Context(), topic, run)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

// TestFollow: a follower counts the latest whole round, even if older rounds come again after it.
func TestFollow(t *testing.T) {
	fake := broker.Fake(t, map[string]int{"p": 1})
	name := topic(fake.Address, "p")
	parametersOf(t, name, "r", false, 0, 1, 2, 3)
	parametersOf(t, name, "r", false, 1)
	f := follow(t, name, "r")
	if f.Reached(1) || !f.Reached(0) {
		t.Error("a round is there before anything was read")
	}
	if err := f.Wait(3); err != nil || !f.Reached(3) || f.Reached(4) {
		t.Errorf("round 3: %v", err)
	}
	done := make(chan error, 1)
	go func() { done <- f.Wait(5) }()
	parametersOf(t, name, "r", false, 2, 4)
	select {
	case err := <-done:
		t.Fatalf("round 5 is there after round 4, %v", err)
	case <-time.After(200 * time.Millisecond):
	}
	parametersOf(t, name, "r", false, 6) // round 5 was left out
	if err := <-done; err != nil {
		t.Error(err)
	}
	ctx, stop := context.WithCancelCause(t.Context())
	stopped, err := endpoint.Follow(ctx, name, "r")
	if err != nil {
		t.Fatal(err)
	}
	reason := errors.New("enough")
	time.AfterFunc(50*time.Millisecond, func() { stop(reason) })
	if err := stopped.Wait(7); !errors.Is(err, reason) {
		t.Errorf("stopped: %v", err)
	}
}

// TestFollowPart: a round is there when all its frames are.
func TestFollowPart(t *testing.T) {
	fake := broker.Fake(t, map[string]int{"p": 1})
	name, h := topic(fake.Address, "p"), publicHeader(wire.Kind_PARAMETERS, "r")
	const cells = 300_000 // of several frames and more than one request
	h.Matrices[0].Columns = cells
	out, err := endpoint.CreateStream(t.Context(), name, h, "none")
	if err != nil {
		t.Fatal(err)
	}
	defer out.Abort()
	block := func(i uint64) error {
		b := &wire.Block{Offset: i * cells / 4, Values: make([]byte, cells)}
		return errors.Join(out.Write(&wire.Record{Round: 1, Body: &wire.Record_Block{Block: b}}), out.Flush())
	}
	head := &wire.Record{Round: 1, Body: &wire.Record_Parameters{Parameters: new(wire.Parameters)}}
	if err := errors.Join(out.Write(head), block(0), block(1), block(2)); err != nil {
		t.Fatal(err)
	}
	for midway := false; !midway; time.Sleep(time.Millisecond) {
		tails, err := endpoint.Tails(t.Context(), name, h)
		if err != nil {
			t.Fatal(err)
		}
		midway = tails[0].Midway
	}
	f, done := follow(t, name, "r"), make(chan error, 1)
	go func() { done <- f.Wait(1) }()
	select {
	case err := <-done:
		t.Errorf("a round counts of which a part is there, %v", err)
	case <-time.After(200 * time.Millisecond):
	}
	if err := errors.Join(block(3), <-done); err != nil {
		t.Error(err)
	}
}

func TestFollowRefuses(t *testing.T) {
	fake := broker.Fake(t, map[string]int{"ended": 1, "kind": 1, "run": 1})
	parametersOf(t, topic(fake.Address, "ended"), "r", false, 1)
	parametersOf(t, topic(fake.Address, "ended"), "r", true, 0) // sent again
	parametersOf(t, topic(fake.Address, "run"), "s", false, 1)
	fill(t, topic(fake.Address, "kind"), publicHeader(wire.Kind_CHECKPOINT, "r"))
	for name, words := range map[string]string{"ended": "has ended at round 1",
		"kind": "must be of RELEASES or PARAMETERS", "run": `of run "s"`} {
		err := follow(t, topic(fake.Address, name), "r").Wait(2)
		if exit.Code(err) != exit.Malformed || !strings.Contains(err.Error(), words) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if f := follow(t, topic(fake.Address, "run"), ""); f.Wait(1) != nil {
		t.Error("any run is followed where none is named")
	}
}

// TestFollowMakes: with NewTopics the topic is there when it is followed.
func TestFollowMakes(t *testing.T) {
	fake := broker.Fake(t, nil)
	name := topic(fake.Address, "new")
	if _, err := endpoint.Follow(t.Context(), name, "r"); exit.Code(err) != exit.Missing {
		t.Errorf("%v", err)
	}
	f, err := endpoint.Follow(endpoint.With(t.Context(), endpoint.Options{NewTopics: 3}), name, "r")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if n := len(fake.PartitionInfos("new")); n != 1 {
		t.Errorf("%d partitions", n)
	}
}
