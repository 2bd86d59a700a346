package words

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// split returns copies of the words of text and checks their keys.
func split(t *testing.T, s *Splitter, text string) (found []string) {
	t.Helper()
	s.Split([]byte(text), func(w Word) {
		found = append(found, string(w.Bytes))
		last := append(make([]byte, 8), w.Bytes...)
		if want := binary.BigEndian.Uint64(last[len(last)-8:]); w.Key != want {
			t.Errorf("%q: got the key %x of %q, want %x", text, w.Key, w.Bytes, want)
		}
	})
	return found
}

func TestSplit(t *testing.T) {
	for _, c := range []struct {
		text string
		want []string
	}{
		{"", nil},
		{"... 42 -- \n", nil},
		{"Two  WORDS\n", []string{"two", "words"}},
		{"can't e_mail a1b", []string{"can", "t", "e", "mail", "a", "b"}},
		{"caf\u00e9 cafe\u0301 CAF\u00c9", []string{"caf\u00e9", "caf\u00e9", "caf\u00e9"}},
		{"\u00c9t\u00e9, na\u00efve\u2014yes", []string{"\u00e9t\u00e9", "na\u00efve", "yes"}},
		{"\u041c\u0418\u0420 \u6771\u4eac\u3002", []string{"\u043c\u0438\u0440", "\u6771\u4eac"}},
		// An invisible code point neither forms a word nor cuts one; an invisible space is a space.
		{"\ufe0f \u2764\ufe0f 1\ufe0f\u20e3 \u200d \u00ad \u3164 \u034f", nil},
		{"co\u00adoperate STRA\u00adSSE\u00ad, \u00ada\u2060b", []string{"cooperate", "strasse", "ab"}},
		{"na\u00ad\u00efve", []string{"na\u00efve"}},
		// Persian
		{"\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645", []string{"\u0645\u06cc\u062e\u0648\u0627\u0647\u0645"}},
		{"a\u200bb a\u0600b a\ufff9b", []string{"a", "b", "a", "b", "a", "b"}},
		// A mark belongs to the letter before it, and without one is no word.
		{"\u0301 1\u0301 \u0301a \u00ad\u0301b \u30fc", []string{"a", "b"}},
		{"a\u0301\u00ad\u0323", []string{"\u1ea1\u0301"}},
		// Scripts without spaces.
		{"\u6771\u4eac\u90fd\u306e\u30bf\u30ef\u30fc",
			[]string{"\u6771\u4eac", "\u4eac\u90fd", "\u306e", "\u30bf\u30ef\u30fc"}},
		{"\u5e74", []string{"\u5e74"}},
		{"\u4eba\u3005\u3002\u3089\u30fc\u3081\u3093 \uff8a\uff9e\uff9d",
			[]string{"\u4eba\u3005", "\u3089\u30fc\u3081", "\u3081\u3093", "\uff8a\uff9e\uff9d"}},
		{"iPhone\u624b\u673aX", []string{"iphone", "\u624b\u673a", "x"}},
		{"\u304b\u3099\u304d\u3099", []string{"\u304c\u304e"}},
		{"\u0e14\u0e35\u0e21\u0e32\u0e01", []string{"\u0e14\u0e35\u0e21", "\u0e21\u0e32", "\u0e32\u0e01"}},
		{"\u1797\u17b6\u200b\u1781\u17d2\u1798", []string{"\u1797\u17b6", "\u1781\u17d2\u1798"}},
		{"\ud559\uad50\uc5d0\uc11c \uc11c", []string{"\ud559\uad50\uc5d0\uc11c", "\uc11c"}}, // Korean has spaces
		// kelvin sign and ohm sign are letters
		{"300\u212a \u2126", []string{"k", "\u03c9"}},
		{"x\u00b2 \u2075 \u216b", []string{"x"}}, // numbers are not
		{"a\xffb \xc3", []string{"a", "b"}},      // bytes that are not UTF-8 separate words
		{"a\ufffdb\x00c", []string{"a", "b", "c"}},
		{"\ufeffbom", []string{"bom"}},
	} {
		if got := split(t, new(Splitter), c.text); !slices.Equal(got, c.want) {
			t.Errorf("%q: got %q, want %q", c.text, got, c.want)
		}
	}
}

// TestSplitInEights compares Split, which takes 8 bytes of ASCII at a time, with its reference, which takes runes, on
// texts of letters, their neighbours in ASCII and a few other runes. So words begin, end and are broken off at every
// place of the eight, and at the end of the text.
func TestSplitInEights(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	alphabets := [][]string{
		{"a", "z", "A", "Z", "m", " "},
		{"a", "z", "A", "Z", "m", "Q", "b", "c", "D", "e", "f", "g", "h", "i", "@", "[", "`", "{", "\x00", "\x7f",
			"\x1a", ":", "!"},
		{"a", "B", "y", "Z", " ", "\u00e9", "\u00df", "\u00ad", "\u0301", "\u6771", "\xff", "\u200b"},
	}
	var s Splitter // the memory of one text is used for the next
	for n := range 60_000 {
		alphabet := alphabets[n%len(alphabets)]
		var text strings.Builder
		letters := 1 + random.IntN(len(alphabet)) // few make long words
		for range random.IntN(40) {
			text.WriteString(alphabet[random.IntN(letters)])
		}
		reference := splitReference
		if s.Number = 1 + n/len(alphabets)%2; s.second() {
			reference = foldReference
		}
		if got, want := split(t, &s, text.String()), reference(text.String()); !slices.Equal(got, want) {
			t.Fatalf("rule %d, %q: got %q, want %q", s.Number, text.String(), got, want)
		}
	}
}

// TestLetters checks every byte of ASCII at every place of eight, beside bytes that carry if any does.
func TestLetters(t *testing.T) {
	for c := range byte(utf8.RuneSelf) {
		for place := range 8 {
			for _, others := range []byte{0, 'a', 'z', 'Z', 0x7f} {
				b := bytes.Repeat([]byte{others}, 8)
				b[place] = c
				low, are := letters(binary.LittleEndian.Uint64(b))
				for at, c := range b {
					is := are>>(8*at)&0xff == 0x80
					if is != (lower[c] != 0) || is && byte(low>>(8*at)) != lower[c] || are&^highs != 0 {
						t.Fatalf("byte %q of %q: a letter: %v, in lower case %q", c, b, is, byte(low>>(8*at)))
					}
				}
			}
		}
	}
}

func FuzzSplit(f *testing.F) {
	for _, seed := range []string{
		"", "plain ASCII", "caf\u00e9 and cafe\u0301", "\u00e9", "a\u00e9b\u00e9", "\xff\xfe", "\u0130\u0131 \u1e9e",
		"a\u0308\u0301\u0323",
		"a" + strings.Repeat("\u0301", 40), "\u1100\u1161\u11a8", "\u00a8\u0301",
		"\ufe0fa\u00adb\u200bc", "\u6771\u4eac\u90fd\u306e\u304b\u3099\u30bf\u30ef\u30fc",
		"\u0301\u0e14\u0e35\u0e21\u0e32\u0e01",
		"\u3089\u30fc \u4eba\u3005\u3006a\ud559\uad50", "\u1025\u102e\u1000\u200c\u1000", "\uf900\ufe00\u304b",
		strings.Repeat("long", 100) + "\u00fc",
		"I\u0307 \u0130\u0301 i\u0307\u0307\u0301", "\ufb01x \uff21b \ufdfaq \u0149 a\u02bcb",
		"\u03a3\u03a3\u03a3 \u03c2\u6771", "\u314b\u314f\u0e19\u0e33\ufe70",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for number, reference := range map[int]func(string) []string{1: splitReference, 2: foldReference} {
			s := Splitter{Rule: Rule{Number: number}}
			got := split(t, &s, text)
			if want := reference(text); !slices.Equal(got, want) {
				t.Fatalf("rule %d, %q: got %q, want %q", number, text, got, want)
			}
			// A vocabulary is made of words and finds them again: a word is its own only word, and its own normal form.
			for _, word := range got {
				if again := split(t, &s, word); !slices.Equal(again, []string{word}) {
					t.Errorf("rule %d: the word %q of %q splits into %q", number, word, text, again)
				}
				if normal := s.Normal(word); normal != word {
					t.Errorf("rule %d: the word %q of %q has the normal form %q", number, word, text, normal)
				}
			}
		}
	})
}

func TestShorter(t *testing.T) {
	for text, want := range map[string]bool{"of": true, "the": false, "\u00e9t": true, "\u6771\u4eac": false,
		"\u5e74": false, "\u30ab": false} {
		new(Splitter).Split([]byte(text), func(w Word) {
			if got := w.Shorter(3); got != want {
				t.Errorf("%q: got %v, want %v", text, got, want)
			}
		})
	}
}
