package lda

import (
	"errors"
	"math"

	"privpipe/estep/shape"
	"privpipe/pipelines/model"
	"privpipe/pipelines/model/lda"
	"privpipe/pipelines/wire"
	"privpipe/pipelines/wire/stream"
)

// Options are the settings of the E-step.
type Options struct {
	Tolerance  float64 // the iteration over a document ends when the mean absolute change of γ over the topics is below it
	Iterations int     // largest number of iterations over a document
	Shape      shape.Shape
	Length     Length
	Unigram    []float64 // probability of each word under a baseline, for Score; nil: the model's own marginal
}

// Model implements model.EStep.
type Model struct {
	options Options
	k, v    int
	topics  *topics

	mean    []float64 // mean of β_kv at v·K+k; only if the parameters have lambda
	unigram []float64
}

// New returns a model without parameters.
func New(o Options) *Model { return &Model{options: o} }

// Settings implements model.EStep.
func (m *Model) Settings() any {
	o := m.options
	return map[string]any{
		"tolerance": o.Tolerance, "iterations": o.Iterations, "top topics": o.Shape.TopTopics, "binary": o.Shape.Binary,
		"norm": o.Shape.Norm, "length": o.Length.Words, "resample": o.Length.Resample,
	}
}

// SetParameters implements model.EStep.
func (m *Model) SetParameters(set *stream.Set, size model.Size) error {
	m.k, m.v = size.Components, size.Words
	alpha, err := lda.Alpha.Of(set)
	if err != nil {
		return err
	}
	weights, err := lda.Weights.Of(set, size)
	if err != nil {
		return err
	}
	m.topics = newTopics(m.k, m.v, alpha, weights)
	if !lda.Lambda.In(set) { // parameters of a round, not a model file
		m.unigram = m.options.Unigram
		return nil
	}
	lambda, err := lda.Lambda.Of(set, size)
	if err != nil {
		return err
	}
	m.setMean(lambda)
	return nil
}

// setMean takes λ, K×V row by row: the mean of β_kv is λ_kv / Σ_v λ_kv, and the model's own unigram is Σ_k λ_kv / Σ λ.
func (m *Model) setMean(lambda []float64) {
	m.mean = make([]float64, m.k*m.v)
	m.unigram = make([]float64, m.v)
	total := 0.0
	for k := range m.k {
		row := lambda[k*m.v : (k+1)*m.v]
		sum := 0.0
		for v, l := range row {
			sum += l
			m.unigram[v] += l
		}
		for v, l := range row {
			m.mean[v*m.k+k] = l / sum
		}
		total += sum
	}
	for v := range m.unigram {
		m.unigram[v] /= total
	}
	if m.options.Unigram != nil {
		m.unigram = m.options.Unigram
	}
}

// NewWorker implements model.EStep.
func (m *Model) NewWorker() model.Worker { return &worker{model: m, inference: newInference(m.topics)} }

type worker struct {
	model     *Model
	inference *inference
	ids       []uint32
	counts    []float32
}

// infer brings d to its length and runs the inference.
func (w *worker) infer(d *wire.Document, coins *model.Coins) {
	w.ids = wire.AppendIDs(w.ids[:0], d.WordGaps)
	w.counts = w.counts[:0]
	for _, c := range d.Counts {
		w.counts = append(w.counts, float32(c))
	}
	w.ids, w.counts = w.model.options.Length.apply(coins, w.ids, w.counts)
	w.inference.run(w.ids, w.counts, w.model.limits())
}

func (m *Model) limits() limits { return limits{m.options.Tolerance, m.options.Iterations} }

// Contribute implements model.Worker.
func (w *worker) Contribute(d *wire.Document, coins *model.Coins) ([]*wire.Part, error) {
	w.infer(d, coins)
	return w.inference.contribution(w.ids, w.model.options.Shape), nil
}

// Infer implements model.Inferrer: the mean of θ under q.
func (w *worker) Infer(d *wire.Document) ([]float64, error) {
	w.infer(d, &model.Coins{Document: d})
	total := 0.0
	for _, g := range w.inference.gamma {
		total += g
	}
	shares := make([]float64, len(w.inference.gamma))
	for k, g := range w.inference.gamma {
		shares[k] = g / total
	}
	return shares, nil
}

// Score implements model.Scorer. The parameters of a round give the bound alone: the mean of the topics follows from lambda, which a
// model file has.
func (w *worker) Score(d *wire.Document) (*wire.Score, error) {
	m, f := w.model, w.inference
	if m.unigram == nil {
		return nil, errors.New("parameters have no matrix lambda: --score needs a model file, or --unigram beside the parameters of rounds")
	}
	w.infer(d, &model.Coins{Document: d})
	s := &wire.Score{Id: d.Id, Bound: f.bound(w.ids)}
	for i, c := range w.counts {
		s.Tokens += uint64(c)
		s.Unigram += float64(c) * math.Log(m.unigram[w.ids[i]])
	}
	if m.mean == nil {
		return s, nil
	}
	s.PlugIn = f.predict(bag{ids: w.ids, counts: w.counts}, m.mean)
	seen, hidden := split(d, wire.AppendIDs(nil, d.WordGaps))
	f.run(seen.ids, seen.counts, m.limits())
	s.CompletionTokens = hidden.tokens
	s.Completion = f.predict(hidden, m.mean)
	for i, id := range hidden.ids {
		s.CompletionUnigram += float64(hidden.counts[i]) * math.Log(m.unigram[id])
	}
	return s, nil
}
