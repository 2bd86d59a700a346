package source

import (
	"bytes"
	"fmt"
	"io"
	"slices"
)

// chunkBytes is the target size of a chunk: large enough that handing it to a worker costs little in comparison.
const chunkBytes = 1 << 20

// lines cuts a reader into chunks of whole records: lines, or records of CSV.
type lines struct {
	in      io.Reader
	name    string
	limit   int      // of a record, in bytes
	csv     *scanner // of CSV, else nil
	rest    []byte   // bytes read, but not yet returned
	scanned int      // number of bytes of rest that are scanned; no record ends in them
	line    int      // number of the first line of rest
	begun   bool     // a byte order mark would have been read by now
	err     error
}

// byteOrderMark begins the files of some Windows programs. A reader of JSON may ignore it (RFC 8259, §8.1). A reader of CSV must
// ignore it, because otherwise it becomes a part of the first column's name.
var byteOrderMark = []byte("\uFEFF")

func newLines(in io.Reader, name string, format Format, o *Options) *lines {
	l := &lines{in: in, name: name, limit: o.Limit, line: 1}
	comma := o.Delimiter
	switch {
	case format != CSV && format != TSV:
		return l
	case comma == 0 && format == CSV:
		comma = ','
	case comma == 0:
		comma = '\t'
	}
	l.csv = &scanner{comma: byte(comma)}
	return l
}

// next returns the next chunk: the bytes of one read, up to the end of the last record in them. So next does not wait for a slow
// pipe to fill a chunk.
func (l *lines) next() (Chunk, error) {
	for {
		if !l.begun && (len(l.rest) >= len(byteOrderMark) || l.err != nil) {
			l.rest, l.begun = bytes.TrimPrefix(l.rest, byteOrderMark), true
		}
		if l.begun {
			if end := l.lastEnd(); end > 0 {
				return l.take(end), nil
			}
		}
		if l.err == io.EOF && len(l.rest) > 0 {
			return l.take(len(l.rest)), nil // the last record, without a newline
		}
		if l.err != nil {
			if l.err != io.EOF {
				l.err = fmt.Errorf("%w (at line %d)", l.err, l.line)
			}
			return Chunk{}, l.err
		}
		if len(l.rest)-len("\r\n") > l.limit { // a line end does not count
			return l.skip(), nil
		}
		l.read()
	}
}

// end scans b, which follows the scanned bytes. It returns the number of bytes of b up to the end of the current record, or 0 if
// the record does not end in b.
func (l *lines) end(b []byte) int {
	if l.csv != nil {
		return l.csv.end(b)
	}
	return bytes.IndexByte(b, '\n') + 1
}

// lastEnd scans all of rest and returns the number of bytes that are whole records.
func (l *lines) lastEnd() (end int) {
	fresh := l.rest[l.scanned:]
	l.scanned = len(l.rest)
	if l.csv == nil {
		if i := bytes.LastIndexByte(fresh, '\n'); i >= 0 {
			end = len(l.rest) - len(fresh) + i + 1
		}
		return end
	}
	for n := l.csv.end(fresh); n > 0; n = l.csv.end(fresh) {
		fresh = fresh[n:]
		end = len(l.rest) - len(fresh)
	}
	return end
}

func (l *lines) take(n int) Chunk {
	chunk := Chunk{Name: l.name, Line: l.line, Content: l.rest[:n:n]}
	l.rest = bytes.Clone(l.rest[n:])
	l.scanned = len(l.rest)
	l.line += bytes.Count(chunk.Content, []byte{'\n'})
	return chunk
}

func (l *lines) read() {
	if cap(l.rest)-len(l.rest) < chunkBytes/16 { // the capacity of a pipe
		l.rest = slices.Grow(l.rest, max(chunkBytes, len(l.rest)))
	}
	have := len(l.rest)
	var n int
	n, l.err = l.in.Read(l.rest[have:cap(l.rest)])
	l.rest = l.rest[:have+n]
}

// skip discards the rest of the current record, which is too long, without holding it in memory.
func (l *lines) skip() Chunk {
	chunk := Chunk{Name: l.name, Line: l.line, TooLong: true}
	for {
		l.line += bytes.Count(l.rest, []byte{'\n'})
		l.rest, l.scanned = l.rest[:0], 0
		if l.err != nil {
			return chunk
		}
		l.read()
		if n := l.end(l.rest); n > 0 {
			l.line += bytes.Count(l.rest[:n], []byte{'\n'})
			l.rest = l.rest[n:]
			return chunk
		}
	}
}
