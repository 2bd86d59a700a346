package words

import (
	"slices"
	"strings"
	"testing"
)

// wordsOf returns copies of the words of a text.
func wordsOf(s *Splitter, text Text) (found []string) {
	s.Words(text, func(w Word) { found = append(found, string(w.Bytes)) })
	return found
}

func list(tokens ...string) (text Text) {
	text.List = true
	for _, token := range tokens {
		text.Token([]byte(token))
	}
	return text
}

// TestTokens: a token is a word as it is, except for case and the encoding of its letters.
func TestTokens(t *testing.T) {
	long := strings.Repeat("x", 256)
	for token, want := range map[string]string{
		"Apple": "apple", "can't": "can't", "E_mail": "e_mail", "2nd": "2nd", "東京都": "東京都", "cafe\u0301": "caf\u00e9",
		"CAF\u00c9":  "caf\u00e9",
		"so\u00adft": "soft", "##ing": "##ing", long: long, "U.S.": "u.s.",
		// what no vocabulary can hold
		"": "", " ": "", "New York": "", "a\u00a0b": "", "\n": "", "#": "", long + "x": "", "\u00ad": "", "\x00a": "",
		"a\x00": "",
	} {
		var s Splitter
		got := wordsOf(&s, list("before", token, "after"))
		if !slices.Equal(got, []string{"before", want, "after"}) {
			t.Errorf("%q: got %q, want %q", token, got, want)
		}
		s.Words(list(token), func(w Word) {
			if w.Key != wordOf([]byte(want)).Key {
				t.Errorf("%q: key %x of %q", token, w.Key, want)
			}
		})
	}
	if got := wordsOf(new(Splitter), list()); len(got) != 0 {
		t.Errorf("got %q of no tokens", got)
	}
}
