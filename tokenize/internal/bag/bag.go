// Package bag counts words: of a document against a vocabulary, distinct ones spelled out, pairs of neighbours, and the
// documents and users they are from.
package bag

import (
	"fmt"

	"google.golang.org/protobuf/proto"

	"privpipe/pipelines/wire"
	"privpipe/tokenize/internal/words"
)

// A Counter turns texts into bags of words. It holds scratch memory. One goroutine may use it at a time.
type Counter struct {
	index    *Index
	splitter words.Splitter
	// By word id. After the ids of the vocabulary come one count for unknown words and one for stop words. All are zero
	// between documents.
	counts []uint32
	ids    ids    // the ids with a count
	tokens uint64 // words of the current bag, known or not
}

// Words counts the words in a text.
type Words struct {
	All   uint64
	Known uint64 // in the vocabulary
	Stop  uint64 // stop words that are not in the vocabulary
}

// Add adds the words of another text.
func (w *Words) Add(other Words) {
	w.All += other.All
	w.Known += other.Known
	w.Stop += other.Stop
}

// Coverage is the share of words that the vocabulary has, stop words left out. It is 0 if there are only stop words.
func (w Words) Coverage() float64 {
	if w.All == w.Stop {
		return 0
	}
	return float64(w.Known) / float64(w.All-w.Stop)
}

// NewCounter returns a Counter for a vocabulary with the given size and index. Texts are cut by rule.
func NewCounter(index *Index, size int, rule words.Rule) *Counter {
	return &Counter{index: index, splitter: words.Splitter{Rule: rule}, counts: make([]uint32, size+2),
		ids: newIDs(size + 2)}
}

// Add adds the words of text that are in the vocabulary to the current bag.
func (c *Counter) Add(text words.Text) {
	c.splitter.Words(text, func(word words.Word) {
		c.tokens++
		id := c.index.id(word) // counted even if it is unknown, since the processor would often predict a branch wrong
		c.counts[id]++
		c.ids.add(id)
	})
}

// Bag moves the counts into d and begins a new bag. A bag may be empty. Bag returns the numbers of words in the text.
// It refuses a document over the limits of the wire format.
func (c *Counter) Bag(d *wire.Document) (of Words, err error) {
	of.All, c.tokens = c.tokens, 0
	of.Stop = uint64(c.counts[c.index.unknown+1])
	ids := c.ids.take()
	for n := len(ids); n > 0 && ids[n-1] >= c.index.unknown; n-- {
		c.counts[ids[n-1]] = 0
		ids = ids[:n-1]
	}
	numbers := make([]uint32, 2*len(ids)) // in one allocation
	d.WordGaps, d.Counts = wire.AppendGaps(numbers[:0:len(ids)], ids), numbers[len(ids):]
	for i, id := range ids {
		d.Counts[i] = c.counts[id]
		of.Known += uint64(c.counts[id])
		c.counts[id] = 0
	}
	if of.Known > wire.MaxTokens {
		return of, fmt.Errorf("document of more than %d known words", wire.MaxTokens)
	}
	return of, CheckSize(d)
}

// CheckSize refuses a document that is too large for its record, including its record in a round. The caller still
// knows where the document is. The writer of the record does not.
func CheckSize(d *wire.Document) error {
	const (
		around = 64                                             // bytes of the record beside the document
		safe   = (wire.MaxRecord - around - 4*wire.MaxName) / 8 // words, of at most 8 bytes each
	)
	if len(d.Counts) > safe && proto.Size(d) > wire.MaxRecord-around {
		return fmt.Errorf("document has more different words than a record of %d bytes holds", wire.MaxRecord)
	}
	return nil
}
