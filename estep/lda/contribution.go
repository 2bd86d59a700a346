package lda

import (
	"cmp"
	"math"
	"slices"

	"privpipe/pipelines/model"
	"privpipe/pipelines/wire"
)

// Shape says how a document's expected counts become its contribution. A contribution depends only on one document and on
// released parameters, and stays behind the privacy wall. So it needs no privacy argument: the privatizer clips it.
//
// The noise on the sum depends only on the largest norm of a contribution. So a document should spend its norm on cells that
// carry information. The defaults (5 topics, one count a word, norm 1) gave the best models at equal privacy in the measurements
// of ../../README.md. The papers' statistic has all topics, counts, and no scaling.
type Shape struct {
	TopTopics int     // number of topics, the largest by γ, that share each word; 0: all
	Binary    bool    // a word counts once, however often it occurs
	Norm      float64 // scale to this L2 norm; 0: do not scale
}

// contribution returns the statistic of the document that f has just run, as parts of matrix 0.
func (f *inference) contribution(ids []uint32, shape Shape) []*wire.Part {
	if len(ids) == 0 {
		return nil
	}
	chosen := f.top(shape.TopTopics)
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
	square := 0.0
	for i, c := range f.counts {
		weight := c
		if shape.Binary {
			weight = 1
		}
		// Renormalize φ over the chosen topics. A word without weight in any of them adds nothing.
		if total[i] > 0 {
			weight /= total[i]
		}
		for r := range chosen {
			v := values[r*n+i] * weight
			values[r*n+i] = v
			square += float64(v) * float64(v)
		}
	}
	if shape.Norm > 0 && square > 0 {
		scale := float32(shape.Norm / math.Sqrt(square))
		for i := range values {
			values[i] *= scale
		}
	}
	return model.AppendParts(nil, 0, rows, ids, values)
}

// top returns the indices in active of the m topics of largest γ, ascending, and all indices for m = 0. Ties go to the smaller
// index.
func (f *inference) top(m int) []int {
	places := make([]int, len(f.active))
	for j := range places {
		places[j] = j
	}
	if m == 0 || m >= len(places) {
		return places
	}
	slices.SortStableFunc(places, func(a, b int) int {
		return cmp.Compare(f.gamma[f.active[b]], f.gamma[f.active[a]])
	})
	places = places[:m]
	slices.Sort(places)
	return places
}
