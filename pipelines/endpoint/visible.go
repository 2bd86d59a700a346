package endpoint

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// File names and words in the data may hold control characters. On a terminal these could move the cursor, change the
// title or the colour, or hide earlier output. So they are never sent to a terminal.

// Visible writes control characters as JSON does, \n or \u001b, and bytes that are not UTF-8 as \xe9. If lines is set,
// newlines and tabs stay.
func Visible(s string, lines bool) string {
	if !strings.ContainsFunc(s, hides) && utf8.ValidString(s) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && size == 1:
			fmt.Fprintf(&b, `\x%02x`, s[i])
		case !hides(r) || lines && (r == '\n' || r == '\t'):
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\t':
			b.WriteString(`\t`)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
		i += size
	}
	return b.String()
}

// hides says whether a character is a control character, or changes the direction of the text after it.
func hides(r rune) bool {
	return unicode.IsControl(r) || r >= '\u202a' && r <= '\u202e' || r >= '\u2066' && r <= '\u2069'
}

// shown makes bytes visible for a terminal.
type shown struct{ rest []byte } // the first bytes of an incomplete character

// next returns the visible form of the complete characters so far.
func (s *shown) next(b []byte) string {
	all := append(s.rest, b...)
	n := len(all)
	for n > 0 && n > len(all)-utf8.UTFMax && !utf8.RuneStart(all[n-1]) {
		n--
	}
	if n == 0 || utf8.FullRune(all[n-1:]) {
		n = len(all)
	} else {
		n--
	}
	s.rest = append([]byte(nil), all[n:]...)
	return Visible(string(all[:n]), true)
}
