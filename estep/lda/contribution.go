package lda

import (
	"slices"

	"privpipe/estep/shape"
	"privpipe/pipelines/model"
	"privpipe/pipelines/wire"
)

// contribution returns the statistic of the document that f has just run, as parts of matrix 0.
func (f *inference) contribution(ids []uint32, shape shape.Shape) []*wire.Part {
	if len(ids) == 0 {
		return nil
	}
	chosen := shape.Top(len(f.active), func(j int) float64 { return f.gamma[f.active[j]] })
	n := len(ids)
	f.shares = slices.Grow(f.shares[:0], len(chosen)*n+n)[:len(chosen)*n+n]
	values, total := f.shares[:len(chosen)*n], f.shares[len(chosen)*n:] // total: of each word over the chosen topics
	clear(total)
	rows := make([]uint32, len(chosen))
	for r, j := range chosen {
		rows[r] = uint32(f.active[j])
		row, beta, theta := values[r*n:(r+1)*n], f.beta[j], f.theta[j]
		for i := range row {
			row[i] = theta * beta[i]
			total[i] += row[i]
		}
	}
	shape.Scale(values, total, f.counts[:n])
	return model.AppendParts(nil, 0, rows, ids, values)
}
