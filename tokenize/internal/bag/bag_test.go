package bag

import (
	"fmt"
	"maps"
	"strings"
	"testing"

	"privpipe/pipelines/vocabulary"
	"privpipe/pipelines/wire"
	"privpipe/tokenize/internal/words"
)

// bagOf returns the counts of the words of texts as a document says them.
func bagOf(t *testing.T, c *Counter, v vocabulary.Words, texts ...string) map[string]uint32 {
	t.Helper()
	for _, text := range texts {
		c.Add([]byte(text))
	}
	d := &wire.Document{Id: "a"}
	if err := c.Bag(d); err != nil {
		t.Fatal(err)
	}
	header := &wire.Header{VocabularySize: uint32(len(v))}
	if err := wire.Check(header, &wire.Record{Body: &wire.Record_Document{Document: d}}); err != nil {
		t.Fatal(err)
	}
	counts := make(map[string]uint32)
	for i, id := range wire.AppendIDs(nil, d.WordGaps) {
		counts[v[id]] = d.Counts[i]
	}
	return counts
}

func TestBag(t *testing.T) {
	v := vocabulary.Words{"zebra", "apple", "encyclopedia", "caf\u00e9"}
	c := NewCounter(NewIndex(v), len(v))
	for _, step := range []struct { // one after the other: nothing of a document is in the next
		texts []string
		want  map[string]uint32
	}{
		{[]string{"Apple, ZEBRA; apple pear"}, map[string]uint32{"apple": 2, "zebra": 1}},
		{nil, map[string]uint32{}},
		{[]string{"nothing known"}, map[string]uint32{}},
		{[]string{"zebra", "encyclopedia cafe\u0301 zebra"}, map[string]uint32{"zebra": 2, "encyclopedia": 1, "caf\u00e9": 1}},
	} {
		if got := bagOf(t, c, v, step.texts...); !maps.Equal(got, step.want) {
			t.Errorf("%q: got %v, want %v", step.texts, got, step.want)
		}
	}
}

func TestBagRefusesMoreWordsThanTheWireAllows(t *testing.T) {
	v := vocabulary.Words{"a"}
	c := NewCounter(NewIndex(v), 1)
	text := []byte(strings.Repeat("a ", 1<<20))
	for range wire.MaxTokens >> 20 {
		c.Add(text)
	}
	d := new(wire.Document)
	if err := c.Bag(d); err != nil || d.Counts[0] != wire.MaxTokens {
		t.Fatalf("got %v, want a document of the greatest length", err)
	}
	for range wire.MaxTokens >> 20 {
		c.Add(text)
	}
	c.Add([]byte("a"))
	if err := c.Bag(d); err == nil || err.Error() != "document of more than 16777216 known words" {
		t.Errorf("got %v, want an error of a document that is too long", err)
	}
	if got := bagOf(t, c, v, "a"); got["a"] != 1 {
		t.Errorf("got %v after the refusal, want one word", got)
	}
}

// TestCheckSize checks that a document passes if and only if a record of a round holds it.
func TestCheckSize(t *testing.T) {
	for _, size := range []int{1000, 300_000, 439_000, 439_900, 440_000, 500_000} {
		d := &wire.Document{Id: strings.Repeat("x", wire.MaxName)}
		d.WordGaps, d.Counts = make([]uint32, size), make([]uint32, size)
		for i := range size {
			d.WordGaps[i], d.Counts[i] = 1, 1
		}
		_, tooLarge := wire.Append(nil, &wire.Record{Round: 1 << 31, Body: &wire.Record_Document{Document: d}})
		if err := CheckSize(d); (err != nil) != (tooLarge != nil) {
			t.Errorf("%d words: got %v, and a record says %v", size, err, tooLarge)
		}
	}
}

func TestIndex(t *testing.T) {
	v := vocabulary.Words{
		"Dog", "dog", "e_mail", "8bytes", "exactly", "eightchr", "ninechars", "cafe\u0301", "x-", "\u00a8\u0301",
	}
	x := NewIndex(v)
	for word, want := range map[string]int{
		"dog": 0, "exactly": 4, "eightchr": 5, "ninechars": 6, "caf\u00e9": 7,
		"e": -1, "mail": -1, "bytes": -1, "x": -1, // parts of entries that no text has as a word
		"\u0301": -1, // of as many bytes as the entry U+00A8 U+0301 composed, and still another word
		"cat":    -1, "ninecharz": -1, "inechars": -1,
	} {
		new(words.Splitter).Split([]byte(word), func(w words.Word) {
			got := -1
			if id, ok := x.Find(w); ok {
				got = int(id)
			}
			if got != want {
				t.Errorf("%q: got id %d, want %d", word, got, want)
			}
		})
	}
}

// FuzzIndex compares the index of all words of one text with a map, on all words of another.
func FuzzIndex(f *testing.F) {
	f.Add("a b c", "c d a")
	f.Add("", "a")
	f.Add("long words beyond eight encyclopedia", "encyclopedia encyclopedic beyond")
	many := new(strings.Builder)
	for i := range 3000 {
		fmt.Fprintf(many, "%s ", strings.Map(func(r rune) rune { return r - '0' + 'a' }, fmt.Sprint(i)))
	}
	f.Add(many.String(), many.String()+"zzz")
	f.Fuzz(func(t *testing.T, known, text string) {
		var s words.Splitter
		var v vocabulary.Words
		want := make(map[string]uint32)
		s.Split([]byte(known), func(w words.Word) {
			if _, ok := want[string(w.Bytes)]; !ok {
				want[string(w.Bytes)] = uint32(len(v))
				v = append(v, string(w.Bytes))
			}
		})
		x := NewIndex(v)
		s.Split([]byte(known+" "+text), func(w words.Word) {
			id, ok := x.Find(w)
			wantID, wantOK := want[string(w.Bytes)]
			if ok != wantOK || ok && id != wantID {
				t.Errorf("%q in %q: got %d, %v, want %d, %v", w.Bytes, v, id, ok, wantID, wantOK)
			}
		})
	})
}
