package plain

import (
	"bytes"
	"strings"
	"unicode"
	"unicode/utf8"
)

// addresses returns the text with a space in place of each address and each blob. It looks only at stretches without
// spaces that hold a sign of a suspected kind.
func (s *Stripper) addresses(text []byte, suspects Kinds) []byte {
	s.left = s.left[:0]
	copied := 0
	signs := signs{text: text}
	for i, kind := range signKinds {
		signs.next[i] = -1
		if suspects&kind == none {
			signs.next[i] = len(text)
		}
	}
	for at := 0; ; {
		sign := signs.after(at)
		if sign == len(text) {
			break
		}
		for sign > at && text[sign-1] > ' ' {
			sign--
		}
		at = sign
		named, checked := at, at // no name begins before named, and no blob before checked
		for at < len(text) && text[at] > ' ' {
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
	}
	if copied == 0 {
		return text
	}
	s.left = append(s.left, text[copied:]...)
	return s.left
}

// signs finds the signs of addresses and blobs: characters that each of them must have.
type signs struct {
	text []byte
	next [4]int // offset of the next sign of each kind, or the length of the text
}

var (
	signKinds = [...]Kinds{Emails, URLs, URLs, Base64}
	findSigns = [...]func([]byte) int{findAt, findScheme, findWWW, findBlob}
)

// after returns the offset of the first sign from text[at] on, or the length of the text.
func (s *signs) after(at int) int {
	first := len(s.text)
	for i := range s.next {
		if s.next[i] < at {
			if s.next[i] = findSigns[i](s.text[at:]); s.next[i] < 0 {
				s.next[i] = len(s.text)
			} else {
				s.next[i] += at
			}
		}
		first = min(first, s.next[i])
	}
	return first
}

func findAt(text []byte) int     { return bytes.IndexByte(text, '@') }
func findScheme(text []byte) int { return bytes.Index(text, []byte("://")) }

// findWWW returns the offset of the point after www, or -1.
func findWWW(text []byte) int {
	for at := 0; ; at++ {
		point := bytes.IndexByte(text[at:], '.')
		if point < 0 {
			return -1
		}
		if at += point; at >= 3 && text[at-1]|0x20 == 'w' && text[at-2]|0x20 == 'w' && text[at-3]|0x20 == 'w' {
			return at
		}
	}
}

// addressAt returns the URL or e-mail address that begins with the name at text[at] (see nameLength), and its kind, or
// none.
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
		if i := bytes.Index(head, []byte(";base64,")); i >= 0 && !bytes.ContainsAny(head[:i], space) {
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

// addressRune reports whether a rune outside ASCII is a letter of an address. Scripts without spaces have none, since
// there an address ends where the sentence goes on.
func addressRune(r rune) bool { return r < '\u0e00' && (unicode.IsLetter(r) || unicode.IsMark(r)) }

// A class is a set of ASCII bytes.
type class [utf8.RuneSelf]bool

func classOf(is func(byte) bool) (c class) {
	for b := range byte(utf8.RuneSelf) {
		c[b] = is(b)
	}
	return c
}

var (
	inName = classOf(func(c byte) bool { return alphanumeric(c) || in("._%+-'", c) })
	inHost = classOf(func(c byte) bool { return alphanumeric(c) || c == '-' })
	inURL  = classOf(func(c byte) bool { return c > ' ' && !in("<>\"{}[]|\\^`\x7f", c) })
)

// runLength returns how many bytes at the beginning of text are in the class, or in letters that addressRune accepts.
// If paired, a closing bracket ends the run unless the run opened it.
func runLength(text []byte, of *class, paired bool) int {
	open := 0
	for i := 0; i < len(text); {
		c := text[i]
		if c < utf8.RuneSelf {
			if !of[c] {
				return i
			}
			if paired && c == '(' {
				open++
			}
			if paired && c == ')' {
				if open--; open < 0 {
					return i
				}
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

// nameLength is the length of a possible URL scheme, or of a possible name before the @ in an address.
func nameLength(text []byte) int { return runLength(text, &inName, false) }

// urlLength is the length of the bytes that may continue a URL. A closing bracket that the URL does not open ends it,
// as a quotation mark does.
func urlLength(text []byte) int { return runLength(text, &inURL, true) }

// hostLength is the length of the host name at the beginning of text; 0 if there is none. A host name has two or more
// parts, and the last part has only letters.
func hostLength(text []byte) (length int) {
	for i, parts := 0, 1; ; parts++ {
		part := runLength(text[i:], &inHost, false)
		if part == 0 {
			return length
		}
		if parts > 1 && part > 1 && !bytes.ContainsAny(text[i:i+part], "-0123456789") {
			length = i + part
		}
		if i += part; i == len(text) || text[i] != '.' {
			return length
		}
		i++
	}
}
