package source

import (
	"bytes"
	"context"
	"io"
	"iter"
	"sync/atomic"

	"privpipe/pipelines/endpoint"
	"privpipe/pipelines/endpoint/topic"
)

// messages returns the messages in a topic. Each message is one record, whatever its bytes are, even an object over
// several lines.
type messages struct {
	topic.Texts
	format Format // of each message
	read   *atomic.Int64
}

// ofMessages says whether an input is a topic of such messages. CSV has a head, so its messages are lines in one file.
func ofMessages(in input) bool {
	return endpoint.IsTopic(in.path) && (in.format == JSONLines || in.format == TextFile || in.format == Mail ||
		in.format == Avro || in.format == Protobuf)
}

func openMessages(ctx context.Context, in input, read *atomic.Int64) (*messages, error) {
	texts, _, err := endpoint.OpenTexts(ctx, in.path)
	return &messages{texts, in.format, read}, err
}

// next returns the next chunk: the messages that have come, and at least one.
func (m *messages) next() (Chunk, error) {
	chunk := Chunk{Line: 1, format: m.format}
	for size := 0; size < chunkBytes; {
		one, err := m.Message(len(chunk.messages) == 0)
		if len(chunk.messages) > 0 && (one == nil || err == io.EOF) {
			break // the next call returns io.EOF again
		}
		if err != nil {
			return Chunk{}, err
		}
		size += len(one.Content)
		chunk.messages = append(chunk.messages, one)
	}
	for _, one := range chunk.messages {
		m.read.Add(int64(len(one.Content)))
	}
	return chunk, nil
}

// each yields the records in messages, each with the message's number in the chunk, from 1. Tombstones, and messages
// that are only white space, are no records.
func (c Chunk) each(limit int) iter.Seq2[int, Row] {
	return func(yield func(int, Row) bool) {
		var parser flat
		for i, m := range c.messages {
			content := bytes.TrimPrefix(m.Content, byteOrderMark)
			row := Row{Err: ErrTooLong}
			switch {
			case len(content) > limit:
			case len(bytes.TrimSpace(content)) == 0:
				continue
			case c.format == Avro || c.format == Protobuf:
				if content, row.Err = c.options.described.value(m.Content); row.Err == nil {
					row = c.row(content, &parser)
				}
			case c.format == JSONLines:
				row = c.row(bytes.TrimSpace(content), &parser)
			default:
				row = c.row(content, &parser)
			}
			if row.Err == nil {
				row.Err = c.options.addAround(&row.Fields, m)
			}
			if !yield(i+1, row) {
				return
			}
		}
	}
}
