package stream_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"privpipe/pipelines/wire"
	"privpipe/pipelines/wire/stream"
)

// A document is written to a stream in memory, and read again. A stream that was cut ends in an error, not in io.EOF.
func Example() {
	compressor, err := stream.NewCompressor(stream.Fast)
	if err != nil {
		panic(err)
	}
	var content bytes.Buffer
	header := &wire.Header{
		Version: wire.Version, Kind: wire.Kind_DOCUMENTS, Side: wire.Side_PRIVATE, VocabularySize: 100,
	}
	out, err := stream.NewWriter(&content, header, compressor)
	if err != nil {
		panic(err)
	}
	// Word 7 once and word 8 twice: the first id, and then the difference of each id to the id before.
	document := &wire.Document{Id: "a", WordGaps: []uint32{7, 1}, Counts: []uint32{1, 2}}
	err = out.Write(&wire.Record{Body: &wire.Record_Document{Document: document}})
	if err := errors.Join(err, out.Close()); err != nil {
		panic(err)
	}

	for _, size := range []int{content.Len(), content.Len() - 1} {
		in, err := stream.NewReader(bytes.NewReader(content.Bytes()[:size]), "example")
		for err == nil {
			var record *wire.Record
			if record, err = in.Next(); err == nil {
				fmt.Println(record.GetDocument().Id, record.GetDocument().Counts)
			}
		}
		fmt.Println("whole:", err == io.EOF)
	}
	// Output:
	// a [1 2]
	// whole: true
	// a [1 2]
	// whole: false
}
