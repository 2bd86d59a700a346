package attack

import (
	"fmt"
	"math"
	"slices"
	"testing"
)

// choose returns the documents and words of the chosen tokens. words states the number of words of each document, and
// order the order of the documents.
func choose(t *testing.T, seed uint64, most int, words map[string]int, order []string) (chosen []string, seen int) {
	c := &chooser{seed: seed, most: most}
	for _, record := range order {
		// none occurs once
		cells := []cell{{topic: 1, word: 100, value: 2}, {topic: 0, word: 101, value: 1},
			{topic: 1, word: 101, value: 1}}
		for word := range words[record] {
			cells = append(cells, cell{topic: word % 2, word: word, value: 1})
		}
		d, err := newDocument(cells, false)
		if err != nil {
			t.Fatal(err)
		}
		c.add(name{"unit", record}, d)
	}
	for _, x := range c.chosen() {
		chosen = append(chosen, fmt.Sprint(x.of.record, x.word))
	}
	return chosen, c.seen
}

// TestChooser: each document gives a token before any gives a second; only the seed decides which.
func TestChooser(t *testing.T) {
	words := map[string]int{"a": 30, "b": 1, "c": 2, "none": 0}
	names := []string{"a", "b", "none", "c"}
	for most, documents := range map[int]map[byte]int{
		1: nil, 3: {'a': 1, 'b': 1, 'c': 1}, 5: {'a': 2, 'b': 1, 'c': 2}, 9: {'a': 6, 'b': 1, 'c': 2},
		33: {'a': 30, 'b': 1, 'c': 2},
		99: {'a': 30, 'b': 1, 'c': 2},
	} {
		chosen, seen := choose(t, 1, most, words, names)
		if len(chosen) != min(most, 33) || seen != 33 {
			t.Errorf("%d of %d tokens, want %d of 33", len(chosen), seen, min(most, 33))
		}
		got := make(map[byte]int)
		for _, c := range chosen {
			got[c[0]]++
		}
		for document, n := range documents {
			if got[document] != n {
				t.Errorf("%d tokens: %d of document %c, want %d", most, got[document], document, n)
			}
		}
		if sorted := slices.Compact(slices.Sorted(slices.Values(chosen))); len(sorted) != len(chosen) {
			t.Errorf("a token twice: %v", chosen)
		}
	}
	chosen, _ := choose(t, 1, 9, words, names)
	slices.Reverse(names)
	if again, _ := choose(t, 1, 9, words, names); !slices.Equal(chosen, again) {
		t.Errorf("in another order of documents: %v, want %v", again, chosen)
	}
	if other, _ := choose(t, 2, 9, words, names); slices.Equal(chosen, other) {
		t.Error("another seed chooses the same")
	}
}

// TestChooserIsFair: a document with many tokens is chosen no more often than another. A right chooser fails once in a
// million times.
func TestChooserIsFair(t *testing.T) {
	const seeds = 2000
	long := 0
	for seed := range uint64(seeds) {
		if chosen, _ := choose(t, seed, 1, map[string]int{"a": 30, "b": 1}, []string{"a", "b"}); chosen[0][0] == 'a' {
			long++
		}
	}
	if limit := 4.9 * math.Sqrt(seeds) / 2; math.Abs(float64(long)-seeds/2) > limit {
		t.Errorf("the long document is chosen %d times of %d", long, seeds)
	}
}

// TestJudge: probabilities are normalised whatever the scores are, and ties are shared.
func TestJudge(t *testing.T) {
	for _, c := range []struct {
		scores            []float64
		word              int
		probability, most float64
	}{
		{[]float64{math.Log(3), 0, 0}, 0, .6, 1},
		{[]float64{math.Log(3), 0, 0}, 1, .2, 0},
		{[]float64{-5000, -5000 - math.Ln2, -9000}, 0, 2. / 3, 1},
		{[]float64{5000, 5000, 4000}, 1, .5, .5},
		{[]float64{0, 0, 0, 0}, 3, .25, .25},
	} {
		if p, most := judge(c.scores, c.word); math.Abs(p-c.probability) > 1e-12 || most != c.most {
			t.Errorf("%v, word %d: %v and %v, want %v and %v", c.scores, c.word, p, most, c.probability, c.most)
		}
	}
}
