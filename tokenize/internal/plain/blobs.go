package plain

import (
	"encoding/binary"
	"unicode/utf8"
)

// leastBlob is the least length of Base64 data that is left out, in bytes. Hardly any word is so long. Nor is a hash in
// hexadecimal with fewer bits than SHA-1.
const leastBlob = 40

// blobByte reports whether c is a digit of Base64, in either alphabet of RFC 4648, or pads it.
func blobByte(c byte) bool { return c < utf8.RuneSelf && inBlob[c] }

var inBlob = classOf(func(c byte) bool { return alphanumeric(c) || in("+/-_=", c) })

func blobLength(text []byte) int {
	for i, c := range text {
		if !blobByte(c) {
			return i
		}
	}
	return len(text)
}

// blobEnd returns the end of the Base64 data at text[at], with all lines; at if there is none.
func blobEnd(text []byte, at int) int {
	end := at + blobLength(text[at:])
	if !mixed(text[at:end]) {
		return at
	}
	for {
		next := end
		if next < len(text) && text[next] == '\r' {
			next++
		}
		if next == len(text) || text[next] != '\n' {
			return end
		}
		next++
		length := blobLength(text[next:])
		whole := next+length == len(text) || text[next+length] == '\r' || text[next+length] == '\n'
		if !whole || length < leastBlob && (length == 0 || text[next+length-1] != '=') {
			return end
		}
		end = next + length
	}
}

// mixed reports whether a run is long, has a digit, and has capitals and small letters in the proportions of data: a
// third or more are capitals, and an eighth or more are small. Paths and identifiers have fewer of one.
func mixed(run []byte) bool {
	capitals, small, digits := 0, 0, 0
	for _, c := range run {
		switch {
		case 'A' <= c && c <= 'Z':
			capitals++
		case 'a' <= c && c <= 'z':
			small++
		case digit(c):
			digits++
		}
	}
	letters := capitals + small
	return len(run) >= leastBlob && digits > 0 && 3*capitals >= letters && 8*small >= letters
}

// findBlob returns an offset within a run of leastBlob bytes of Base64, or -1. Such a run has eight bytes at a multiple
// of 32.
func findBlob(text []byte) int {
	const ones, highs = 0x0101010101010101, 0x8080808080808080
	for at := 0; at+8 <= len(text); at += 32 {
		eight := binary.LittleEndian.Uint64(text[at:])
		if (eight-('!'*ones))&^eight&highs != 0 { // one is a space, or below
			continue
		}
		begin := at
		for begin > 0 && at-begin < leastBlob && blobByte(text[begin-1]) {
			begin--
		}
		end := at
		for end < len(text) && end-begin < leastBlob && blobByte(text[end]) {
			end++
		}
		if end-begin >= leastBlob {
			return at
		}
	}
	return -1
}
