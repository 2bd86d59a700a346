package source

import (
	"bytes"
	"fmt"
	"io"

	"privpipe/pipelines/exit"
)

// chunkBytes is the target size of each chunk. At this size, handing a chunk to a worker costs little in comparison.
const chunkBytes = 1 << 20

// lines cuts a reader into chunks of whole records: lines, CSV records, JSON values or mails.
type lines struct {
	in      io.Reader
	name    string
	format  Format
	limit   int // largest size of each record, in bytes
	quote   Quote
	comma   Delimiter // between the fields of a table
	comment byte      // begins a comment; 0: none
	csv     *scanner  // for a table with quotes, else nil
	values  *values   // for JSON that does not have one value per line, else nil
	later   bool      // a value came before rest
	closed  bool      // the array of values was closed before rest
	mails   *mails    // for mail, else nil
	rest    []byte    // bytes read, but not yet returned
	scanned int       // bytes of rest that are scanned; no record ends in them, except the faulty one
	faulty  int       // size of the first record in rest, if it has ended and is wide or broken; else 0
	line    int       // number of the first line in rest
	begun   bool      // the first bytes have been looked at
	cr      bool      // a CR that was read is not yet in rest
	err     error
}

// byteOrderMark begins the files of some Windows programs. A reader of JSON may ignore it (RFC 8259, §8.1). A reader of
// CSV must ignore it, because otherwise it becomes a part of the first column's name.
var byteOrderMark = []byte("\uFEFF")

func newLines(in io.Reader, name string, format Format, o *Options) *lines {
	l := &lines{
		in: in, name: name, format: format, limit: o.Limit, line: 1,
		quote: o.quote(format), comma: o.Delimiter, comment: byte(o.comment()),
	}
	switch format {
	case CSV, TSV:
		if l.comma == 0 {
			l.comma = map[Format]Delimiter{CSV: ',', TSV: '\t'}[format]
		}
		if l.quote != QuoteNone {
			l.csv = newScanner(byte(l.comma), l.comment)
		}
	case Mail:
		l.mails = new(mails)
	}
	return l
}

// isTable says whether the first record names the columns of the others.
func (l *lines) isTable() bool { return l.format == CSV || l.format == TSV }

// next returns the next chunk: the bytes from one read, up to the end of the last record in them. So next does not wait
// until a slow pipe fills a chunk.
func (l *lines) next() (Chunk, error) {
	for {
		if !l.begun && (l.err != nil || l.hasHead()) {
			if err := l.begin(); err != nil {
				l.rest, l.err = nil, err
			}
		}
		if l.begun {
			if end := l.lastEnd(); end > 0 {
				return l.take(end), nil
			}
		}
		last := l.err == io.EOF && len(l.rest) > 0 // the last record, without a newline
		switch {
		case l.faulty > 0:
			return l.takeFaulty(l.faulty), nil
		case last && l.csv != nil && (l.csv.isWide() || l.csv.isOpen()):
			l.csv.wide, l.csv.broken = l.csv.isWide(), l.csv.isOpen()
			return l.takeFaulty(len(l.rest)), nil
		case last:
			return l.take(len(l.rest)), nil
		}
		if l.err != nil {
			if l.err != io.EOF && l.begun {
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

// hasHead says whether the first line was read, or enough of it.
func (l *lines) hasHead() bool {
	return len(l.rest) > max(min(l.limit, headBytes), len(byteOrderMark)) ||
		bytes.IndexByte(bytes.TrimLeft(l.rest, space), '\n') >= 0
}

// begin looks at the first bytes. It handles a byte order mark and Excel's line with the delimiter, and checks the
// format.
func (l *lines) begin() error {
	l.begun = true
	l.rest = bytes.TrimPrefix(l.rest, byteOrderMark)
	if comma, n := separator(l.rest); l.isTable() && n > 0 {
		if l.csv != nil && l.comma == ',' {
			l.csv.comma = byte(comma)
		}
		if l.comma == ',' {
			l.comma = comma
		}
		l.rest = l.rest[n:]
		l.line++
	}
	if other := otherFormat(l.rest, l.format); other != nil {
		l.begun = false
		err := other.refuse()
		return exit.Errorf(exit.Malformed, "%s: %w", l.name, err).WithHint("%s", err.Hint)
	}
	if l.format == JSONLines {
		l.values = valuesOf(l.rest)
	}
	if l.values != nil && l.values.array {
		i := bytes.IndexByte(l.rest, '[')
		l.line += bytes.Count(l.rest[:i], []byte{'\n'})
		l.rest = l.rest[i+1:]
	}
	if l.mails != nil {
		l.mails.box = isBox(l.rest)
	}
	return nil
}

// end scans b, which follows the scanned bytes. It returns how many bytes of b belong to the current record, or 0 if
// the record does not end in b.
func (l *lines) end(b []byte) int {
	switch {
	case l.csv != nil:
		return l.csv.end(b)
	case l.values != nil:
		return l.values.end(b)
	case l.mails != nil:
		return l.mails.end(b)
	}
	return bytes.IndexByte(b, '\n') + 1
}

// lastEnd scans rest up to the first faulty record. It returns the total size of the whole records before that.
func (l *lines) lastEnd() (end int) {
	scanned := l.scanned
	switch {
	case l.csv != nil || l.values != nil:
	case l.mails != nil:
		l.scanned = len(l.rest)
		return l.mails.lastEnd(l.rest, scanned)
	default:
		l.scanned = len(l.rest)
		if i := bytes.LastIndexByte(l.rest[scanned:], '\n'); i >= 0 {
			end = scanned + i + 1
		}
		return end
	}
	for l.faulty == 0 {
		n := l.end(l.rest[l.scanned:])
		if n == 0 {
			l.scanned = len(l.rest)
			break
		}
		if l.scanned += n; l.csv != nil && (l.csv.wide || l.csv.broken) {
			l.faulty = l.scanned - end
		} else {
			end = l.scanned
		}
	}
	return end
}

func (l *lines) take(n int) Chunk {
	chunk := Chunk{Name: l.name, Line: l.line, Content: l.rest[:n:n]}
	if l.values != nil {
		chunk.values = &values{array: l.values.array, first: !l.later, closed: l.closed}
		l.later, l.closed = true, l.values.closed
	}
	l.rest = l.rest[n:] // not a copy: the rest of the array is for the next reads
	l.scanned -= n
	l.line += bytes.Count(chunk.Content, []byte{'\n'})
	return chunk
}

// takeFaulty takes a record of n bytes that has too many fields or is broken. It leaves out the content.
func (l *lines) takeFaulty(n int) Chunk {
	chunk := l.take(n)
	switch {
	case l.csv.broken:
		chunk.Fault = ErrQuote
		chunk.Line += l.csv.opened
	case new(table).sizeOf(chunk.Content) > l.limit:
		chunk.Fault = ErrTooLong
	default:
		chunk.Fault = ErrTooWide
	}
	chunk.Content, l.faulty = nil, 0
	return chunk
}

// read reads once. A CR without an LF after it becomes an LF, since old Macs and Excel for the Mac write such files.
func (l *lines) read() {
	if cap(l.rest)-len(l.rest) < chunkBytes/16 { // the usual capacity of pipes
		// Not slices.Grow, which writes zeros: a short input needs few pages of new memory.
		l.rest = append(make([]byte, 0, len(l.rest)+max(chunkBytes, len(l.rest))), l.rest...)
	}
	have := len(l.rest)
	b := l.rest[have:cap(l.rest)]
	kept := 0
	if l.cr {
		b[0], kept = '\r', 1
	}
	var n int
	n, l.err = l.in.Read(b[kept:])
	b = b[:kept+n]
	l.cr = len(b) > 0 && b[len(b)-1] == '\r' && l.err == nil
	if l.cr {
		b = b[:len(b)-1]
	}
	lineEnds(b)
	l.rest = l.rest[:have+len(b)]
}

// lineEnds replaces each CR without an LF after it by an LF.
func lineEnds(b []byte) {
	for at := 0; ; at++ {
		i := bytes.IndexByte(b[at:], '\r')
		if i < 0 {
			return
		}
		if at += i; at+1 == len(b) || b[at+1] != '\n' {
			b[at] = '\n'
		}
	}
}

// skip discards the rest of the current record, which is too long, without holding it in memory. A broken record gets
// another fault than ErrTooLong: it may have swallowed the records after it.
func (l *lines) skip() Chunk {
	chunk := Chunk{Name: l.name, Line: l.line, Fault: ErrTooLong}
	if l.comment != 0 && l.rest[0] == l.comment {
		chunk.Fault = nil
	}
	l.later = true
	after, blank := l.closed, true // white space may follow an array, however long it is, and nothing else
	drop := func(n int) {
		l.line += bytes.Count(l.rest[:n], []byte{'\n'})
		blank = blank && len(bytes.TrimSpace(l.rest[:n])) == 0
		l.rest = append(l.rest[:0], l.rest[n:]...)
	}
	ended := false // the input, before the record did
	for n := 0; n == 0; {
		keep := 0
		if l.mails != nil && l.err == nil {
			keep = min(len(l.rest), mostFromLine)
		}
		drop(len(l.rest) - keep)
		l.scanned = 0
		if ended = l.err != nil; ended {
			break
		}
		l.read()
		n = l.end(l.rest)
		drop(n)
	}
	switch {
	case after && blank:
		chunk.Fault = nil
	case after:
		chunk.Fault = errAfter
	case l.csv != nil && (!ended && l.csv.broken || ended && l.csv.isOpen()):
		chunk.Fault, chunk.Line = ErrQuote, chunk.Line+l.csv.opened
	case l.values != nil && ended:
		chunk.Fault = l.values.open()
	}
	if l.values != nil && !ended {
		l.closed = l.closed || l.values.closed
	}
	return chunk
}
