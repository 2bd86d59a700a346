package erm

import (
	"errors"

	"privpipe/estep/row"
	"privpipe/pipelines/wire"
)

// rows are all documents, one after another. Each feature that is not 0 in a document takes 12 bytes.
type rows struct {
	norm     float64 // R: a row x becomes x·min(1, R/|x|)/R
	features int

	ends []int // for each row, its end in ids and x
	ids  []uint32
	x    []float64 // a negative row's values times −1: each row is y·x

	row row.Row
}

// add takes a document. Its row gets a norm of at most 1, except for rounding.
func (r *rows) add(d *wire.Document, positive bool) error {
	r.row.Read(d)
	if n := len(r.row.IDs); n > 0 && int(r.row.IDs[n-1]) >= r.features {
		return errors.New("a row has a feature that is not in --vocab")
	}
	r.row.Bound(r.norm)
	for _, v := range r.row.X {
		if !positive {
			v = -v
		}
		r.x = append(r.x, v)
	}
	r.ids = append(r.ids, r.row.IDs...)
	r.ends = append(r.ends, len(r.ids))
	return nil
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
