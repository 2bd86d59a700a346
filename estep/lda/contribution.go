package lda

import (
	"slices"

	"privpipe/estep/latent"
	"privpipe/pipelines/wire"
)

// contribution returns the statistic for the document that f has just run, as parts of matrix 0. The parts are valid
// until the next call. wordWeights are the weights of all words; nil: 1.
func (f *inference) contribution(ids []uint32, form latent.Shape, wordWeights []float32) []*wire.Part {
	if len(ids) == 0 {
		return nil
	}
	f.chosen = latent.Top(f.m.Gammas(), form.TopTopics, f.chosen)
	chosen := f.chosen
	n := len(ids)
	f.shares = slices.Grow(f.shares[:0], len(chosen)*n+n)[:len(chosen)*n+n]
	values, total := f.shares[:len(chosen)*n], f.shares[len(chosen)*n:] // total: for each word, over the chosen topics
	clear(total)
	f.rows = f.rows[:0]
	for r, j := range chosen {
		f.rows = append(f.rows, uint32(f.m.Component(j)))
		latent.Share(values[r*n:(r+1)*n], total, f.m.Row(j), f.m.Weights()[j])
	}
	f.factors = latent.WeightsOf(f.factors, wordWeights, ids)
	form.Scale(values, total, f.m.Counts(), f.factors)
	return f.parts.Set(0, f.rows, ids, values)
}
