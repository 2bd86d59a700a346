package testkit

import (
	"fmt"
	"unicode/utf8"
)

// A screen is a terminal's content. It knows the output that stages may send: text, line ends, the cursor's return
// to the beginning of its line, and the erasure from the cursor to the end of its line. Other output is a fault.
type screen struct {
	columns int
	lines   [][]rune // the cursor is in the last line
	column  int      // the cursor's column
	rest    []byte   // received bytes that are not a complete character or sequence yet
	shown   []string // see Shown
	faults  []string
}

const erase = "\x1b[K"

func (s *screen) write(b []byte) {
	s.rest = append(s.rest, b...)
	for len(s.rest) > 0 {
		n := s.take(s.rest)
		if n == 0 {
			return
		}
		s.rest = s.rest[n:]
	}
}

// take processes the first character or control sequence in b. It returns its length, 0 if it is not complete.
func (s *screen) take(b []byte) int {
	line := &s.lines[len(s.lines)-1]
	switch {
	case b[0] == '\r':
		s.leave()
		s.column = 0
		return 1
	case b[0] == '\n':
		if s.column > 0 { // otherwise it left before
			s.leave()
		}
		s.lines = append(s.lines, nil)
		return 1
	case len(b) < len(erase) && erase[:len(b)] == string(b):
		return 0
	case len(b) >= len(erase) && string(b[:len(erase)]) == erase:
		if s.column < len(*line) {
			*line = (*line)[:s.column]
		}
		return len(erase)
	case b[0] < ' ' || b[0] == 0x7f:
		s.faults = append(s.faults, fmt.Sprintf("the terminal was sent %q", b[:min(len(b), 10)]))
		return 1
	case !utf8.FullRune(b):
		return 0
	}
	r, n := utf8.DecodeRune(b)
	if s.column >= s.columns { // it goes on in the next line
		s.leave()
		s.lines, s.column = append(s.lines, nil), 0
		line = &s.lines[len(s.lines)-1]
	}
	for len(*line) <= s.column {
		*line = append(*line, ' ')
	}
	(*line)[s.column] = r
	s.column++
	return n
}

// leave notes the text in the cursor's line.
func (s *screen) leave() {
	if line := string(s.lines[len(s.lines)-1]); line != "" {
		s.shown = append(s.shown, line)
	}
}
