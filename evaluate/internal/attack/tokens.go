package attack

import (
	"bytes"
	"cmp"
	"container/heap"
	"crypto/sha256"
	"fmt"
	"math/rand/v2"
	"slices"
)

// A token is the only occurrence of its word in its document. So a contribution names its topic.
type token struct {
	document *document
	of       name
	word     int
	rank     rank

	equation, exact []float64 // log scores of each word, not normalised
}

// A rank orders tokens by a public seed. Each document gives one token before any document gives its second. The order
// of documents does not depend on their lengths.
type rank struct {
	nth      int // the place among the document's tokens
	document [sha256.Size]byte
}

func (t *token) compare(other *token) int {
	a, b := t.rank, other.rank
	return cmp.Or(cmp.Compare(a.nth, b.nth), bytes.Compare(a.document[:], b.document[:]))
}

// A chooser chooses the tokens with the least ranks. The choice does not depend on the order of documents.
type chooser struct {
	seed   uint64
	most   int
	tokens []*token // a heap, the greatest rank first
	seen   int      // tokens to choose from
}

// add offers a document's tokens, read from its first contribution.
func (c *chooser) add(of name, d *document) {
	random := sha256.Sum256(fmt.Appendf(nil, "%d %q %q", c.seed, of.unit, of.record))
	var words []int
	for word, n := range d.words {
		if n == 1 {
			words = append(words, word)
		}
	}
	c.seen += len(words)
	slices.Sort(words) // maps have no order
	rand.New(rand.NewChaCha8(random)).Shuffle(len(words), func(i, j int) { words[i], words[j] = words[j], words[i] })
	for nth, word := range words {
		t := &token{document: d, of: of, word: word, rank: rank{nth, random}}
		if len(c.tokens) == c.most {
			if t.compare(c.tokens[0]) > 0 {
				return // the tokens that follow have greater ranks
			}
			heap.Pop(c)
		}
		heap.Push(c, t)
	}
}

// chosen returns the tokens in the order of their ranks.
func (c *chooser) chosen() []*token {
	return slices.SortedFunc(slices.Values(c.tokens), (*token).compare)
}

// Len, Less, Swap, Push and Pop implement heap.Interface.
func (c *chooser) Len() int           { return len(c.tokens) }
func (c *chooser) Less(i, j int) bool { return c.tokens[i].compare(c.tokens[j]) > 0 }
func (c *chooser) Swap(i, j int)      { c.tokens[i], c.tokens[j] = c.tokens[j], c.tokens[i] }
func (c *chooser) Push(t any)         { c.tokens = append(c.tokens, t.(*token)) }
func (c *chooser) Pop() any {
	last := c.tokens[len(c.tokens)-1]
	c.tokens = c.tokens[:len(c.tokens)-1]
	return last
}
