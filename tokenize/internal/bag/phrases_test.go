package bag

import (
	"slices"
	"strings"
	"testing"

	"privpipe/tokenize/internal/words"
)

// corpus is ten documents, and one more.
var corpus = append(slices.Repeat([]string{
	"New York is a big city near New York Bay", "the New York Times is a paper of New York",
	"machine learning in New Haven is new",
	"machine learning, machine learning of the city", "York is in England",
}, 2), "machine learning of New York")

func count(texts ...string) *Pairs {
	c := NewPairs()
	for _, text := range texts {
		c.Add(new(words.Splitter), words.Text{Content: []byte(text)})
	}
	return c
}

// TestBest has what gensim 4's Phrases(documents, min_count=2, threshold=…).export_phrases() answers, in the order of
// its scores: 4.39 machine_learning, 2.69 is_a, 2.10 new_york, 1.23 learning_of.
func TestBest(t *testing.T) {
	whole := count(corpus...)
	parts := count(corpus[7:]...)
	parts.Merge(count(corpus[:7]...))
	for _, c := range []struct {
		threshold float64
		want      string
	}{
		{1, "machine_learning is_a new_york learning_of"},
		{1.22, "machine_learning is_a new_york learning_of"}, {1.23, "machine_learning is_a new_york"},
		{2.68, "machine_learning is_a"}, {2.69, "machine_learning"}, {4.38, "machine_learning"}, {4.39, ""},
	} {
		for i, counts := range []*Pairs{whole, parts} {
			if got := strings.Join(counts.Best(2, c.threshold), " "); got != c.want {
				t.Errorf("%d: threshold %v: got %s, want %s", i, c.threshold, got, c.want)
			}
		}
	}
}

// TestBestRefuses: pairs with too few occurrences, too long ones, and words with no word between them in the
// vocabulary's sense.
func TestBestRefuses(t *testing.T) {
	long := strings.Repeat("x", 200)
	for _, c := range []struct {
		text  string
		least uint64
	}{
		{"a b", 2}, {long + " " + long, 1},
	} {
		if got := count(c.text).Best(c.least, 0); len(got) > 0 {
			t.Errorf("%s: got %q", c.text, got)
		}
	}
	var gap words.Text
	for _, token := range []string{"a", " ", "b"} {
		gap.Token([]byte(token))
	}
	c := NewPairs()
	c.Add(new(words.Splitter), gap)
	if len(c.pairs) != 0 || len(c.words) != 2 {
		t.Errorf("got %d pairs of %d words, want none of 2", len(c.pairs), len(c.words))
	}
}

// TestSecondPass: with phrases joined, the words of a pair may be phrases.
func TestSecondPass(t *testing.T) {
	p, err := words.Rule{}.NewPhrases([]string{"new_york"})
	if err != nil {
		t.Fatal(err)
	}
	c := NewPairs()
	for range 3 {
		c.Add(&words.Splitter{Rule: words.Rule{Phrases: p}}, words.Text{Content: []byte("New York Times")})
	}
	if got := c.Best(1, 0); !slices.Equal(got, []string{"new_york_times"}) {
		t.Errorf("got %q", got)
	}
}
