package main

import (
	"crypto/sha256"
	"strconv"

	"privpipe/pipelines/testkit/script"
	"privpipe/pipelines/wire"
	"privpipe/pipelines/wire/stream"
)

// rowStreams are streams of rows for the scripts, over 2 features if not said otherwise. The ids have MARKER in them.
func rowStreams() map[string][]byte {
	row := func(i int, label string, x ...float32) *wire.Record {
		d := &wire.Document{Id: "MARKER " + strconv.Itoa(i), Label: label, Values: stream.AppendCells(nil, x)}
		for j := range x {
			d.WordGaps = append(d.WordGaps, uint32(min(j, 1)))
		}
		return &wire.Record{Body: &wire.Record_Document{Document: d}}
	}
	header := func() *wire.Header {
		return &wire.Header{
			Version: wire.Version, Kind: wire.Kind_DOCUMENTS, Side: wire.Side_PRIVATE, Values: true,
			Vocabulary: make([]byte, 32), VocabularySize: 2,
		}
	}
	files := make(map[string][]byte)
	add := func(name string, h *wire.Header, records ...*wire.Record) (end int) {
		files[name], end = script.Stream(h, records...)
		return end
	}
	// All have one feature of the two: objective.txtar has the minimiser.
	rows := []*wire.Record{row(1, "yes", 2), row(2, "yes", 2), row(3, "yes", 2), row(4, "no", 2)}
	end := add("rows.pp", header(), rows...)
	files["rows-cut.pp"] = files["rows.pp"][:end-3]
	files["rows-without-end.pp"] = files["rows.pp"][:end]
	add("rows-other.pp", header(), append(rows[:3:3], row(4, "yes", 2))...)
	add("rows-long.pp", header(), row(1, "yes", 6, 8), row(2, "yes", 6, 8), row(3, "yes", 6, 8), row(4, "no", 6, 8))
	add("rows-no-label.pp", header(), append(rows[:3:3], row(4, "", 2))...)
	add("rows-twice.pp", header(), append(rows[:3:3], rows[0])...)
	add("rows-none.pp", header())
	h := header()
	h.Run = "stream-run"
	add("rows-named.pp", h, rows...)
	h = header()
	h.Side = wire.Side_PUBLIC
	add("rows-public.pp", h, rows...)
	h = header()
	h.VocabularySize = 1<<13 + 1
	add("rows-wide.pp", h, rows...)
	h = header()
	sum := sha256.Sum256([]byte("age\nintercept\n"))
	h.Vocabulary = sum[:]
	add("rows-age.pp", h, rows...)
	h = header()
	h.Vocabulary[0]++
	add("rows-features.pp", h, rows...)
	return files
}
