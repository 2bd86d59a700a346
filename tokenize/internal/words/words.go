// Package words cuts text into words.
package words

import (
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// A word is a maximal run of letters and combining marks (Unicode categories L and M), in lower case and in
// normalization form NFC. Everything else separates words: "can't" is "can" and "t", "café" is one word however its é
// is spelled. Text in scripts without spaces is one long word a run.

// A Word is a word of a text, valid until the next.
type Word struct {
	Bytes []byte
	Key   uint64 // the last 8 bytes as a big-endian number; no byte of a word is 0, so up to 8 bytes it names the word
}

// A Splitter cuts text into words. It holds scratch memory; one goroutine may use it at a time.
type Splitter struct{ word []byte }

// lower maps an ASCII letter to its lower case and anything else to 0.
var lower = func() (table [utf8.RuneSelf]byte) {
	for c := byte('a'); c <= 'z'; c++ {
		table[c], table[c-'a'+'A'] = c, c
	}
	return table
}()

// Split calls yield with each word of text, in order. Bytes that are not UTF-8 separate words; callers who must refuse
// them check utf8.Valid first.
func (s *Splitter) Split(text []byte, yield func(Word)) {
	word := s.word[:0]
	key := uint64(0)
	for i := 0; i < len(text); {
		// ASCII, nearly all there is.
		for i < len(text) && text[i] < utf8.RuneSelf {
			l := lower[text[i]]
			i++
			if l != 0 {
				word = append(word, l)
				key = key<<8 | uint64(l)
			} else if len(word) > 0 {
				yield(Word{word, key})
				word, key = word[:0], 0
			}
		}
		if i < len(text) {
			// Another rune within a word or at its start, or one that separates words.
			word, i = appendRunes(word, text, i)
			if len(word) > 0 {
				normal := norm.NFC.Bytes(word)
				yield(Word{normal, pack(normal)})
				word, key = word[:0], 0
			}
		}
	}
	if len(word) > 0 {
		yield(Word{word, key})
	}
	s.word = word
}

func pack(word []byte) (key uint64) {
	for _, c := range word {
		key = key<<8 | uint64(c)
	}
	return key
}

// appendRunes appends the letters and marks of text from i on to word, and returns the offset behind the word.
func appendRunes(word, text []byte, i int) ([]byte, int) {
	for i < len(text) {
		r, size := utf8.DecodeRune(text[i:])
		i += size
		if r == utf8.RuneError || !unicode.IsLetter(r) && !unicode.IsMark(r) {
			break
		}
		word = utf8.AppendRune(word, unicode.ToLower(r))
	}
	return word, i
}

// Normal returns word in the form that Split gives words, for looking up a vocabulary's.
func Normal(word string) string {
	b := make([]byte, 0, len(word))
	for _, r := range word {
		b = utf8.AppendRune(b, unicode.ToLower(r))
	}
	return string(norm.NFC.Bytes(b))
}
