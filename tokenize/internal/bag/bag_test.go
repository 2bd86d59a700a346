package bag

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
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
		c.Add(words.Text{Content: []byte(text)})
	}
	d := &wire.Document{Id: "a"}
	if _, err := c.Bag(d); err != nil {
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
	c := NewCounter(NewIndex(v, words.Rule{}), len(v), words.Rule{})
	for _, step := range []struct { // one after the other: nothing of a document is in the next
		texts []string
		want  map[string]uint32
	}{
		{[]string{"Apple, ZEBRA; apple pear"}, map[string]uint32{"apple": 2, "zebra": 1}},
		{nil, map[string]uint32{}},
		{[]string{"nothing known"}, map[string]uint32{}},
		{[]string{"zebra", "encyclopedia cafe\u0301 zebra"},
			map[string]uint32{"zebra": 2, "encyclopedia": 1, "caf\u00e9": 1}},
	} {
		if got := bagOf(t, c, v, step.texts...); !maps.Equal(got, step.want) {
			t.Errorf("%q: got %v, want %v", step.texts, got, step.want)
		}
	}
}

func TestBagRefusesMoreWordsThanTheWireAllows(t *testing.T) {
	v := vocabulary.Words{"a"}
	c := NewCounter(NewIndex(v, words.Rule{}), 1, words.Rule{})
	text := words.Text{Content: []byte(strings.Repeat("a ", 1<<20))}
	for range wire.MaxTokens >> 20 {
		c.Add(text)
	}
	d := new(wire.Document)
	if _, err := c.Bag(d); err != nil || d.Counts[0] != wire.MaxTokens {
		t.Fatalf("got %v, want a document of the greatest length", err)
	}
	for range wire.MaxTokens >> 20 {
		c.Add(text)
	}
	c.Add(words.Text{Content: []byte("a")})
	if _, err := c.Bag(d); err == nil || err.Error() != "document of more than 16777216 known words" {
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
		"so\u00adft", "\u0301y", "\u6771\u4eac\u90fd",
	}
	x := NewIndex(v, words.Rule{})
	for word, want := range map[string]int{
		"dog": 0, "exactly": 4, "eightchr": 5, "ninechars": 6, "caf\u00e9": 7,
		"soft": 10, "so\u00adft": 10, // nothing is seen of a soft hyphen
		"\u6771\u4eac": -1, "y": -1,
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

// TestIndexOfTokens: a token of a list, and a phrase, is found by the entry that it is, which no text has as a word.
func TestIndexOfTokens(t *testing.T) {
	v := vocabulary.Words{"a", "E_mail", "x-", "\x00a", "new_york", "\x00ninechars"}
	phrases, err := words.Rule{}.NewPhrases([]string{"new_york"})
	if err != nil {
		t.Fatal(err)
	}
	c := NewCounter(NewIndex(v, words.Rule{}), len(v), words.Rule{Phrases: phrases})
	var list words.Text
	for _, token := range []string{"e_mail", "X-", "x", "\x00a", "\x00ninechars", "", "new_york", "New", "York"} {
		list.Token([]byte(token))
	}
	c.Add(list)
	d := new(wire.Document)
	of, err := c.Bag(d)
	if want := []uint32{1, 1, 2}; err != nil || of != (Words{All: 8, Known: 4}) || !slices.Equal(d.Counts, want) {
		t.Errorf("got %v, of words %v, %v", d, of, err)
	}
	if got := bagOf(t, c, v, "e_mail x- new york A"); !maps.Equal(got, map[string]uint32{"new_york": 1, "a": 1}) {
		t.Errorf("got %v of a text", got)
	}
}

// TestStopWords: stop words that are not in the vocabulary are counted apart, and are in no bag. The next bag begins at
// none.
func TestStopWords(t *testing.T) {
	v := vocabulary.Words{"dog", "the"}
	index := NewIndex(v, words.Rule{}, "the", "of", "and", strings.Repeat("so", 20))
	c := NewCounter(index, len(v), words.Rule{})
	for _, want := range []Words{{All: 9, Known: 3, Stop: 4}, {All: 1}} {
		text := "The dog of dogs and THE AND cat " + strings.Repeat("so", 20)
		if want.All == 1 {
			text = "cat"
		}
		c.Add(words.Text{Content: []byte(text)})
		d := new(wire.Document)
		of, err := c.Bag(d)
		if err != nil || of != want || len(d.Counts) > len(v) {
			t.Errorf("%q: %v, %v, %v; want %v", text, of, d, err, want)
		}
	}
	if got := (Words{All: 9, Known: 3, Stop: 4}).Coverage(); got != 0.6 {
		t.Errorf("coverage %v, want 3 of 5", got)
	}
	if got := (Words{All: 4, Stop: 4}).Coverage(); got != 0 {
		t.Errorf("coverage of stop words %v", got)
	}
}

// TestIDs compares with a sort, for vocabularies around the sizes of a word of bits and of a word of such words.
func TestIDs(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	for _, size := range []int{1, 63, 64, 65, 4095, 4096, 4097, 8001, 300_000} {
		set := newIDs(size)
		for range 50 { // one set after the other: nothing of one is in the next
			var want []uint32
			for range random.IntN(100) {
				id := uint32(random.IntN(size))
				if random.IntN(4) == 0 {
					id = []uint32{0, uint32(size) - 1}[random.IntN(2)]
				}
				set.add(id)
				want = append(want, id)
			}
			slices.Sort(want)
			if got := set.take(); !slices.Equal(got, slices.Compact(want)) {
				t.Fatalf("of %d: got %v, want %v", size, got, want)
			}
		}
	}
}

// TestIndexOfLengths finds words of 1 to 20 letters that differ in one letter, and none of those one longer or shorter.
func TestIndexOfLengths(t *testing.T) {
	var v vocabulary.Words
	for length := range 20 {
		v = append(v, strings.Repeat("a", length+1))
		for at := range length + 1 {
			word := []byte(strings.Repeat("a", length+1))
			word[at] = 'b'
			v = append(v, string(word))
		}
	}
	for skip := range 2 { // every second word is known
		known := make(map[string]uint32)
		var some vocabulary.Words
		for i, word := range v {
			if i%2 == skip {
				known[word] = uint32(len(some))
				some = append(some, word)
			}
		}
		x := NewIndex(some, words.Rule{})
		for _, word := range v {
			new(words.Splitter).Split([]byte(word), func(w words.Word) {
				id, ok := x.Find(w)
				if want, is := known[word]; ok != is || ok && id != want {
					t.Errorf("%q: got id %d, %v, want %d, %v", word, id, ok, want, is)
				}
			})
		}
	}
}

// FuzzIndex compares the index of all words of one text with a map, on all words of another.
func FuzzIndex(f *testing.F) {
	f.Add("a b c", "c d a")
	f.Add("", "a")
	f.Add(strings.Repeat("k", wire.MaxWord+1)+" a", "a")
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
			if len(w.Bytes) > wire.MaxWord { // no vocabulary can hold it
				return
			}
			if _, ok := want[string(w.Bytes)]; !ok {
				want[string(w.Bytes)] = uint32(len(v))
				v = append(v, string(w.Bytes))
			}
		})
		x := NewIndex(v, words.Rule{})
		s.Split([]byte(known+" "+text), func(w words.Word) {
			id, ok := x.Find(w)
			wantID, wantOK := want[string(w.Bytes)]
			if ok != wantOK || ok && id != wantID {
				t.Errorf("%q in %q: got %d, %v, want %d, %v", w.Bytes, v, id, ok, wantID, wantOK)
			}
		})
	})
}

// BenchmarkText counts the words of texts of a kilobyte.
func BenchmarkText(b *testing.B) {
	for name, text := range map[string]string{
		"English": "The quick brown fox doesn\u2019t jump over a lazy dog: it runs through the encyclopedia, and " +
			"stops at page 17.\n",
		"German": "Der schnelle Fuchs springt nicht \u00fcber den m\u00fcden Hund; er l\u00e4uft durchs " +
			"W\u00f6rterbuch und bleibt auf Seite 17 stehen.\n",
		"Russian": "\u0411\u044b\u0441\u0442\u0440\u0430\u044f \u043b\u0438\u0441\u0430 " +
			"\u043f\u0440\u044b\u0433\u0430\u0435\u0442 \u0447\u0435\u0440\u0435\u0437 " +
			"\u043b\u0435\u043d\u0438\u0432\u0443\u044e \u0441\u043e\u0431\u0430\u043a\u0443.\n",
		"Korean":  "\ube60\ub978 \uc5ec\uc6b0\uac00 \uac8c\uc73c\ub978 \uac1c\ub97c \ub6f0\uc5b4\ub118\ub294\ub2e4.\n",
		"Chinese": "\u654f\u6377\u7684\u68d5\u8272\u72d0\u72f8\u8df3\u8fc7\u61d2\u72d7\u3002\n",
		"Thai":    "\u0e2a\u0e38\u0e19\u0e31\u0e02\u0e08\u0e34\u0e49\u0e07\u0e08\u0e2d\u0e01\u0e2a\u0e35\u0e19\u0e49\u0e33\u0e15\u0e32\u0e25\n",
	} {
		b.Run(name, func(b *testing.B) {
			text := []byte(strings.Repeat(text, 1+1000/len(text)))
			v := vocabulary.Words{"the", "fox", "jump", "dog", "runs", "encyclopedia", "fuchs", "w\u00f6rterbuch",
				"hund"}
			c := NewCounter(NewIndex(v, words.Rule{Number: words.Newest}), len(v), words.Rule{Number: words.Newest})
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				c.Add(words.Text{Content: text})
				if _, err := c.Bag(new(wire.Document)); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
