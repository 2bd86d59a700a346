package release

import (
	"math"

	"privpipe/pipelines/event"
	"privpipe/privatize/internal/book"
)

// whole refuses numbers that cannot be counts of words, or increments of counts, if the unit is the word. Products of
// whole numbers are whole.
func (c *Collector) whole(values []float32) error {
	if c.grant == nil || c.grant.Unit != event.Word || c.grant.Clipping != event.ClipProved {
		return nil
	}
	for _, value := range values {
		v := float64(value)
		if v != math.Trunc(v) || math.Abs(v) > mostWords || v < 0 && c.grant.Counts() {
			return &book.Mismatch{Reason: "a contribution has a number that is neither a count of words nor an " +
				"increment of a count"}
		}
	}
	return nil
}

// mostWords bounds the count that one word can have: a document has at most 2^24 words (SPEC.md §6), and every whole
// number up to it is a float32.
const mostWords = 1 << 24
