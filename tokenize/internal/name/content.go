package name

import (
	"crypto/sha256"
	"encoding/binary"

	"privpipe/pipelines/wire"
)

// A Content is a hash of everything in a document's record except its id: the first 128 bits of a SHA-256.
type Content [16]byte

// A Hasher computes the Content of records. It holds scratch memory. One goroutine may use it at a time.
type Hasher struct{ b []byte }

// Document returns the Content of d. It covers the user, the label, and the bag of words or the values.
func (h *Hasher) Document(d *wire.Document) Content {
	if len(d.Values) > 0 {
		return h.values(d)
	}
	h.begin("document", d.User, d.Label)
	h.number(uint64(len(d.Counts)))
	for i, count := range d.Counts {
		h.number(uint64(d.WordGaps[i]))
		h.number(uint64(count))
	}
	return h.sum()
}

// values returns the Content of a document with real numbers.
func (h *Hasher) values(d *wire.Document) Content {
	h.begin("values", d.User, d.Label)
	h.number(uint64(len(d.WordGaps)))
	for _, gap := range d.WordGaps {
		h.number(uint64(gap))
	}
	h.b = append(h.b, d.Values...) // 4 bytes for each gap
	return h.sum()
}

// Terms returns the Content of a user's document with these words. The words must be in the order of their bytes.
func (h *Hasher) Terms(user string, words []string) Content {
	h.begin("terms", user)
	h.number(uint64(len(words)))
	for _, word := range words {
		h.text(word)
	}
	return h.sum()
}

// begin begins a hash with the kind of the record, and then texts. So records of different kinds have different
// Contents. Each text and number is self-delimiting, so different records of one kind are different strings of bytes.
func (h *Hasher) begin(kind string, texts ...string) {
	h.b = append(append(h.b[:0], "privpipe content\n"...), kind...)
	h.b = append(h.b, '\n')
	for _, text := range texts {
		h.text(text)
	}
}

func (h *Hasher) text(s string) {
	h.number(uint64(len(s)))
	h.b = append(h.b, s...)
}

func (h *Hasher) number(n uint64) { h.b = binary.AppendUvarint(h.b, n) }

func (h *Hasher) sum() Content {
	sum := sha256.Sum256(h.b)
	return Content(sum[:])
}
