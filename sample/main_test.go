package main

import (
	"bytes"
	"fmt"
	"testing"

	"privpipe/pipelines/testkit/script"
	"privpipe/pipelines/wire"
)

func TestMain(m *testing.M) { script.Main(m, map[string]func(){"sample": main}) }

// encoded returns the stream of documents, and how long it is before its last frame.
func encoded(h *wire.Header, documents []*wire.Document) (b []byte, end int) {
	records := make([]*wire.Record, len(documents))
	for i, d := range documents {
		records[i] = &wire.Record{Body: &wire.Record_Document{Document: d}}
	}
	return script.Stream(h, records...)
}

// header is that of a stream of documents over a vocabulary of v words.
func header(v uint32) *wire.Header {
	return &wire.Header{
		Version: wire.Version, Kind: wire.Kind_DOCUMENTS, Side: wire.Side_PRIVATE,
		Vocabulary: bytes.Repeat([]byte{byte(v)}, 32), VocabularySize: v,
	}
}

// TestScripts runs the scripts with these streams of documents beside them.
func TestScripts(t *testing.T) {
	numbered := func(from, to int) (documents []*wire.Document) {
		for i := from; i < to; i++ {
			id := fmt.Sprintf("d%d", i+i/10) // d10 is missing and others are: these numbers are no positions
			d := &wire.Document{Id: id, WordGaps: []uint32{uint32(i % 7)}, Counts: []uint32{1}}
			documents = append(documents, d)
		}
		return documents
	}
	var users, large []*wire.Document
	for i := range 30 { // of ann, bob and cyd
		users = append(users, &wire.Document{Id: fmt.Sprint("d", i), User: []string{"ann", "bob", "cyd"}[i%3]})
	}
	for i := range 12 { // more than two pieces of 4 MiB, of which a corpus is kept
		d := &wire.Document{Id: fmt.Sprint("large", i), WordGaps: make([]uint32, 400_000),
			Counts: make([]uint32, 400_000)}
		for j := range d.Counts {
			d.WordGaps[j], d.Counts[j] = 1, 1+uint32(i)
		}
		large = append(large, d)
	}
	marked := []*wire.Document{{Id: "a"}, {Id: "MARKER", User: "MARKER"}, {Id: "b"}}
	positions, mixed := make([]*wire.Document, 40), make([]*wire.Document, 0, 120)
	for i := range positions {
		positions[i] = &wire.Document{Id: fmt.Sprint("MARKER-", i+1)}
	}
	for i := range 40 { // users u0, u1, … of two documents, between documents of nobody
		mixed = append(mixed, &wire.Document{Id: fmt.Sprintf("%x", i*i), User: fmt.Sprint("MARKER-", i)},
			&wire.Document{Id: fmt.Sprintf("%x-2", i*i), User: fmt.Sprint("MARKER-", i*7%40)},
			&wire.Document{Id: fmt.Sprintf("n%d", i*i)})
	}
	files := make(map[string][]byte)
	for name, documents := range map[string][]*wire.Document{
		"three.pp": numbered(0, 3), "fourth.pp": numbered(3, 4), "many.pp": numbered(0, 2000), "none.pp": nil,
		"one-document.pp": numbered(0, 1),
		"front.pp":        numbered(0, 1000), "back.pp": numbered(1000, 2000), "extra.pp": {{Id: "extra"}},
		"positions.pp": positions, "first20.pp": positions[:20], "last20.pp": positions[20:], "few.pp": positions[:31],
		"numbered-users.pp": mixed, "users.pp": users, "marked.pp": marked,
		"twice.pp": append(marked, &wire.Document{Id: "MARKER"}),
	} {
		files[name], _ = encoded(header(10), documents)
	}
	files["large.pp"], _ = encoded(header(1<<20), large)
	// the same hash with another size: sample copies documents and does not check their words again
	longer := header(10)
	longer.VocabularySize = 20
	files["longer.pp"], _ = encoded(longer, []*wire.Document{{Id: "l", WordGaps: []uint32{15}, Counts: []uint32{1}}})
	// Documents that were cut into words by another rule: the same names here, which then have other coins all the
	// same.
	ruled := header(10)
	ruled.Settings = make([]byte, 32)
	files["ruled.pp"], _ = encoded(ruled, numbered(0, 2000))
	public, real, old := header(10), header(10), header(10)
	public.Side, real.Values, old.Version = wire.Side_PUBLIC, true, 1
	files["public.pp"], _ = encoded(public, numbered(3, 6))
	files["public-positions.pp"], _ = encoded(public, positions)
	files["old.pp"], _ = encoded(old, numbered(6, 9))
	files["real.pp"], _ = encoded(real,
		[]*wire.Document{{Id: "r", WordGaps: []uint32{2, 3}, Values: []byte{0, 0, 0x80, 0x3f, 0, 0, 0, 0x40}}})
	files["other.pp"], _ = encoded(header(11), numbered(5, 6))
	_, end := encoded(header(10), numbered(0, 2000))
	files["cut.pp"] = files["many.pp"][:end]
	files["nothing"] = nil
	script.Run(t, files)
}
