package source

import (
	"bytes"
	"fmt"
	"io"
	"slices"
)

// chunkBytes is how much a chunk of lines aims at: enough to make up for handing it to a worker.
const chunkBytes = 1 << 20

// lines cuts a reader into chunks of whole lines.
type lines struct {
	in    io.Reader
	name  string
	limit int    // of a line, in bytes
	rest  []byte // read, and not yet given out
	plain int    // so many bytes of rest have no newline in them, for sure
	line  int    // number of the line that rest begins with
	begun bool   // past the place of a byte order mark
	err   error
}

// byteOrderMark begins the files of some Windows programs. A reader of JSON may ignore it (RFC 8259, §8.1).
var byteOrderMark = []byte("\uFEFF")

func newLines(in io.Reader, name string, limit int) *lines {
	return &lines{in: in, name: name, limit: limit, line: 1}
}

// next returns the next chunk: what one read gave, up to its last newline, so that a slow pipe is not waited for.
func (l *lines) next() (Chunk, error) {
	for {
		if !l.begun && len(l.rest) >= len(byteOrderMark) {
			l.rest, l.plain, l.begun = bytes.TrimPrefix(l.rest, byteOrderMark), 0, true
		}
		if i := bytes.LastIndexByte(l.rest[l.plain:], '\n'); i >= 0 {
			return l.take(l.plain + i + 1), nil
		}
		l.plain = len(l.rest)
		if l.err == io.EOF && len(l.rest) > 0 {
			return l.take(len(l.rest)), nil // the last line, without a newline
		}
		if l.err != nil {
			if l.err != io.EOF {
				l.err = fmt.Errorf("%w (at line %d)", l.err, l.line)
			}
			return Chunk{}, l.err
		}
		if len(l.rest)-len("\r") > l.limit { // a \r at its end may belong to the line's end
			return l.skipLine(), nil
		}
		l.read()
	}
}

func (l *lines) take(n int) Chunk {
	chunk := Chunk{Name: l.name, Line: l.line, Content: l.rest[:n:n]}
	l.rest, l.plain = bytes.Clone(l.rest[n:]), 0
	l.line += bytes.Count(chunk.Content, []byte{'\n'})
	return chunk
}

func (l *lines) read() {
	if cap(l.rest)-len(l.rest) < chunkBytes/16 { // what a pipe holds
		l.rest = slices.Grow(l.rest, max(chunkBytes, len(l.rest)))
	}
	have := len(l.rest)
	var n int
	n, l.err = l.in.Read(l.rest[have:cap(l.rest)])
	l.rest = l.rest[:have+n]
}

// skipLine drops the line under way, which is too long, without keeping it.
func (l *lines) skipLine() Chunk {
	chunk := Chunk{Name: l.name, Line: l.line, TooLong: true}
	for {
		if i := bytes.IndexByte(l.rest, '\n'); i >= 0 {
			l.rest, l.plain = l.rest[i+1:], 0
			l.line++
			return chunk
		}
		l.rest, l.plain = l.rest[:0], 0
		if l.err != nil {
			return chunk
		}
		l.read()
	}
}
