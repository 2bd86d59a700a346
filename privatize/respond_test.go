package main

import (
	"privpipe/pipelines/testkit/script"
	"privpipe/pipelines/wire"
)

// documentStreams are streams of documents for the scripts, over 100 words if not said otherwise. Everything that is
// private of a document, but its words, has MARKER in it.
func documentStreams() map[string][]byte {
	document := func(id string, counts []uint32, words ...uint32) *wire.Record {
		return &wire.Record{Body: &wire.Record_Document{Document: &wire.Document{
			Id: "MARKER " + id, User: "MARKER user", Label: "MARKER label", WordGaps: wire.AppendGaps(nil, words),
			Counts: counts,
		}}}
	}
	header := func() *wire.Header {
		return &wire.Header{
			Version: wire.Version, Kind: wire.Kind_DOCUMENTS, Side: wire.Side_PRIVATE,
			Vocabulary: make([]byte, 32), VocabularySize: 100,
		}
	}
	files := make(map[string][]byte)
	add := func(name string, h *wire.Header, records ...*wire.Record) (end int) {
		files[name], end = script.Stream(h, records...)
		return end
	}
	three := []*wire.Record{
		document("a", []uint32{1, 5, 2, 2}, 1, 2, 50, 99), document("b", nil), document("c", []uint32{1}, 0),
	}
	end := add("three.pp", header(), three...)
	files["three-without-end.pp"] = files["three.pp"][:end]
	files["three-cut.pp"] = files["three.pp"][:end-9]
	add("three-other.pp", header(), three[0], three[1], document("c", []uint32{1}, 7))
	add("three-turned.pp", header(), three[2], three[1], three[0])
	add("four.pp", header(), append(three[:3:3], document("d", nil))...)
	add("twice-id.pp", header(), three[0], three[1], three[0])
	add("no-documents.pp", header())
	// The same three words of the first document have the largest counts.
	add("three-alike.pp", header(),
		document("x", []uint32{9, 9, 8, 9}, 2, 50, 98, 99), document("y", nil), document("z", []uint32{2}, 0))

	h := header()
	h.Run = "stream-run"
	add("three-named.pp", h, three...)
	h = header()
	h.Vocabulary[0]++
	add("three-words.pp", h, three...)
	h = header()
	h.VocabularySize = 0
	add("no-words.pp", h)
	h = header()
	h.VocabularySize = (wire.MaxRecord-5-64)/2 + 1 // a report of all of them could be larger than a record
	add("many-words.pp", h)
	return files
}
