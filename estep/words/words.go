// Package words is the model of word frequencies alone: each document contributes its counts, brought to norm 1. Its
// release gives a private unigram, which mstep lda uses to denoise topics (--word-marginal) and evaluate as a baseline.
package words

import (
	"errors"
	"fmt"
	"math"

	"privpipe/estep/model"
	"privpipe/pipelines/wire"
	"privpipe/pipelines/wire/stream"
)

// Name is the model's name in headers.
const Name = "words"

// Model implements model.Model.
type Model struct {
	v          int
	logarithms []float64 // of each word's probability, to score with
}

// New returns a model without parameters; it needs none to contribute.
func New() *Model { return new(Model) }

// Shapes implements model.Model.
func (m *Model) Shapes(documents, parameters *wire.Header) ([]*wire.Matrix, error) {
	if documents.VocabularySize == 0 {
		return nil, errors.New("documents have no vocabulary")
	}
	if parameters != nil {
		if parameters.Model != Name {
			return nil, fmt.Errorf("parameters are of model %q, must be of %q", parameters.Model, Name)
		}
		if parameters.VocabularySize != documents.VocabularySize {
			return nil, fmt.Errorf("model is over %d words, documents over %d", parameters.VocabularySize, documents.VocabularySize)
		}
	}
	m.v = int(documents.VocabularySize)
	return []*wire.Matrix{{Name: "words", Rows: 1, Columns: documents.VocabularySize, Element: wire.Element_FLOAT32}}, nil
}

// Settings implements model.Model: there are none.
func (m *Model) Settings() any { return nil }

// SetParameters implements model.Model.
func (m *Model) SetParameters(set *stream.Set) error {
	p, err := Probabilities(set)
	if err != nil {
		return err
	}
	if len(p) != m.v {
		return errors.New("not one probability for each word")
	}
	m.logarithms = make([]float64, len(p))
	for v := range p {
		m.logarithms[v] = math.Log(p[v])
	}
	return nil
}

// Probabilities returns the probability of each word in a model file of words.
func Probabilities(set *stream.Set) ([]float64, error) {
	p, err := stream.Cells[float64](set, "probabilities")
	if err != nil {
		return nil, err
	}
	for _, x := range p {
		if !(x > 0 && x <= 1) {
			return nil, errors.New("a word's probability is not in (0, 1]")
		}
	}
	return p, nil
}

// NewWorker implements model.Model.
func (m *Model) NewWorker() model.Worker { return worker{m} }

type worker struct{ model *Model }

// Contribute implements model.Worker: count_v / ‖count‖₂, so that a long document weighs no more than a short one and
// nothing is ever clipped.
func (w worker) Contribute(d *wire.Document) ([]*wire.Part, error) {
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
