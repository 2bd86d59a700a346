package words

import (
	"encoding/binary"
	"slices"
	"strings"
	"testing"
	"unicode"

	"golang.org/x/text/unicode/norm"
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
		{"300\u212a \u2126", []string{"k", "\u03c9"}}, // kelvin sign and ohm sign are letters
		{"x\u00b2 \u2075 \u216b", []string{"x"}},      // numbers are not
		{"a\xffb \xc3", []string{"a", "b"}},           // what is not UTF-8 separates
		{"a\ufffdb\x00c", []string{"a", "b", "c"}},
		{"\ufeffbom", []string{"bom"}},
	} {
		if got := split(t, new(Splitter), c.text); !slices.Equal(got, c.want) {
			t.Errorf("%q: got %q, want %q", c.text, got, c.want)
		}
	}
}

// splitReference is Split rune by rune, without its shortcut for ASCII.
func splitReference(text string) []string {
	separates := func(r rune) bool { return r == unicode.ReplacementChar || !unicode.In(r, unicode.L, unicode.M) }
	found := strings.FieldsFunc(text, separates)
	for i, word := range found {
		found[i] = norm.NFC.String(strings.Map(unicode.ToLower, word))
	}
	return found
}

func FuzzSplit(f *testing.F) {
	for _, seed := range []string{
		"", "plain ASCII", "caf\u00e9 and cafe\u0301", "\u00e9", "a\u00e9b\u00e9", "\xff\xfe", "\u0130\u0131 \u1e9e",
		"a\u0308\u0301\u0323",
		"a" + strings.Repeat("\u0301", 40), "\u1100\u1161\u11a8", "\u00a8\u0301", strings.Repeat("long", 100) + "\u00fc",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var s Splitter
		got := split(t, &s, text)
		if want := splitReference(text); !slices.Equal(got, want) {
			t.Fatalf("%q: got %q, want %q", text, got, want)
		}
		// A vocabulary is made of words and finds them again: a word is its own only word, and its own normal form.
		for _, word := range got {
			if again := split(t, &s, word); !slices.Equal(again, []string{word}) {
				t.Errorf("the word %q of %q splits into %q", word, text, again)
			}
			if normal := Normal(word); normal != word {
				t.Errorf("the word %q of %q has the normal form %q", word, text, normal)
			}
		}
	})
}
