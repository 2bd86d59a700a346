package command

import (
	"bytes"
	"testing"

	_ "privpipe/pipelines/endpoint/kafka"
	"privpipe/pipelines/filter"
	"privpipe/pipelines/testkit/script"
	"privpipe/pipelines/wire"
)

// TestMain makes the test binary serve as the program, too.
func TestMain(m *testing.M) {
	script.Main(m, map[string]func(){"sample": func() { filter.Main(Program) }})
}

// header returns the header for documents over a vocabulary of v words.
func header(v uint32) *wire.Header {
	return &wire.Header{
		Version: wire.Version, Kind: wire.Kind_DOCUMENTS, Side: wire.Side_PRIVATE,
		Vocabulary: bytes.Repeat([]byte{byte(v)}, 32), VocabularySize: v,
	}
}
