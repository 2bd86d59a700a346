package endpoint_test

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"privpipe/pipelines/endpoint"
	transport "privpipe/pipelines/endpoint/topic"
	"privpipe/pipelines/exit"
	"privpipe/pipelines/testkit/broker"
	"privpipe/pipelines/wire"
)

func header(side wire.Side) *wire.Header {
	return &wire.Header{Version: wire.Version, Kind: wire.Kind_DOCUMENTS, Side: side, VocabularySize: 10}
}

// document is large enough to be worth compressing.
func document() *wire.Record {
	d := &wire.Document{Id: strings.Repeat("a", 1000), WordGaps: []uint32{3, 4}, Counts: []uint32{1, 2}}
	return &wire.Record{Body: &wire.Record_Document{Document: d}}
}

func stream(t *testing.T, path string, side wire.Side, compression string) *endpoint.StreamWriter {
	t.Helper()
	w, err := endpoint.CreateStream(t.Context(), path, header(side), compression)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(w.Abort)
	if err := w.Write(document()); err != nil {
		t.Fatal(err)
	}
	return w
}

// TestValues: who does not ask for documents of real numbers gets none: to a reader of counts they would all be empty.
func TestValues(t *testing.T) {
	path := filepath.Join(t.TempDir(), "rows.pp")
	h := header(wire.Side_PRIVATE)
	h.Values = true
	w, err := endpoint.CreateStream(t.Context(), path, h, "none")
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Commit(); err != nil {
		t.Fatal(err)
	}
	for _, values := range []bool{false, true} {
		r, _, err := endpoint.OpenStream(t.Context(), path, endpoint.Wanted{Kinds: []wire.Kind{wire.Kind_DOCUMENTS},
			Values: values})
		if err == nil {
			r.Close()
		} else if exit.Code(err) != exit.Malformed {
			t.Errorf("exit code %d for %v", exit.Code(err), err)
		}
		if (err == nil) != values {
			t.Errorf("values wanted %v: %v", values, err)
		}
	}
}

// TestCompression reads what each choice writes, and checks that "auto" stores to a pipe and compresses to a file.
func TestCompression(t *testing.T) {
	id := []byte(document().GetDocument().Id)
	for compression, stored := range map[string]bool{"none": true, "fast": false, "best": false, "auto": false} {
		path := filepath.Join(t.TempDir(), "docs.pp")
		if err := stream(t, path, wire.Side_PRIVATE, compression).
			Commit(&wire.Tally{Name: "empty", Value: 1}); err != nil {
			t.Fatal(err)
		}
		r, h, err := endpoint.OpenStream(t.Context(), path, endpoint.Wanted{Kinds: []wire.Kind{wire.Kind_DOCUMENTS}})
		if err != nil {
			t.Fatal(err)
		}
		record, err := r.Next()
		if err != nil || record.GetDocument().GetId() != string(id) || h.Side != wire.Side_PRIVATE {
			t.Errorf("%s: got another record, %v", compression, err)
		}
		if _, err := r.Next(); err != io.EOF || r.Tally("empty") != 1 {
			t.Errorf("%s: got %v, tallies %v", compression, err, r.Tallies())
		}
		r.Close()
		if b, err := os.ReadFile(path); err != nil || bytes.Contains(b, id) != stored {
			t.Errorf("%s: stored as it is: %v, want %v (%v)", compression, !stored, stored, err)
		}
	}

	path := fifo(t)
	_, content, _ := readAll(t, path)
	if err := stream(t, path, wire.Side_PRIVATE, "auto").Commit(); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(<-content, string(id)) {
		t.Error("auto compresses to a pipe")
	}
}

// TestCompressionInTopics: "auto" stores in a topic what each round sends, and compresses what a topic keeps.
func TestCompressionInTopics(t *testing.T) {
	fake := broker.Fake(t, map[string]int{"s.private": 1, "r.private": 1, "c.private": 1, "releases": 1, "p": 1})
	run := strings.Repeat("a", 200) // every frame has it in its header
	for name, c := range map[string]struct {
		header *wire.Header
		stored bool
	}{
		"s.private": {header(wire.Side_PRIVATE), false},
		"r.private": {roundsHeader(""), true},
		"c.private": {contributionsHeader(0), true},
		"releases":  {publicHeader(wire.Kind_RELEASES, ""), false},
		"p":         {publicHeader(wire.Kind_PARAMETERS, ""), true},
	} {
		c.header.Run = run
		if c.header.Kind == wire.Kind_RELEASES {
			c.header.Unit, c.header.Matrices[0].Element = wire.Unit_DOCUMENT, wire.Element_INT64
		}
		for compression, stored := range map[string]bool{"auto": c.stored, "fast": false} {
			w, err := endpoint.CreateStream(t.Context(), topic(fake.Address, name), c.header, compression)
			if err != nil {
				t.Fatal(err)
			}
			if err := w.Commit(); err != nil {
				t.Fatal(err)
			}
			l, err := transport.Parse(topic(fake.Address, name))
			if err != nil {
				t.Fatal(err)
			}
			tails, err := transport.Of(l).Tails(t.Context(), l)
			if err != nil || bytes.Contains(tails[0].Frame, []byte(run)) != stored {
				t.Errorf("%s, %s: stored %v, want %v, %v", name, compression, !stored, stored, err)
			}
		}
	}
}

func TestUnwantedStreamsAreRefused(t *testing.T) {
	path := filepath.Join(t.TempDir(), "docs.pp")
	if err := stream(t, path, wire.Side_PRIVATE, "fast").Commit(); err != nil {
		t.Fatal(err)
	}
	documents := []wire.Kind{wire.Kind_DOCUMENTS}
	for _, c := range []struct {
		wanted  endpoint.Wanted
		code    int
		message string
	}{
		{endpoint.Wanted{Kinds: documents}, exit.OK, ""},
		{endpoint.Wanted{Kinds: documents, Side: wire.Side_PRIVATE}, exit.OK, ""},
		{endpoint.Wanted{Kinds: documents, Side: wire.Side_PUBLIC}, exit.Malformed, "outside the privacy wall"},
		{endpoint.Wanted{Kinds: []wire.Kind{wire.Kind_ROUNDS, wire.Kind_SCORES}}, exit.Malformed,
			"a stream of DOCUMENTS, must be of ROUNDS or SCORES"},
	} {
		r, _, err := endpoint.OpenStream(t.Context(), path, c.wanted)
		wantCode(t, err, c.code)
		if err == nil {
			r.Close()
		} else if !strings.Contains(err.Error(), path) || !strings.Contains(err.Error(), c.message) {
			t.Errorf("the error must name the stream and the rule: %v", err)
		}
	}
}

// TestStreamThatFailsLeavesNoFile covers the two ways: before the first record, and before the last.
func TestStreamThatFailsLeavesNoFile(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "docs.pp")
	_, err := endpoint.CreateStream(t.Context(), path, header(wire.Side_PRIVATE), "much")
	wantCode(t, err, exit.Usage)
	if _, err = endpoint.CreateStream(t.Context(), path, &wire.Header{}, "none"); err == nil {
		t.Error("a header that breaks the rules of the wire begins a stream")
	}
	stream(t, path, wire.Side_PRIVATE, "none").Abort()
	if left := contents(t, folder); left != nil {
		t.Errorf("left behind: %q", left)
	}
}

// TestStreamWithoutEndIsTruncated checks that a reader notices a writer that was stopped.
func TestStreamWithoutEndIsTruncated(t *testing.T) {
	path := fifo(t)
	_, content, _ := readAll(t, path)
	w := stream(t, path, wire.Side_PRIVATE, "none")
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	w.Abort()
	cut := write(t, t.TempDir(), "cut.pp", []byte(<-content))
	r, _, err := endpoint.OpenStream(t.Context(), cut, endpoint.Wanted{Kinds: []wire.Kind{wire.Kind_DOCUMENTS}})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if _, err := r.Next(); err != nil {
		t.Fatal(err)
	}
	_, err = r.Next()
	wantCode(t, err, exit.Malformed)
}
