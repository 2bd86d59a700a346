package lda

import (
	"slices"

	"privpipe/estep/latent"
	"privpipe/pipelines/model"
	"privpipe/pipelines/model/lda"
	"privpipe/pipelines/wire"
	"privpipe/pipelines/wire/stream"
)

// Options are the settings of the E-step.
type Options struct {
	// the iteration over a document ends when the mean absolute change of γ over the topics is below it
	Tolerance  float64
	Iterations int // largest number of iterations over a document
	Shape      latent.Shape
	Length     Length
	Unigram    []float64 // probability of each word under a baseline, for Score; nil: the model's own marginal
}

// Model implements model.EStep.
type Model struct {
	options Options
	k, v    int
	shape   latent.Shape // of contributions in this round
	weights []float32    // each word's weight in a contribution; nil: 1
	topics  *topics
	scores  *latent.Topics
}

// New returns a model without parameters.
func New(o Options) *Model { return &Model{options: o, shape: o.Shape.In(1)} }

// Settings implements model.EStep.
func (m *Model) Settings() any {
	o := m.options
	return o.Shape.Settings(map[string]any{
		"tolerance": o.Tolerance, "iterations": o.Iterations, "length": o.Length.Words, "resample": o.Length.Resample,
	})
}

// SetParameters implements model.EStep.
func (m *Model) SetParameters(set *stream.Set, size model.Size) error {
	m.k, m.v, m.shape = size.Components, size.Words, m.options.Shape.In(set.Round+1)
	alpha, err := lda.Alpha.Of(set)
	if err != nil {
		return err
	}
	if m.weights, err = lda.WordWeightsOf(set, size); err != nil {
		return err
	}
	m.topics = newTopics(m.k, m.v, alpha)
	if err := lda.Weights.Drain(set, size, m.topics.take); err != nil {
		return err
	}
	m.topics.finish()
	m.scores, err = latent.NewTopics(set, size, m.options.Unigram)
	return err
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
	w.counts = slices.Grow(w.counts[:0], len(d.Counts))[:len(d.Counts)]
	for i, c := range d.Counts {
		w.counts[i] = float32(c)
	}
	w.ids, w.counts = w.model.options.Length.apply(coins, w.ids, w.counts)
	w.inference.run(w.ids, w.counts, w.model.limits())
}

func (m *Model) limits() limits { return limits{m.options.Tolerance, m.options.Iterations} }

// Contribute implements model.Worker.
func (w *worker) Contribute(d *wire.Document, coins *model.Coins) ([]*wire.Part, error) {
	w.infer(d, coins)
	return w.inference.contribution(w.ids, w.model.shape, w.model.weights), nil
}

// Infer implements model.Inferrer. It returns the mean of θ under q.
func (w *worker) Infer(d *wire.Document) ([]float64, error) {
	w.infer(d, &model.Coins{Document: d})
	shares, total := w.inference.gamma(), 0.0
	for _, g := range shares {
		total += g
	}
	for k := range shares {
		shares[k] /= total
	}
	return shares, nil
}
