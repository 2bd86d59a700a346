package script

import (
	"bytes"

	"privpipe/pipelines/wire"
	"privpipe/pipelines/wire/stream"
)

// Stream returns a stream for a script. end is the stream's length before its last frame, which holds the end record.
// Stream panics if the wire does not allow a record.
func Stream(h *wire.Header, records ...*wire.Record) (encoded []byte, end int) {
	check := func(err error) {
		if err != nil {
			panic(err)
		}
	}
	c, err := stream.NewCompressor(stream.Fast)
	check(err)
	var out bytes.Buffer
	w, err := stream.NewWriter(&out, h, c)
	check(err)
	for _, r := range records {
		check(w.Write(r))
	}
	check(w.Flush())
	end = out.Len()
	check(w.Close())
	return out.Bytes(), end
}
