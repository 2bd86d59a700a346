// Package bag counts the words of a document against a vocabulary.
package bag

import (
	"fmt"
	"slices"

	"google.golang.org/protobuf/proto"

	"privpipe/pipelines/wire"
	"privpipe/tokenize/internal/words"
)

// A Counter turns texts into bags of words. It holds scratch memory; one goroutine may use it at a time.
type Counter struct {
	index    *Index
	splitter words.Splitter
	counts   []uint32 // of the word ids below the vocabulary's size; zero between documents
	ids      []uint32 // with a count
	tokens   uint64   // words of the current bag, known or not
}

// NewCounter returns a Counter for a vocabulary of the given size with the given index. phrases may be nil.
func NewCounter(index *Index, size int, phrases *words.Phrases) *Counter {
	return &Counter{index: index, splitter: words.Splitter{Phrases: phrases}, counts: make([]uint32, size)}
}

// Add adds the words of text that are in the vocabulary to the current bag.
func (c *Counter) Add(text words.Text) {
	c.splitter.Words(text, func(word words.Word) {
		c.tokens++
		if id, ok := c.index.Find(word); ok {
			if c.counts[id] == 0 {
				c.ids = append(c.ids, id)
			}
			c.counts[id]++
		}
	})
}

// Bag moves the counts into d and begins a new bag. A bag may be empty. Bag returns the number of words in the text, and the
// number of those in the vocabulary. It refuses a document over the limits of the wire format.
func (c *Counter) Bag(d *wire.Document) (tokens, known uint64, err error) {
	slices.Sort(c.ids)
	d.WordGaps = wire.AppendGaps(make([]uint32, 0, len(c.ids)), c.ids)
	d.Counts = make([]uint32, len(c.ids))
	for i, id := range c.ids {
		d.Counts[i] = c.counts[id]
		known += uint64(c.counts[id])
		c.counts[id] = 0
	}
	tokens = c.tokens
	c.ids, c.tokens = c.ids[:0], 0
	if known > wire.MaxTokens {
		return tokens, known, fmt.Errorf("document of more than %d known words", wire.MaxTokens)
	}
	return tokens, known, CheckSize(d)
}

// CheckSize refuses a document that is too large for a record, also for a record of a round. The caller still knows where the
// document is; the writer of the record does not.
func CheckSize(d *wire.Document) error {
	const (
		around = 64                                             // of the record, beside the document
		safe   = (wire.MaxRecord - around - 4*wire.MaxName) / 8 // words, of at most 8 bytes each
	)
	if len(d.Counts) > safe && proto.Size(d) > wire.MaxRecord-around {
		return fmt.Errorf("document has more different words than a record of %d bytes holds", wire.MaxRecord)
	}
	return nil
}
