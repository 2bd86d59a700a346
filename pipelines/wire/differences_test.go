package wire_test

import (
	"testing"

	"google.golang.org/protobuf/proto"

	"privpipe/pipelines/wire"
)

// TestDifferences: each field of a header in which another differs is named, and no other.
func TestDifferences(t *testing.T) {
	header := &wire.Header{
		Version: 2, Kind: wire.Kind_CONTRIBUTIONS, Side: wire.Side_PRIVATE, Run: "a", Model: "lda",
		Unit:       wire.Unit_DOCUMENT,
		Vocabulary: []byte{1}, VocabularySize: 7, Settings: []byte{2},
		Matrices: []*wire.Matrix{{Name: "topics", Rows: 5, Columns: 7, Element: wire.Element_FLOAT32}},
	}
	for want, change := range map[string]func(*wire.Header){
		"":                                          func(*wire.Header) {},
		"version is 2, not 1":                       func(h *wire.Header) { h.Version = 1 },
		"kind is CONTRIBUTIONS, not SUMS":           func(h *wire.Header) { h.Kind = wire.Kind_SUMS },
		"side is PRIVATE, not PUBLIC":               func(h *wire.Header) { h.Side = wire.Side_PUBLIC },
		`run is "a", not ""`:                        func(h *wire.Header) { h.Run = "" },
		`model is "lda", not "words"`:               func(h *wire.Header) { h.Model = "words" },
		"unit is DOCUMENT, not USER":                func(h *wire.Header) { h.Unit = wire.Unit_USER },
		"unit is DOCUMENT, not 99":                  func(h *wire.Header) { h.Unit = 99 },
		"vocabulary is another":                     func(h *wire.Header) { h.Vocabulary = []byte{9} },
		"vocabulary size is 7, not 8":               func(h *wire.Header) { h.VocabularySize = 8 },
		"settings is another":                       func(h *wire.Header) { h.Settings = nil },
		"values is false, not true":                 func(h *wire.Header) { h.Values = true },
		"matrices are topics=5x7 FLOAT32, not none": func(h *wire.Header) { h.Matrices = nil },
		"matrices are topics=5x7 FLOAT32, not topics=5x7 FLOAT64 symmetric": func(h *wire.Header) {
			h.Matrices[0].Element, h.Matrices[0].Symmetric = wire.Element_FLOAT64, true
		},
		`run is "a", not "b"; matrices are topics=5x7 FLOAT32, not topics=6x7 FLOAT32`: func(h *wire.Header) {
			h.Run, h.Matrices[0].Rows = "b", 6
		},
	} {
		other := proto.CloneOf(header)
		change(other)
		if got := wire.Differences(header, other); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
