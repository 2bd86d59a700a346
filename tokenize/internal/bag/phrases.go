package bag

import (
	"cmp"
	"slices"
	"strings"

	"privpipe/tokenize/internal/words"
)

// Pairs find neighbouring words that occur together more often than their single frequencies suggest. They are numbers
// of words, and of pairs of neighbouring words, in texts. A pair takes some 40 bytes of memory.
type Pairs struct {
	ids   map[string]uint32
	words []wordCount          // by id
	pairs map[[2]uint32]uint64 // by the ids of both words
}

type wordCount struct {
	word string
	n    uint64
}

// NewPairs returns empty counts.
func NewPairs() *Pairs {
	return &Pairs{ids: make(map[string]uint32), pairs: make(map[[2]uint32]uint64)}
}

func (c *Pairs) id(word []byte) uint32 {
	id, known := c.ids[string(word)]
	if !known {
		id = uint32(len(c.words))
		c.words = append(c.words, wordCount{word: string(word)})
		c.ids[c.words[id].word] = id
	}
	return id
}

// Add counts the words that s finds in text. Two words are neighbours whatever stands between them, as in gensim.
func (c *Pairs) Add(s *words.Splitter, text words.Text) {
	last, begun := uint32(0), false
	s.Words(text, func(w words.Word) {
		if len(w.Bytes) == 0 {
			begun = false
			return
		}
		id := c.id(w.Bytes)
		c.words[id].n++
		if begun {
			c.pairs[[2]uint32{last, id}]++
		}
		last, begun = id, true
	})
}

// Merge adds the counts of other texts.
func (c *Pairs) Merge(other *Pairs) {
	ids := make([]uint32, len(other.words))
	for i, w := range other.words {
		ids[i] = c.id([]byte(w.word))
		c.words[ids[i]].n += w.n
	}
	for pair, n := range other.pairs {
		c.pairs[[2]uint32{ids[pair[0]], ids[pair[1]]}] += n
	}
}

// Best returns the pairs with at least least occurrences and a score above threshold. Each has words.Joint between its
// words. The highest score comes first, and pairs with equal scores are in the order of their bytes. The score of the
// pair ab is
//
//	(n(ab) − least) · N / (n(a) · n(b))
//
// with N the number of different words and pairs. It is the score of gensim's Phrases (original_scorer). Up to the
// factor N it is equation 6 of Mikolov et al., Distributed Representations of Words and Phrases and their
// Compositionality (NIPS 2013); least is the discount δ. Pairs that are too long for a vocabulary are left out.
func (c *Pairs) Best(least uint64, threshold float64) []string {
	type scored struct {
		phrase string
		score  float64
	}
	var all []scored
	total := float64(len(c.words) + len(c.pairs))
	for pair, n := range c.pairs {
		if n < least {
			continue
		}
		a, b := c.words[pair[0]], c.words[pair[1]]
		score := float64(n-least) / float64(a.n) / float64(b.n) * total
		phrase := a.word + words.Joint + b.word
		if score > threshold && words.Possible([]byte(phrase)) {
			all = append(all, scored{phrase, score})
		}
	}
	slices.SortFunc(all, func(a, b scored) int {
		return cmp.Or(cmp.Compare(b.score, a.score), strings.Compare(a.phrase, b.phrase))
	})
	best := make([]string, len(all))
	for i, s := range all {
		best[i] = s.phrase
	}
	return best
}
