// Package plain reduces a text to the words that its author wrote. It removes markup, URLs, e-mail addresses, quoted
// mail, signatures and Base64. The removed parts depend on this text alone. FORMATS.md has the rules in a table, with
// an example for each.
package plain

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
)

// Kinds is a set of the things that a text has beside its author's words.
type Kinds uint8

// The kinds.
const (
	HTML Kinds = 1 << iota
	URLs
	Emails
	Quotes
	Signatures
	Base64

	none Kinds = 0
	all  Kinds = 2*Base64 - 1
)

var kindNames = [...]string{"html", "urls", "emails", "quotes", "signatures", "base64"}

// UnmarshalText implements encoding.TextUnmarshaler: names of kinds with commas between.
func (k *Kinds) UnmarshalText(text []byte) error {
	*k = none
	for name := range strings.SplitSeq(string(text), ",") {
		i := slices.Index(kindNames[:], name)
		if i < 0 {
			return fmt.Errorf("%q is none of %s", name, strings.Join(kindNames[:], ", "))
		}
		*k |= 1 << i
	}
	return nil
}

// String implements fmt.Stringer: the form that UnmarshalText reads, in the order of the kinds.
func (k Kinds) String() string {
	var names []string
	for i, name := range kindNames {
		if k&(1<<i) != 0 {
			names = append(names, name)
		}
	}
	return strings.Join(names, ",")
}

// A Stripper removes all kinds from texts, except the kinds to keep. It holds scratch memory. One goroutine may use it
// at a time.
type Stripper struct {
	Keep Kinds

	decoded, stripped, kept, left []byte
	lines                         []line
}

// Text returns the text without the kinds to remove. The result is valid until the next call.
func (s *Stripper) Text(text []byte) []byte {
	found := suspected(text)
	if found&^s.Keep == none {
		return text
	}
	if found&^s.Keep&HTML != 0 {
		text = s.markup(text)
		found = suspected(text) // entities hide other kinds
	}
	if found&^s.Keep&(Quotes|Signatures) != 0 {
		text = s.mail(text)
	}
	if found&^s.Keep&(URLs|Emails|Base64) != 0 {
		text = s.addresses(text, found)
	}
	return text
}

// suspected returns all kinds that a text has, and maybe some that it has not. Most texts have none, and then nothing
// else is done.
func suspected(text []byte) (found Kinds) {
	if bytes.IndexByte(text, '<') >= 0 || bytes.IndexByte(text, '&') >= 0 {
		found |= HTML
	}
	if bytes.IndexByte(text, '@') >= 0 {
		found |= Emails
	}
	if bytes.IndexByte(text, '/') >= 0 && findScheme(text) >= 0 || findWWW(text) >= 0 {
		found |= URLs
	}
	if findBlob(text) >= 0 {
		found |= Base64
	}
	return found | suspectedLines(text)
}

// suspectedLines looks at how the lines begin.
func suspectedLines(text []byte) (found Kinds) {
	if bytes.IndexByte(text, '\r') >= 0 {
		return Quotes | Signatures
	}
	wrote := text // empty once it is known whether a heading ends in it
	for len(text) > 0 {
		begin := text
		for len(begin) > 0 && (begin[0] == ' ' || begin[0] == '\t' || begin[0] == '\f') {
			begin = begin[1:]
		}
		if len(begin) == 0 {
			return found
		}
		switch begin[0] {
		case '>':
			found |= Quotes
		case 'O':
			if len(wrote) > 0 && bytes.HasPrefix(begin, []byte("On ")) {
				if bytes.Contains(wrote, []byte("wrote:")) {
					found |= Quotes
				}
				wrote = nil
			}
		case 'F', 'f', 'V', 'v', 'D', 'd', '*': // From, Von, Van, De, Da
			if authors[header(begin)] {
				found |= Quotes
			}
		case '-':
			if len(begin) > 1 && begin[1] == '-' {
				first, _, _ := bytes.Cut(begin, []byte("\n"))
				if first = bytes.Trim(first, space); string(first) == "--" {
					found |= Signatures
				} else if original(first) {
					found |= Quotes
				}
			}
		case 'S', 'G':
			if byTelephone(begin) {
				found |= Signatures
			}
		}
		end := bytes.IndexByte(begin, '\n')
		if end < 0 {
			return found
		}
		text = begin[end+1:]
	}
	return found
}
