package words

import (
	"bytes"
	"slices"
	"strings"
	"testing"
)

func phrasesOf(t *testing.T, entries ...string) *Phrases {
	t.Helper()
	p, err := Rule{}.NewPhrases(entries)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestPhrases(t *testing.T) {
	p := phrasesOf(t, "New_York", "new_york_stock_exchange", "stock_market", "york_times", "a_a", "caf\u00e9_noir",
		"東京_京都", "can_t")
	for text, want := range map[string]string{
		"":                                  "",
		"In New York, NEW\nYORK.":           "in new_york new_york",
		"the york new":                      "the york new",
		"new york times":                    "new_york times", // from left to right
		"new york stock exchange":           "new_york_stock_exchange",
		"new york stock market":             "new_york stock_market", // what waits for a longer phrase is not lost
		"new york stock new york stock":     "new_york stock new_york stock",
		"new new york":                      "new new_york",
		"a a a a a":                         "a_a a_a a",
		"a cafe\u0301 noir at york":         "a caf\u00e9_noir at york",
		"東京都へ":                              "東京_京都 へ",
		"can't new_york":                    "can_t new_york",
		"new":                               "new",
		"encyclopedia of new york stock ex": "encyclopedia of new_york stock ex",
	} {
		s := Splitter{Rule: Rule{Phrases: p}}
		for range 2 { // nothing of a text is in the next
			if got := strings.Join(wordsOf(&s, Text{Content: []byte(text)}), " "); got != want {
				t.Errorf("%q: got %q, want %q", text, got, want)
			}
		}
	}
	s := Splitter{Rule: Rule{Phrases: p}}
	if got := wordsOf(&s, list("New", "York", "new", " ", "york", "New_York")); !slices.Equal(got,
		[]string{"new_york", "new", "", "york", "new_york"}) {
		t.Errorf("got %q of tokens", got)
	}
	// A phrase has the key of the word that it is.
	s.Words(Text{Content: []byte("a a")}, func(w Word) {
		if w.Key != 'a'<<16|'_'<<8|'a' {
			t.Errorf("key %x", w.Key)
		}
	})
}

func TestNoPhrases(t *testing.T) {
	for _, entry := range []string{"york", "_york", "new_", "new__york", "_", "\u00ad_x"} {
		if _, err := (Rule{}).NewPhrases([]string{"new_york", entry}); err == nil ||
			!strings.Contains(err.Error(), "is no phrase") {
			t.Errorf("%q: got %v, want a refusal", entry, err)
		}
	}
}

// TestPhrasesOfSettings: other phrases are another rule, and so other settings, but not the same in another order or
// case.
func TestPhrasesOfSettings(t *testing.T) {
	first := Rule{Phrases: phrasesOf(t, "new_york", "los_angeles")}.Settings()
	if same := (Rule{Phrases: phrasesOf(t, "Los_Angeles", "new_york", "NEW_YORK")}.Settings()); !bytes.Equal(first,
		same) {
		t.Errorf("the same phrases have other settings")
	}
	for _, other := range [][]byte{
		Rule{}.Settings(), Rule{Phrases: phrasesOf(t, "new_york")}.Settings(),
		Rule{Phrases: phrasesOf(t, "new_york", "los_angeles_times")}.Settings(),
	} {
		if bytes.Equal(first, other) {
			t.Errorf("other phrases have the same settings")
		}
	}
}

// joinReference joins phrases of at most 100 words as the definition reads.
func joinReference(all []string, entries map[string]bool) (joined []string) {
	for len(all) > 0 {
		n := 1
		for i := 2; i <= min(len(all), 100); i++ {
			if entries[strings.Join(all[:i], Joint)] {
				n = i
			}
		}
		joined, all = append(joined, strings.Join(all[:n], Joint)), all[n:]
	}
	return joined
}

// FuzzPhrases compares with the definition, over words of a letter.
func FuzzPhrases(f *testing.F) {
	f.Add("ab abc", "abcababc")
	f.Add("aa aaa bab", "aaaaababaabab")
	f.Add("abcde bcd cx", "abcdcxabcdeabcd")
	f.Add("ab", "")
	f.Fuzz(func(t *testing.T, phrases, text string) {
		spell := func(s, joint string) string { // a letter of eight for each byte
			var letters []string
			for _, b := range []byte(s) {
				letters = append(letters, string('a'+rune(b%8)))
			}
			return strings.Join(letters, joint)
		}
		entries := make(map[string]bool)
		var all []string
		for phrase := range strings.FieldsSeq(phrases) {
			if len(phrase) > 1 && len(phrase) <= 100 {
				all = append(all, spell(phrase, Joint))
				entries[all[len(all)-1]] = true
			}
		}
		got := wordsOf(&Splitter{Rule: Rule{Phrases: phrasesOf(t, all...)}}, Text{Content: []byte(spell(text, " "))})
		if want := joinReference(strings.Fields(spell(text, " ")), entries); !slices.Equal(got, want) {
			t.Errorf("%q in %q: got %q, want %q", all, text, got, want)
		}
	})
}
