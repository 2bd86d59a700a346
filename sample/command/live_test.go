package command

import (
	"errors"
	"path/filepath"
	"testing"
	"time"

	"privpipe/pipelines/endpoint"
	"privpipe/pipelines/exit"
	"privpipe/pipelines/testkit/broker"
	"privpipe/pipelines/wire"
	"privpipe/sample/internal/window"
)

// beginWindow leaves the state and the topic as a run leaves them that dies in window 1. The run has begun the window
// with the corpus's documents. It has opened its round in the first partitions, and closed it in some of them.
func beginWindow(t *testing.T, state, topic string, opened, closed int) {
	t.Helper()
	check := func(errs ...error) {
		t.Helper()
		if err := errors.Join(errs...); err != nil {
			t.Fatal(err)
		}
	}
	c := corpusOf(t, wire.Unit_DOCUMENT, 100)
	plan := window.Plan{Start: time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC), Length: 700000 * time.Hour, Rounds: 3}
	s, err := window.Open(t.Context(), state, "", "document", nil, plan, time.Now())
	check(err, s.Begin(1, c.Keys(), nil), s.Close())
	h := header(10)
	h.Kind, h.Unit = wire.Kind_ROUNDS, wire.Unit_DOCUMENT
	outs, err := endpoint.CreateStreams(t.Context(), topic, h, "none")
	check(err)
	scheme := &wire.Scheme{Method: wire.Scheme_EPOCH, Rate: 1. / 3, Rounds: 3, Coins: s.Name()}
	for i, out := range outs {
		defer out.Abort()
		if i < opened {
			check(out.Write(&wire.Record{Round: 1,
				Body: &wire.Record_RoundOpen{RoundOpen: &wire.RoundOpen{Scheme: scheme}}}))
		}
		if i < closed {
			check(out.Write(&wire.Record{Round: 1, Body: &wire.Record_RoundClose{RoundClose: new(wire.RoundClose)}}))
		}
		check(out.Flush())
	}
}

// TestBegunWindowOfTopic: a round of which a topic may have a part is not left out where its documents do not all come
// again, since no reader would come past it. Read from further back it is written; and a topic that has it whole wants
// none of them.
func TestBegunWindowOfTopic(t *testing.T) {
	fake := broker.Fake(t, map[string]int{
		"none.private": 2, "part.private": 2, "some.private": 2, "whole.private": 2,
	})
	topic, folder := "kafka://"+fake.Address+"/", t.TempDir()
	fake.Broker().Create(t, "documents.private", 1, stamped)
	c := corpusOf(t, wire.Unit_DOCUMENT, 100)
	for i := range c.Documents() { // each a message, whose offset is its number
		writeDocuments(t, topic+"documents.private", c, i, i+1, false)
	}
	for name, c := range map[string]struct{ opened, closed, code int }{
		"none": {0, 0, exit.Malformed}, "part": {1, 0, exit.Malformed}, "some": {2, 1, exit.Malformed},
		"whole": {2, 2, exit.OK},
	} {
		state, out := filepath.Join(folder, name), topic+name+".private"
		beginWindow(t, state, out, c.opened, c.closed)
		args := []string{"--epoch", "--window", "700000h", "--rounds", "3", "--window-state", state}
		if code := run(t, append(args, "-o", out, topic+"documents.private?until=end&from=10")...); code != c.code {
			t.Errorf("%s: exit code %d, want %d", name, code, c.code)
		}
		if c.code == exit.OK {
			continue
		}
		if code := run(t, append(args, "-o", out,
			topic+"documents.private?until=end&from=oldest")...); code != exit.OK {
			t.Errorf("%s, from further back: exit code %d", name, code)
		}
		documents, closes := documentsOf(t, out)
		if len(documents) != 101 && name != "some" { // whose part was closed without them
			t.Errorf("%s: got %d records and %v, want a round of 100 documents", name, len(documents), closes)
		}
	}
	state := filepath.Join(folder, "file")
	beginWindow(t, state, topic+"none.private", 0, 0)
	args := []string{"--epoch", "--window", "700000h", "--rounds", "3", "--window-state", state,
		topic + "documents.private?until=end&from=10"}
	if code := run(t, append(args, "-o", filepath.Join(folder, "out"))...); code != exit.OK {
		t.Errorf("to a file: exit code %d", code)
	}
}
