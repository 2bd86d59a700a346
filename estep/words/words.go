// Package words is the E-step of word frequencies: each document contributes its counts, scaled to norm 1. The release is a
// private unigram. mstep lda denoises topics with it (--word-marginal), and evaluate takes it as a baseline.
package words

import (
	"errors"
	"math"

	"privpipe/pipelines/model"
	"privpipe/pipelines/model/words"
	"privpipe/pipelines/wire"
	"privpipe/pipelines/wire/stream"
)

// Model implements model.EStep.
type Model struct {
	logarithms []float64 // logarithm of each word's probability, for scores
}

// New returns a model without parameters; it needs none to contribute.
func New() *Model { return new(Model) }

// Settings implements model.EStep: there are none.
func (m *Model) Settings() any { return nil }

// SetParameters implements model.EStep.
func (m *Model) SetParameters(set *stream.Set, size model.Size) error {
	p, err := words.Probabilities.Of(set, size)
	if err != nil {
		return err
	}
	m.logarithms = make([]float64, len(p))
	for v := range p {
		m.logarithms[v] = math.Log(p[v])
	}
	return nil
}

// NewWorker implements model.EStep.
func (m *Model) NewWorker() model.Worker { return worker{m} }

type worker struct{ model *Model }

// Contribute implements model.Worker: count_v / ‖count‖₂, so that a long document weighs no more than a short one and
// nothing is ever clipped.
func (w worker) Contribute(d *wire.Document, _ *model.Coins) ([]*wire.Part, error) {
	if len(d.Counts) == 0 {
		return nil, nil
	}
	square := 0.0
	for _, c := range d.Counts {
		square += float64(c) * float64(c)
	}
	values := make([]float32, len(d.Counts))
	for i, c := range d.Counts {
		values[i] = float32(float64(c) / math.Sqrt(square))
	}
	return model.AppendParts(nil, 0, []uint32{0}, wire.AppendIDs(nil, d.WordGaps), values), nil
}

// Score implements model.Scorer. A unigram has nothing to infer, so its bound is its likelihood.
func (w worker) Score(d *wire.Document) (*wire.Score, error) {
	if w.model.logarithms == nil {
		return nil, errors.New("no model to score with")
	}
	s := &wire.Score{Id: d.Id}
	for i, id := range wire.AppendIDs(nil, d.WordGaps) {
		s.Tokens += uint64(d.Counts[i])
		s.Bound += float64(d.Counts[i]) * w.model.logarithms[id]
	}
	s.Unigram, s.CompletionTokens, s.Completion, s.CompletionUnigram = s.Bound, s.Tokens, s.Bound, s.Bound
	return s, nil
}
