// Package words cuts text into words.
package words

import (
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"privpipe/tokenize/internal/plain"
)

// This describes what both rules have in common. fold.go and package plain have the additions of the second rule.
//
// A run is letters (Unicode category L) and the marks (M) after them, in lower case and in normalization form NFC.
// Invisible code points (Default_Ignorable_Code_Point: a soft hyphen, a joiner, a variation selector) are removed from
// it, as NFKC_Casefold does. Everything else separates runs, and so does a mark without a letter.
//
// A run is a word: "can't" is "can" and "t", "café" is one word however its é is encoded. But in a script without
// spaces a run is a sentence. It is cut where UAX #29 cuts between letters: at a change of script, and between any two
// letters of Han, Hiragana, Thai, Lao, Khmer, Myanmar and some more, but not of Katakana. Single letters say little,
// and to find words takes a dictionary for each language. So each pair of neighbouring letters is a word there, as in
// search engines. A single letter of its script is a word too: "東京都のタワー" is "東京", "京都", "の" and "タワー". Hangul has
// spaces.
//
// The rule for scripts without spaces was measured on Debian 12. The texts were its manual pages in Japanese and
// Chinese and the messages of its programs in Thai and Korean, all without their ASCII. Each document was cut into
// halves. The table has how often the first half is nearer to its own second half than to any other. Nearness is the
// cosine of log(1 + count) times inverse document frequency. It is over the 8,000 commonest words among those in at
// least 3 documents and at most a quarter of the documents.
//
//	                          Japanese, 1,000   Chinese, 362   Thai, 128   Korean, 359
//	runs, as before                       9 %           23 %        37 %          89 %
//	letters (UAX #29, but not Korean)    29 %           40 %        47 %          64 %
//	pairs                                30 %           56 %        87 %          88 %
//	pairs also across scripts            30 %           56 %
//	triples                              28 %           45 %        91 %          88 %
//
// In Japanese, pairs across scripts have more than twice as many different words, so more of them miss a vocabulary.

// A Word is one word in a text. It is valid until the next word.
type Word struct {
	Bytes []byte
	// Key is the last 8 bytes as a big-endian number. It identifies a word of up to 8 bytes, since no byte is 0.
	Key uint64
}

// Shorter reports whether w has fewer than this number of letters and marks. It is false for a script without spaces,
// where one letter may be a word.
func (w Word) Shorter(than int) bool {
	if utf8.RuneCount(w.Bytes) >= than {
		return false
	}
	first, _ := utf8.DecodeRune(w.Bytes)
	return scriptOf(first) == spaced
}

// A Splitter cuts text into words. It holds scratch memory. One goroutine may use it at a time.
type Splitter struct {
	Rule

	run     []byte
	folded  []byte
	waiting []Word
	plain   plain.Stripper
}

// lower maps an ASCII letter to its lower case and anything else to 0.
var lower = func() (table [utf8.RuneSelf]byte) {
	for c := byte('a'); c <= 'z'; c++ {
		table[c], table[c-'a'+'A'] = c, c
	}
	return table
}()

// Split calls yield with each word of text, in order. Split leaves nothing out of text: Words calls package plain for
// that first. Bytes that are not UTF-8 separate words. Callers who must refuse such bytes check utf8.Valid first.
func (s *Splitter) Split(text []byte, yield func(Word)) {
	run := s.run[:0]
	key := uint64(0)
	for i := 0; i < len(text); {
		if len(run) == 0 {
			run, key, i = appendWords(run, text, i, yield)
		}
		// The ASCII that appendWords leaves over, up to the end of the run.
		for i < len(text) && text[i] < utf8.RuneSelf {
			l := lower[text[i]]
			i++
			if l != 0 {
				run = append(run, l)
				key = key<<8 | uint64(l)
			} else if len(run) > 0 {
				yield(Word{run, key})
				run, key = run[:0], 0
				break
			}
		}
		if i < len(text) && text[i] >= utf8.RuneSelf {
			// A rune outside ASCII, in a run or at its start, or a separator.
			ascii := len(run)
			var scripts bool
			var f form
			if s.second() {
				run, i, f = appendLetters(run, text, i)
			} else {
				run, i, scripts = appendRun(run, text, i)
			}
			switch {
			case len(run) == ascii && ascii > 0:
				yield(Word{run, key})
			case s.second():
				s.foldRun(run, f, yield)
			case scripts:
				cut(run, normalized, yield)
			case len(run) > 0:
				yield(normalized(run))
			}
			run, key = run[:0], 0
		}
	}
	if len(run) > 0 {
		yield(Word{run, key})
	}
	s.run = run
}

// normalized returns a part of the run as a word in NFC.
func normalized(part []byte) Word { return wordOf(norm.NFC.Bytes(part)) }

// wordOf returns the word with these bytes.
func wordOf(b []byte) Word {
	w := Word{Bytes: b}
	for _, c := range b {
		w.Key = w.Key<<8 | uint64(c)
	}
	return w
}

// appendRun appends the rest of the run, from text[i] on. It returns the offset after the separator that ends the run,
// and whether a letter in the run may belong to a script without spaces.
func appendRun(run, text []byte, i int) (_ []byte, end int, scripts bool) {
	for i < len(text) {
		r, size := utf8.DecodeRune(text[i:])
		i += size
		switch {
		case isLetter(r):
			run = utf8.AppendRune(run, unicode.ToLower(r))
			scripts = scripts || r >= firstSpaceless
		case ignorable(r):
		case attached(r):
			if len(run) > 0 {
				run = utf8.AppendRune(run, r)
			}
		default: // also a byte that is not UTF-8
			return run, i, scripts
		}
	}
	return run, i, scripts
}

// cut calls yield with the words in run. word makes a Word from the bytes of each.
func cut(run []byte, word func([]byte) Word, yield func(Word)) {
	begin, second := 0, 0 // offsets of the current word and of its second letter; second is 0 if there is none
	current := spaced
	for i, size := 0, 0; i < len(run); i += size {
		var r rune
		r, size = utf8.DecodeRune(run[i:])
		if attached(r) {
			continue
		}
		switch is := scriptOf(r); {
		case is != current:
			if i > begin {
				yield(word(run[begin:i]))
			}
			begin, second, current = i, 0, is
		case is == spaced || is == katakana:
		case second > 0:
			yield(word(run[begin:i]))
			begin, second = second, i
		default:
			second = i
		}
	}
	yield(word(run[begin:]))
}

// Normal returns a vocabulary's word in the form that Split yields.
func (r Rule) Normal(word string) string { return string(r.appendNormal(nil, []byte(word))) }

// appendNormal appends the normal form of word to b, which is empty.
func (r Rule) appendNormal(b, word []byte) []byte {
	if r.second() {
		return appendFolded(b, word)
	}
	ascii := true
	for i := 0; i < len(word); {
		letter, size := utf8.DecodeRune(word[i:])
		i += size
		ascii = ascii && letter < utf8.RuneSelf
		if letter < utf8.RuneSelf || !ignorable(letter) {
			b = utf8.AppendRune(b, unicode.ToLower(letter))
		}
	}
	if ascii {
		return b
	}
	return norm.NFC.Bytes(b)
}
