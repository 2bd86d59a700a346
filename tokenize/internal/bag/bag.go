// Package bag counts the words of a document against a vocabulary.
package bag

import (
	"fmt"

	"google.golang.org/protobuf/proto"

	"privpipe/pipelines/wire"
	"privpipe/tokenize/internal/words"
)

// A Counter turns texts into bags of words. It holds scratch memory; one goroutine may use it at a time.
type Counter struct {
	index    *Index
	splitter words.Splitter
	counts   []uint32 // of the word ids below the vocabulary's size, zero between documents; and of unknown words, which nobody reads
	ids      ids      // with a count
	tokens   uint64   // words of the current bag, known or not
}

// NewCounter returns a Counter for a vocabulary of the given size with the given index, of texts that are cut by rule.
func NewCounter(index *Index, size int, rule words.Rule) *Counter {
	return &Counter{index: index, splitter: words.Splitter{Rule: rule}, counts: make([]uint32, size+1), ids: newIDs(size + 1)}
}

// Add adds the words of text that are in the vocabulary to the current bag.
func (c *Counter) Add(text words.Text) {
	c.splitter.Words(text, func(word words.Word) {
		c.tokens++
		id := c.index.id(word) // counted if it is unknown, too: a branch would often go wrong
		c.counts[id]++
		c.ids.add(id)
	})
}

// Bag moves the counts into d and begins a new bag. A bag may be empty. Bag returns the number of words in the text, and the
// number of those in the vocabulary. It refuses a document over the limits of the wire format.
func (c *Counter) Bag(d *wire.Document) (tokens, known uint64, err error) {
	ids := c.ids.take()
	if n := len(ids); n > 0 && ids[n-1] == c.index.unknown {
		ids = ids[:n-1]
	}
	numbers := make([]uint32, 2*len(ids)) // in one allocation
	d.WordGaps, d.Counts = wire.AppendGaps(numbers[:0:len(ids)], ids), numbers[len(ids):]
	for i, id := range ids {
		d.Counts[i] = c.counts[id]
		known += uint64(c.counts[id])
		c.counts[id] = 0
	}
	tokens, c.tokens = c.tokens, 0
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
