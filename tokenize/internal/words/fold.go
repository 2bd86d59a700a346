package words

import (
	"bytes"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// The second rule normalizes letters and marks, so that spellings that a reader takes for one word become one word:
//
//   - each in normalization form NFKC, so ligatures, full-width and mathematical letters and the long s are plain
//     letters. Except: the Am of Thai and Lao, which NFKC takes apart, and the compatibility letters of Korean, which
//     it would join to other syllables;
//   - then in lower case, so I with a dot above, in one code point or in two, is i; an i has no other dot above;
//   - a sigma is ς if it ends a word and has a letter before it, and else σ (Unicode, Table 3-17, Final_Sigma);
//   - then in NFC.
//
// Full case folding would make ss of ß, and σ of every ς, but these languages are not written so. The apostrophe that
// Unicode calls a letter, U+02BC, separates words as the others do. NFKC may turn a letter into something else. That
// separates words, as everywhere.

// apostrophe is a letter by its category. Keyboards and texts have it in place of U+2019 and of the ASCII apostrophe.
const apostrophe = '\u02bc'

// kept reports whether a letter stays as it is, without NFKC.
func kept(r rune) bool {
	return r == '\u0e33' || r == '\u0eb3' || r >= '\u3131' && r <= '\u318e' || r >= '\uffa0' && r <= '\uffdc'
}

// A form says what must be done with the letters and marks in a run.
type form struct {
	scripts bool // cut them: one letter belongs to a script without spaces
	cased   bool // make them lower case
	checked bool // check whether they are in NFKC
}

// add adds a letter or mark outside ASCII. Most letters in most texts need little: they are in NFKC, also beside each
// other.
func (f *form) add(r rune) {
	switch {
	case r >= '\u00c0' && r <= '\u00ff', r >= '\u0400' && r <= '\u045f': // Latin, Cyrillic
		f.cased = true
	case r >= hangul && r <= lastHangul:
	case r >= '\u4e00' && r <= '\u9fff', r >= '\u3041' && r <= '\u3096', r >= '\u30a1' && r <= '\u30fa':
		f.scripts = true // Han, Hiragana, Katakana
	case r >= '\u0590' && r <= '\u109f': // from Hebrew to Myanmar
		f.checked = true
		f.scripts = f.scripts || r >= firstSpaceless
	default:
		f.cased, f.checked = true, true
		f.scripts = f.scripts || r >= firstSpaceless
	}
}

// appendLetters is appendRun for the second rule. The apostrophe is no letter, and letters outside ASCII keep their
// case.
func appendLetters(run, text []byte, i int) (_ []byte, end int, f form) {
	for i < len(text) {
		r, size := utf8.DecodeRune(text[i:])
		i += size
		switch {
		case r < utf8.RuneSelf:
			l := lower[r]
			if l == 0 {
				return run, i, f
			}
			run = append(run, l)
		case r >= hangul && r <= lastHangul, isLetter(r) && r != apostrophe:
			run = append(run, text[i-size:i]...)
			f.add(r)
		case ignorable(r):
		case attached(r):
			if len(run) > 0 {
				run = append(run, text[i-size:i]...)
				f.add(r)
			}
		default: // also a byte that is not UTF-8
			return run, i, f
		}
	}
	return run, i, f
}

// foldRun calls yield with the words in a run of letters and marks.
func (s *Splitter) foldRun(run []byte, f form, yield func(Word)) {
	if !f.checked || isCompatible(run) {
		s.fold(run, f, yield)
		return
	}
	f.scripts, f.cased = true, true
	compatible := compatible(run)
	begin := 0
	for at := 0; at < len(compatible); {
		r, size := utf8.DecodeRune(compatible[at:])
		if r == apostrophe || !isLetter(r) && (!attached(r) || at == begin) {
			s.fold(compatible[begin:at], f, yield)
			begin = at + size
		}
		at += size
	}
	s.fold(compatible[begin:], f, yield)
}

// fold calls yield with the words in run, which has letters and marks in compatible form.
func (s *Splitter) fold(run []byte, f form, yield func(Word)) {
	if len(run) == 0 {
		return
	}
	if f.cased {
		s.folded, run = appendLower(s.folded[:0], run)
	}
	if f.scripts {
		cut(run, wordOf, yield)
		return
	}
	yield(wordOf(run))
}

// isCompatible reports whether compatible would change nothing in run.
func isCompatible(run []byte) bool {
	begin := 0
	for i := 0; i < len(run); {
		r, size := utf8.DecodeRune(run[i:])
		if i += size; kept(r) {
			if !norm.NFKC.IsNormal(run[begin : i-size]) {
				return false
			}
			begin = i
		}
	}
	return norm.NFKC.IsNormal(run[begin:])
}

// compatible returns text in NFC, with its letters and marks in NFKC, except the letters that are kept.
func compatible(text []byte) (b []byte) {
	begin := 0 // of the current letters and marks
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRune(text[i:])
		if i += size; kept(r) || !unicode.IsLetter(r) && !unicode.IsMark(r) {
			b = append(append(b, norm.NFKC.Bytes(text[begin:i-size])...), text[i-size:i]...)
			begin = i
		}
	}
	return norm.NFC.Bytes(append(b, norm.NFKC.Bytes(text[begin:])...))
}

// appendLower appends compatible text in lower case to b, which is empty. It returns b and the result. The result may
// be in other memory.
func appendLower(b, text []byte) (_, word []byte) {
	sigma, simple := false, true
	for _, r := range string(text) {
		l := unicode.ToLower(r)
		// Letters in these ranges do not compose with each other.
		simple = simple && (l < '\u0100' || l >= '\u0400' && l <= '\u045f')
		sigma = sigma || l == 'σ' || l == 'ς'
		b = utf8.AppendRune(b, l)
	}
	if word = b; simple {
		return b, word
	}
	if !norm.NFC.IsNormal(word) {
		word = norm.NFC.Bytes(word)
	}
	if bytes.Contains(word, []byte("i\u0307")) {
		word = norm.NFC.Bytes(undotted(word))
	}
	if sigma {
		setSigmas(word)
	}
	return b, word
}

// undotted returns text without the dots above that are next to an i.
func undotted(text []byte) (b []byte) {
	last := rune(0)
	for _, r := range string(text) {
		if r == '\u0307' && last == 'i' {
			continue
		}
		b, last = utf8.AppendRune(b, r), r
	}
	return b
}

// setSigmas replaces each sigma in text by the sigma for its place in the word. Both take two bytes.
func setSigmas(text []byte) {
	last := -1 // offset of the last letter so far, if it is a sigma
	before, inside := false, false
	set := func(sigma string) {
		if last >= 0 {
			copy(text[last:], sigma)
		}
		last = -1
	}
	for i, r := range string(text) {
		switch {
		case attached(r):
		case !isLetter(r) || scriptOf(r) != spaced:
			if inside {
				set("ς")
			}
			set("σ")
			before, inside = false, false
		default:
			set("σ")
			inside = before
			if before = true; r == 'σ' || r == 'ς' {
				last = i
			}
		}
	}
	if inside {
		set("ς")
	}
	set("σ")
}

// appendFolded appends the normal form of word, a word in a vocabulary, by the second rule to b, which is empty.
func appendFolded(b, word []byte) []byte {
	ascii := true
	for i := 0; i < len(word); {
		r, size := utf8.DecodeRune(word[i:])
		i += size
		if ascii = ascii && r < utf8.RuneSelf; r < utf8.RuneSelf {
			b = append(b, byte(unicode.ToLower(r)))
		} else if !ignorable(r) {
			b = utf8.AppendRune(b, r)
		}
	}
	if ascii {
		return b
	}
	_, b = appendLower(nil, compatible(b))
	return b
}
