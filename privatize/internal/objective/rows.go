package objective

import (
	"crypto/sha256"
	"encoding/binary"
	"hash"
	"math"

	"privpipe/privatize/internal/book"
	"privpipe/privatize/internal/unit"
)

// A Document is one row for the regression.
type Document struct {
	ID       string
	Features []uint32  // the features that are not 0, ascending
	Values   []float32 // the features' values, finite
	Positive bool      // its class
}

// rows are all documents, one after another. Each feature that is not 0 in a document takes 12 bytes.
type rows struct {
	norm float64 // R: a row x becomes x·min(1, R/|x|)/R

	seen   unit.Set
	digest hash.Hash // of the content of all rows, in their order
	ends   []int     // for each row, its end in ids and x
	ids    []uint32
	x      []float64 // a negative row's values times −1: each row is y·x
}

func newRows(norm float64) *rows {
	return &rows{norm: norm, seen: make(unit.Set), digest: sha256.New()}
}

// add takes a document. Its row gets a norm of at most 1, except for rounding.
func (r *rows) add(d *Document) error {
	if !r.seen.Add(unit.KeyOf(d.ID)) {
		return &book.Mismatch{Reason: "two documents have the same id"}
	}
	square := 0.0 // squares of FLOAT32 do not overflow
	for _, v := range d.Values {
		square += float64(v) * float64(v)
	}
	divisor := max(r.norm, math.Sqrt(square))
	if !d.Positive {
		divisor = -divisor
	}
	for _, v := range d.Values {
		r.x = append(r.x, float64(v)/divisor)
	}
	r.ids = append(r.ids, d.Features...)
	r.ends = append(r.ends, len(r.ids))
	r.hash(d)
	return nil
}

// hash adds a document's content to the digest.
func (r *rows) hash(d *Document) {
	encoded := binary.LittleEndian.AppendUint32(nil, uint32(len(d.Features)))
	if d.Positive {
		encoded = append(encoded, 1)
	} else {
		encoded = append(encoded, 0)
	}
	for i, id := range d.Features {
		encoded = binary.LittleEndian.AppendUint32(encoded, id)
		encoded = binary.LittleEndian.AppendUint32(encoded, math.Float32bits(d.Values[i]))
	}
	r.digest.Write(encoded)
}

// number returns n, the number of rows.
func (r *rows) number() int { return len(r.ends) }

// each calls do with the features and the values y·x of each row, in order.
func (r *rows) each(do func(i int, ids []uint32, x []float64)) {
	from := 0
	for i, to := range r.ends {
		do(i, r.ids[from:to], r.x[from:to])
		from = to
	}
}

// dot returns the product of one row with a vector over all features.
func dot(ids []uint32, x, w []float64) (sum float64) {
	for i, id := range ids {
		sum += x[i] * w[id]
	}
	return sum
}

// addTo adds times·row to a vector over all features.
func addTo(sum []float64, ids []uint32, x []float64, times float64) {
	for i, id := range ids {
		sum[id] += times * x[i]
	}
}
