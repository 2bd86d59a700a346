package bag

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"privpipe/pipelines/vocabulary"
	"privpipe/pipelines/wire"
	"privpipe/tokenize/internal/words"
)

func TestWords(t *testing.T) {
	stop := NewIndex(vocabulary.Words{"the", "encyclopedia", "caf\u00e9"}, words.Rule{})
	long := strings.Repeat("x", wire.MaxWord)
	for _, c := range []struct {
		text       string
		minLetters int
		stop       *Index
		want       []string
	}{
		{"", 1, nil, nil},
		{"... 42", 1, nil, nil},
		{"The pear, the APPLE; the Pear", 1, nil, []string{"apple", "pear", "the"}},
		{"The pear, the APPLE; the Pear", 4, nil, []string{"apple", "pear"}},
		{"n\u00e9 \u00e9t\u00e9", 3, nil, []string{"\u00e9t\u00e9"}}, // letters, not bytes
		{"The pear THE encyclopedia cafe\u0301s cafe\u0301", 1, stop, []string{"caf\u00e9s", "pear"}},
		{"one " + long + " " + long + "x", 1, nil, []string{"one", long}},
	} {
		got := NewCollector(c.minLetters, c.stop, words.Rule{}).Words(uncut(c.text))
		if !slices.Equal(got, c.want) {
			t.Errorf("%q: got %q, want %q", c.text, got, c.want)
		}
	}
}

// distinct returns n words of the given length, none a prefix of another.
func distinct(n, length int) []string {
	all := make([]string, n)
	for i := range all {
		name := strings.Map(func(r rune) rune { return r - '0' + 'a' }, fmt.Sprintf("%08d", i))
		all[i] = strings.Repeat("z", length-len(name)) + name
	}
	return all
}

// record is the size of a record of t, whose names are as long as they can be.
func record(t *testing.T, words []string) error {
	t.Helper()
	name := strings.Repeat("n", wire.MaxName)
	r := &wire.Record{Body: &wire.Record_Terms{Terms: &wire.Terms{Id: name, User: name, Words: words}}}
	if err := wire.Check(&wire.Header{Kind: wire.Kind_TERMS}, r); err != nil {
		t.Error(err)
	}
	_, err := wire.Append(nil, r)
	return err
}

// TestCut: too many words for a record are truncated so that they fit, short and long words alike, and no more than
// needed.
func TestCut(t *testing.T) {
	for _, length := range []int{8, 100, wire.MaxWord} {
		most := room / (length + 3)
		whole := distinct(most, length)
		got, cut := Cut(whole)
		if cut || !slices.Equal(got, whole) {
			t.Errorf("%d words of %d bytes are cut to %d", most, length, len(got))
		}
		if err := record(t, got); err != nil {
			t.Errorf("%d words of %d bytes: %v", most, length, err)
		}
		more := distinct(most+most/2, length)
		got, cut = Cut(more)
		if !cut || len(got) != most || !slices.IsSorted(got) {
			t.Errorf("%d words of %d bytes are cut to %d, want %d", len(more), length, len(got), most)
		}
		if err := record(t, got); err != nil {
			t.Errorf("cut words of %d bytes: %v", length, err)
		}
	}
}

// TestCutDependsOnTheDocumentAlone: on its set of words, and not on documents before or the order in the text. Another
// document is cut otherwise, and no half of the alphabet is favoured. The hash is fixed, so the counts are the same
// each time.
func TestCutDependsOnTheDocumentAlone(t *testing.T) {
	all := distinct(2*room/(8+3), 8)
	c := NewCollector(1, nil, words.Rule{})
	whole := c.Words(uncut(strings.Join(all, " ")))
	kept, _ := Cut(whole)
	if !slices.Equal(whole, all) {
		t.Error("the cut changed the words that it was given")
	}
	c.Words(uncut("other words"))
	backwards := slices.Clone(all)
	slices.Reverse(backwards)
	if again, _ := Cut(c.Words(uncut(strings.Join(backwards, " ")))); !slices.Equal(kept, again) {
		t.Error("the order of the words, or a document before, changes the cut")
	}
	inBoth := 0
	other, _ := Cut(append(slices.Clone(all), "zzzzzzzzzz")) // one word more
	for _, word := range other {
		if _, found := slices.BinarySearch(kept, word); found {
			inBoth++
		}
	}
	// Of 79,800 out of twice as many half are in an independent choice: standard deviation below 142 (hypergeometric).
	if d := inBoth - len(kept)/2; d < -750 || d > 750 {
		t.Errorf("another document keeps %d of %d words that this one keeps", inBoth, len(kept))
	}
	half, _ := slices.BinarySearch(kept, all[len(all)/2])
	if d := half - len(kept)/2; d < -750 || d > 750 {
		t.Errorf("%d of %d words are of the first half of the alphabet", half, len(kept))
	}
}

func BenchmarkWords(b *testing.B) {
	text := uncut(strings.Repeat("the quick brown fox jumps over a lazy dog and keeps running, all day; ", 20))
	c := NewCollector(3, nil, words.Rule{})
	b.SetBytes(int64(len(text.Content)))
	for b.Loop() {
		Cut(c.Words(text))
	}
}

func uncut(text string) words.Text { return words.Text{Content: []byte(text)} }
