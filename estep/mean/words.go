package mean

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"math"

	"privpipe/pipelines/model"
	"privpipe/pipelines/model/families"
	"privpipe/pipelines/model/publictext"
	"privpipe/pipelines/wire"
	"privpipe/pipelines/wire/stream"
)

// Words implements model.EStep for word frequencies. Each document contributes its counts, scaled to norm 1. The
// release is a private unigram. mstep lda denoises topics with it (--word-marginal), and evaluate takes it as a
// baseline.
type Words struct {
	scales     []float64         // divisors of each word's counts; nil: all are 1
	text       [sha256.Size]byte // digest of the public text that gave the scales
	logarithms []float64         // logarithm of each word's probability, for scores
}

// NewWords returns a model without parameters. It needs none to contribute.
func NewWords() *Words { return new(Words) }

// NewScaledWords returns a model that divides counts by the scales from public text, so that noise is larger on
// frequent words.
func NewScaledWords(text *publictext.Text) *Words {
	return &Words{scales: families.WordScales(text.Frequencies), text: text.Digest}
}

// Settings implements model.EStep. Without public text there are none.
func (m *Words) Settings() any {
	if m.scales == nil {
		return nil
	}
	return map[string]any{"public": hex.EncodeToString(m.text[:])}
}

// SetParameters implements model.EStep.
func (m *Words) SetParameters(set *stream.Set, size model.Size) error {
	p, err := families.Probabilities.Of(set, size)
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
func (m *Words) NewWorker() model.Worker { return wordsWorker{m} }

type wordsWorker struct{ model *Words }

// Contribute implements model.Worker. It returns x_v / ‖x‖₂, where x_v is count_v divided by the scale of v. So a long
// document weighs no more than a short one, and nothing is ever clipped.
func (w wordsWorker) Contribute(d *wire.Document, _ *model.Coins) ([]*wire.Part, error) {
	if len(d.Counts) == 0 {
		return nil, nil
	}
	ids, square := wire.AppendIDs(nil, d.WordGaps), 0.0
	scaled := make([]float64, len(ids))
	for i, c := range d.Counts {
		scaled[i] = float64(c)
		if w.model.scales != nil {
			scaled[i] /= w.model.scales[ids[i]]
		}
		square += scaled[i] * scaled[i]
	}
	values := make([]float32, len(ids))
	for i, x := range scaled {
		values[i] = float32(x / math.Sqrt(square))
	}
	return model.AppendParts(nil, 0, []uint32{0}, ids, values), nil
}

// Score implements model.Scorer. A unigram has nothing to infer, so its bound is its likelihood.
func (w wordsWorker) Score(d *wire.Document) (*wire.Score, error) {
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
