package plain

import (
	"bytes"

	"golang.org/x/net/html"
)

// longestEntity is the length of CounterClockwiseContourIntegral and its semicolon.
const longestEntity = 32

// appendDecoded appends text with its entities decoded. An ampersand from an entity may begin another entity: &amp;gt;
// is >.
func appendDecoded(b, text []byte) []byte {
	for {
		at := bytes.IndexByte(text, '&')
		if at < 0 {
			return append(b, text...)
		}
		b, text = append(b, text[:at]...), text[at+1:]
		value := "&"
		for value == "&" {
			next, length := entity(text)
			if length == 0 {
				break
			}
			value, text = next, text[length:]
		}
		b = append(b, value...)
	}
}

// entity returns an entity's value and its length; 0 if there is none. rest begins after the ampersand. An entity must
// end in a semicolon. Otherwise the &copy in a program would be one.
func entity(rest []byte) (value string, length int) {
	end := 0
	for end < len(rest) && end < longestEntity && (alphanumeric(rest[end]) || end == 0 && rest[end] == '#') {
		end++
	}
	if end == 0 || end == len(rest) || rest[end] != ';' {
		return "", 0
	}
	whole := "&" + string(rest[:end+1])
	value = html.UnescapeString(whole)
	if value == whole || len(value) > 1 && value[len(value)-1] == ';' { // only its beginning is an entity
		return "", 0
	}
	return value, end + 1
}

func alphanumeric(c byte) bool { return letter(c) || digit(c) }
func letter(c byte) bool       { return 'a' <= c|0x20 && c|0x20 <= 'z' }
func digit(c byte) bool        { return '0' <= c && c <= '9' }
