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
	scanned int      // number of bytes of rest that are scanned; no record ends in them, except the wide one
	wide    int      // number of bytes of the record at the beginning of rest, if it has ended and has too many fields; else 0
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
	l.csv = newScanner(byte(comma), byte(o.comment()))
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
		last := l.err == io.EOF && len(l.rest) > 0 // the last record, without a newline
		switch {
		case l.wide > 0:
			return l.takeWide(l.wide), nil
		case last && l.csv != nil && l.csv.isWide():
			return l.takeWide(len(l.rest)), nil
		case last:
			return l.take(len(l.rest)), nil
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

// lastEnd scans rest, up to the first record with too many fields, and returns the number of bytes that are whole records before it.
func (l *lines) lastEnd() (end int) {
	if l.csv == nil {
		if i := bytes.LastIndexByte(l.rest[l.scanned:], '\n'); i >= 0 {
			end = l.scanned + i + 1
		}
		l.scanned = len(l.rest)
		return end
	}
	for l.wide == 0 {
		n := l.csv.end(l.rest[l.scanned:])
		if n == 0 {
			l.scanned = len(l.rest)
			break
		}
		if l.scanned += n; l.csv.wide {
			l.wide = l.scanned - end
		} else {
			end = l.scanned
		}
	}
	return end
}

func (l *lines) take(n int) Chunk {
	chunk := Chunk{Name: l.name, Line: l.line, Content: l.rest[:n:n]}
	l.rest = bytes.Clone(l.rest[n:])
	l.scanned -= n
	l.line += bytes.Count(chunk.Content, []byte{'\n'})
	return chunk
}

// takeWide takes a record of n bytes that has too many fields, and leaves its content out.
func (l *lines) takeWide(n int) Chunk {
	chunk := l.take(n)
	if chunk.Fault = ErrTooWide; new(table).sizeOf(chunk.Content) > l.limit {
		chunk.Fault = ErrTooLong
	}
	chunk.Content, l.wide = nil, 0
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
	chunk := Chunk{Name: l.name, Line: l.line, Fault: ErrTooLong}
	if l.csv != nil && l.csv.comment != 0 && l.rest[0] == l.csv.comment {
		chunk.Fault = nil
	}
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
