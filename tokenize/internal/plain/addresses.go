package plain

import (
	"bytes"
	"strings"
	"unicode"
	"unicode/utf8"
)

// addresses returns a text with a space in place of each address and each blob.
func (s *Stripper) addresses(text []byte) []byte {
	s.left = s.left[:0]
	copied := 0
	named, checked := 0, 0 // no name begins, and no blob, before these offsets
	for at := 0; at < len(text); {
		begin, end, kind := at, at, none
		if at >= named {
			named = at + max(1, nameLength(text[at:]))
			begin, end, kind = addressAt(text, at)
		}
		if kind == none && at >= checked {
			checked = at + max(1, blobLength(text[at:]))
			if end = blobEnd(text, at); end > at {
				kind = Base64
			}
		}
		if kind == none {
			at = min(named, checked)
			continue
		}
		if kind&s.Keep == none {
			s.left = append(append(s.left, text[copied:begin]...), ' ')
			copied = end
		}
		at, named, checked = end, end, end
	}
	if copied == 0 {
		return text
	}
	s.left = append(s.left, text[copied:]...)
	return s.left
}

// addressAt returns the URL or e-mail address whose first name begins at text[at], and its kind, or none.
func addressAt(text []byte, at int) (begin, end int, kind Kinds) {
	length := nameLength(text[at:])
	name, after := text[at:at+length], at+length
	switch {
	case length == 0 || after == len(text):
	case bytes.HasPrefix(text[after:], []byte("://")) && urlLength(text[after+3:]) > 0:
		return at, after + 3 + urlLength(text[after+3:]), URLs
	case text[after] == '@':
		if host := hostLength(text[after+1:]); host > 0 {
			return at, after + 1 + host, Emails
		}
	case text[after] == ':' && fold(name, "mailto"):
		if _, end, kind := addressAt(text, after+1); kind == Emails {
			return at, end, kind
		}
	case text[after] == ':' && fold(name, "data"):
		head := text[after:min(len(text), after+100)]
		if i := bytes.Index(head, []byte(";base64,")); i >= 0 && bytes.IndexAny(head[:i], space) < 0 {
			from := after + i + len(";base64,")
			if length := blobLength(text[from:]); length >= leastBlob {
				return at, from + length, Base64
			}
		}
	}
	if bare := bytes.TrimLeft(name, "._%+-'"); len(bare) > 4 && fold(bare[:4], "www.") {
		begin = after - len(bare)
		return begin, begin + urlLength(text[begin:]), URLs
	}
	return at, at, none
}

func fold(b []byte, to string) bool { return len(b) == len(to) && strings.EqualFold(string(b), to) }

// addressRune reports whether a rune outside ASCII is a letter of an address. Scripts without spaces have none, since there an address ends
// where the sentence goes on.
func addressRune(r rune) bool { return r < '\u0e00' && (unicode.IsLetter(r) || unicode.IsMark(r)) }

// runLength returns how many bytes at the beginning of text belong, by their ASCII or as letters of an address.
func runLength(text []byte, ascii func(byte) bool) int {
	for i := 0; i < len(text); {
		if text[i] < utf8.RuneSelf {
			if !ascii(text[i]) {
				return i
			}
			i++
			continue
		}
		r, size := utf8.DecodeRune(text[i:])
		if !addressRune(r) {
			return i
		}
		i += size
	}
	return len(text)
}

// nameLength is the length of what may be the scheme of a URL, or what is before the @ of an address.
func nameLength(text []byte) int {
	return runLength(text, func(c byte) bool { return alphanumeric(c) || strings.IndexByte("._%+-'", c) >= 0 })
}

// urlLength is the length of what goes on as a URL does. A bracket that the URL does not open ends it, as a quotation mark does.
func urlLength(text []byte) int {
	open := 0
	return runLength(text, func(c byte) bool {
		switch c {
		case '(':
			open++
		case ')':
			open--
			return open >= 0
		case '<', '>', '"', '{', '}', '[', ']', '|', '\\', '^', '`', 0x7f:
			return false
		}
		return c > ' '
	})
}

// hostLength is the length of the name of a host of two or more parts, of which the last has only letters; 0 if there is none.
func hostLength(text []byte) (length int) {
	for i, parts := 0, 1; ; parts++ {
		part := runLength(text[i:], func(c byte) bool { return alphanumeric(c) || c == '-' })
		if part == 0 {
			return length
		}
		if parts > 1 && part > 1 && bytes.IndexFunc(text[i:i+part], func(r rune) bool { return r == '-' || '0' <= r && r <= '9' }) < 0 {
			length = i + part
		}
		if i += part; i == len(text) || text[i] != '.' {
			return length
		}
		i++
	}
}

// hasWWW reports whether a text has www and a point.
func hasWWW(text []byte) bool {
	for at := 0; ; at++ {
		point := bytes.IndexByte(text[at:], '.')
		if point < 0 {
			return false
		}
		if at += point; at >= 3 && text[at-1]|0x20 == 'w' && text[at-2]|0x20 == 'w' && text[at-3]|0x20 == 'w' {
			return true
		}
	}
}
