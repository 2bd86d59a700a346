package source

import (
	"bytes"
	"errors"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"privpipe/pipelines/exit"
	"privpipe/tokenize/internal/words"
)

// join returns the text of several columns, with a blank line between them. It leaves out null and empty columns. The
// result is nil if all are nil.
func join(texts []*words.Text) (joined *words.Text, err error) {
	for _, text := range texts {
		switch {
		case text == nil:
		case joined == nil || len(joined.Content) == 0:
			joined = text
		case len(text.Content) == 0:
		case joined.List != text.List:
			return nil, errors.New("a column of the text has a string, and another one a list")
		case text.List:
			joined = &words.Text{Content: bytes.Join([][]byte{joined.Content, text.Content}, nil), List: true}
		default:
			joined = &words.Text{Content: bytes.Join([][]byte{joined.Content, text.Content}, []byte("\n\n"))}
		}
	}
	return joined, nil
}

// notUTF8 is the error for texts in another encoding.
func notUTF8(format string, args ...any) error {
	return exit.Errorf(exit.Malformed, format, args...).
		WithHint("--encoding converts other encodings: windows-1252 is that of Western Europe; " +
			"--on-error skip would leave out the people with accents")
}

// unquote appends the content of quoted, a JSON string that the decoder has checked. U+FFFD takes the place of half a
// surrogate pair.
func unquote(dst []byte, quoted jsontext.Value) []byte {
	dst, _ = jsontext.AppendUnquote(dst, quoted) // the only error is half a surrogate pair
	return dst
}

// halves counts the halves of surrogate pairs in a JSON value's strings (RFC 8259, section 8.2).
func halves(value jsontext.Value) (n int) {
	if bytes.IndexByte(value, '\\') < 0 {
		return 0
	}
	high := false // a first half has just been read
	for i := 0; i < len(value); i++ {
		r := rune(0)
		if value[i] == '\\' && i+1 < len(value) {
			if i++; value[i] == 'u' && i+4 < len(value) {
				code, _ := strconv.ParseUint(string(value[i+1:i+5]), 16, 32)
				r = rune(code)
				i += 4
			}
		}
		switch {
		case r >= 0xDC00 && r < 0xE000 && high:
			n, high = n-1, false
		case r >= 0xD800 && r < 0xE000:
			n, high = n+1, r < 0xDC00
		default:
			high = false
		}
	}
	return n
}
