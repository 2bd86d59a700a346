package name

import (
	"crypto/sha256"
	"encoding/binary"

	"privpipe/pipelines/wire"
)

// A Content stands for all that a record says of a document but for its id: the first 128 bits of a SHA-256.
type Content [16]byte

// A Hasher finds the Content of records. It holds scratch memory; one goroutine may use it at a time.
type Hasher struct{ b []byte }

// Document returns the Content of d: of its user, its label and its bag of words.
func (h *Hasher) Document(d *wire.Document) Content {
	h.begin("document", d.User, d.Label)
	h.number(uint64(len(d.Counts)))
	for i, count := range d.Counts {
		h.number(uint64(d.WordGaps[i]))
		h.number(uint64(count))
	}
	return h.sum()
}

// Terms returns the Content of a document of a user that has these words, which are in the order of their bytes.
func (h *Hasher) Terms(user string, words []string) Content {
	h.begin("terms", user)
	h.number(uint64(len(words)))
	for _, word := range words {
		h.text(word)
	}
	return h.sum()
}

// begin begins with the kind of the record, so that records of two kinds have two Contents, and with texts. Each text and
// number says where it ends, so that two records of a kind are two strings of bytes.
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
