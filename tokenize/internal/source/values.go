package source

import (
	"bytes"
	"cmp"
	"iter"
)

// values finds the end of each JSON value in a file that does not have one value per line. The values are an array's
// elements, or objects over several lines.
type values struct {
	// With array, an element ends before a comma or the array's closing bracket. Without, an object ends after its
	// closing brace.
	array   bool
	depth   int  // number of open brackets and braces, without the array's own
	text    bool // within a string
	escaped bool
	closed  bool // the array is closed
	first   bool // no value has ended yet
}

// end scans b, which follows the bytes scanned before. It returns how many bytes of b belong to the current value,
// including the comma or bracket after it. It returns 0 if the value does not end in b.
func (s *values) end(b []byte) int {
	for i, c := range b {
		switch {
		case s.escaped:
			s.escaped = false
		case s.text && c == '\\':
			s.escaped = true
		case c == '"':
			s.text = !s.text
		case s.text:
		case c == '[' || c == '{':
			s.depth++
		case (c == ']' || c == '}') && (s.depth > 0 || !s.array):
			if s.depth--; s.depth <= 0 && !s.array {
				s.depth = 0
				return i + 1
			}
		case s.array && c == ']':
			s.closed = true
			return i + 1
		case s.array && c == ',' && s.depth == 0:
			return i + 1
		}
	}
	return 0
}

// open is the fault if nothing closes a value.
func (s *values) open() error {
	if s.array {
		return errOpen
	}
	return errOpenObject
}

// jsonValues returns the values in a chunk, each with the number of its first line.
func (c Chunk) jsonValues(limit int) iter.Seq2[int, element] {
	return func(yield func(int, element) bool) {
		s, rest, number, closed := &values{array: c.values.array}, c.Content, c.Line, c.values.closed
		for first := c.values.first; len(rest) > 0; first = false {
			n := s.end(rest)
			value := rest[:cmp.Or(n, len(rest))]
			rest = rest[len(value):]
			content := value
			if c.values.array && n > 0 {
				content = value[:n-1]
			}
			e := element{content: bytes.TrimSpace(content)}
			begins := number + bytes.Count(content[:len(content)-len(bytes.TrimLeft(content, space))], []byte{'\n'})
			number += bytes.Count(value, []byte{'\n'})
			empty := len(e.content) == 0
			switch {
			case empty && n == 0 && (closed || !c.values.array), empty && s.closed && first && !closed:
				closed = closed || s.closed
				continue // the rest after the last value, or an empty array
			case closed:
				e.err = errAfter
			case n == 0 && (s.array || len(e.content) > limit):
				e.err = s.open()
			case len(e.content) > limit:
				e.err = ErrTooLong
			}
			closed, s.closed = closed || s.closed, false
			if !yield(begins, e) {
				return
			}
		}
	}
}

// hasSeveral says whether an object begins after a line's first object.
func hasSeveral(line []byte) bool {
	n := new(values).end(line)
	return n > 0 && bytes.HasPrefix(bytes.TrimLeft(line[n:], ","+space), []byte("{"))
}

// space is the white space of JSON (RFC 8259, section 2).
const space = " \t\r\n"

// valuesOf looks at a JSON file's first bytes. It returns values for an array, and for objects over several lines. Such
// an object begins with a brace on a line by itself. It returns nil for JSON Lines, which has one value per line.
func valuesOf(head []byte) *values {
	line, _, _ := bytes.Cut(bytes.TrimLeft(head, space), []byte("\n"))
	switch line = bytes.TrimRight(line, space); {
	case len(line) > 0 && line[0] == '[':
		return &values{array: true}
	case string(line) == "{":
		return new(values)
	}
	return nil
}
