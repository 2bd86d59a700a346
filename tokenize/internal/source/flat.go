package source

import (
	"bytes"
	"encoding/binary"
	"math/bits"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"privpipe/tokenize/internal/words"
)

// A flat reads the commonest lines of JSON Lines in one pass: UTF-8, and an object with few members, all strings,
// numbers or literals. It gives up at every other line, and at every line that breaks a rule. parse then lets the
// JSON library read the line, so all errors are the library's. Where it does not give up, it finds the same as the
// library (FuzzFlat).
type flat struct {
	line []byte
	at   int
	b    []byte // memory for a string with escapes; the next such string uses it again
	text []byte // memory for such a string if it is the text; the next line uses it again
}

// mostMembers is the largest number of members in a flat line. Their names are compared pair by pair.
const mostMembers = 16

// fields returns the fields in a line, and whether the line is flat. The text is valid until the next call, and only as
// long as line is.
func (p *flat) fields(line []byte, columns *Columns) (f Fields, is bool) {
	p.line, p.at = line, 0
	if !columns.simple() || !utf8.Valid(line) || !p.take('{') {
		return f, false
	}
	if p.take('}') {
		return f, p.end()
	}
	var names [mostMembers][]byte
	for n := range names {
		name, escapes, ok := p.quoted()
		if !ok || escapes || !p.take(':') {
			return f, false
		}
		for _, before := range names[:n] {
			if bytes.Equal(before, name) {
				return f, false // the library refuses it
			}
		}
		if names[n] = name; !p.value(&f, name, columns) {
			return f, false
		}
		if p.take('}') {
			return f, p.end()
		}
		if !p.take(',') {
			return f, false
		}
	}
	return f, false
}

// value reads a member's value, and sets the fields with this name.
func (p *flat) value(f *Fields, name []byte, columns *Columns) bool {
	p.skip()
	begin := p.at
	content, escapes, quoted := p.quoted()
	if !quoted && (p.at != begin || !p.scalar()) {
		return false
	}
	for role := range columns.wanted() {
		switch {
		case string(name) != columns.name(role) || columns.lacks(role):
		case !quoted && role == roleText:
			if p.line[begin] != 'n' {
				return false
			}
		case !quoted:
			if f.set(role, jsontext.Value(p.line[begin:p.at])) != nil {
				return false
			}
		case role == roleText:
			f.Text = &words.Text{Content: content}
			if escapes {
				p.text, p.b = content, p.text
			}
		default:
			f.setString(role, content)
		}
	}
	return true
}

// setString sets a role's field to a string. The role must not be the text.
func (f *Fields) setString(role int, s []byte) {
	switch role {
	case roleID:
		name := Name(s)
		f.ID = &name
	case roleUser:
		f.User = Name(s)
	case roleLabel:
		f.Label = Label(s)
	case roleDate:
		f.Date = Name(s)
	}
}

// skip skips the white space of JSON (RFC 8259, section 2).
func (p *flat) skip() {
	for p.at < len(p.line) && (p.line[p.at] == ' ' || p.line[p.at] == '\t' || p.line[p.at] == '\n' ||
		p.line[p.at] == '\r') {
		p.at++
	}
}

// take skips white space, and the byte c if it comes next.
func (p *flat) take(c byte) bool {
	p.skip()
	if p.at == len(p.line) || p.line[p.at] != c {
		return false
	}
	p.at++
	return true
}

// end reports whether nothing but white space is left.
func (p *flat) end() bool {
	p.skip()
	return p.at == len(p.line)
}

// quoted reads a string (RFC 8259, section 7) without the escapes of surrogates. The content is a part of the line. If
// the string has escapes, the content is valid only until the next string. If no string comes next, quoted only skips
// white space.
func (p *flat) quoted() (content []byte, escapes, ok bool) {
	if !p.take('"') {
		return nil, false, false
	}
	b, from := p.b[:0], p.at
	for {
		i := special(p.line, p.at)
		if i == len(p.line) || p.line[i] < ' ' {
			return nil, false, false
		}
		if p.line[i] == '"' {
			p.at = i + 1
			if !escapes {
				return p.line[from:i], false, true
			}
			p.b = append(b, p.line[from:i]...)
			return p.b, true, true
		}
		r, size := unescape(p.line[i:])
		if size == 0 {
			return nil, false, false
		}
		b = utf8.AppendRune(append(b, p.line[from:i]...), r)
		escapes, p.at, from = true, i+size, i+size
	}
}

// special returns the offset of the first quotation mark, backslash or control character in b from i on, or the length
// of b.
func special(b []byte, i int) int {
	for ; len(b)-i >= 8; i += 8 {
		// Each term has the high bit of the first byte that it looks for, and no bit of an earlier byte. See Warren,
		// Hacker's Delight, second edition, 6-1.
		const ones, highs = 0x0101010101010101, 0x8080808080808080
		x := binary.LittleEndian.Uint64(b[i:])
		quote, backslash := x^'"'*ones, x^'\\'*ones
		found := ((x-' '*ones)&^x | (quote-ones)&^quote | (backslash-ones)&^backslash) & highs
		if found != 0 {
			return i + bits.TrailingZeros64(found)/8
		}
	}
	for i < len(b) && b[i] >= ' ' && b[i] != '"' && b[i] != '\\' {
		i++
	}
	return i
}

// escaped are the characters that the escapes with one letter stand for.
var escaped = [256]byte{'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}

// unescape returns the rune and the size of the escape at the beginning of b. The size is 0 for a surrogate's escape,
// or if there is no escape.
func unescape(b []byte) (r rune, size int) {
	if len(b) >= 2 && escaped[b[1]] != 0 {
		return rune(escaped[b[1]]), 2
	}
	if len(b) < 6 || b[1] != 'u' {
		return 0, 0
	}
	for _, c := range b[2:6] {
		digit, err := strconv.ParseUint(string(c), 16, 8)
		if err != nil {
			return 0, 0
		}
		r = r<<4 | rune(digit)
	}
	if utf16.IsSurrogate(r) {
		return 0, 0
	}
	return r, 6
}

// scalar reads a literal or a number.
func (p *flat) scalar() bool {
	for _, literal := range []string{"null", "true", "false"} {
		if bytes.HasPrefix(p.line[p.at:], []byte(literal)) {
			p.at += len(literal)
			return true
		}
	}
	return p.number()
}

// number reads a number (RFC 8259, section 6).
func (p *flat) number() bool {
	p.one("-")
	if !p.one("0") && !p.digits() {
		return false
	}
	if p.one(".") && !p.digits() {
		return false
	}
	if p.one("eE") {
		p.one("+-")
		return p.digits()
	}
	return true
}

// one skips one byte if it comes next and is in set.
func (p *flat) one(set string) bool {
	if p.at == len(p.line) || strings.IndexByte(set, p.line[p.at]) < 0 {
		return false
	}
	p.at++
	return true
}

// digits skips digits, and reports whether there is one.
func (p *flat) digits() bool {
	begin := p.at
	for p.one("0123456789") {
	}
	return p.at > begin
}
