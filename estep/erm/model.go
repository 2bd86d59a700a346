// Package erm is the E-step of logistic regression by empirical risk minimisation. The rows of a round have one
// contribution together: the weights that minimise a perturbed objective (Chaudhuri, Monteleoni, Sarwate 2011,
// Algorithm 2). Its ε is a paper's claim, and nothing is proved: see claim.md.
package erm

import (
	"math/rand/v2"

	"privpipe/estep/row"
	"privpipe/pipelines/exit"
	"privpipe/pipelines/model"
	"privpipe/pipelines/model/families"
	"privpipe/pipelines/wire"
	"privpipe/pipelines/wire/stream"
)

// maxFeatures bounds d: all weights are in one part of a contribution.
const maxFeatures = model.MaxPart / 4

// Options are the settings of the E-step.
type Options struct {
	Features       int     // d, in training
	RowNorm        float64 // R: a row x becomes x·min(1, R/|x|)/R
	Labels         row.Labels
	Regularisation float64 // Λ
	Epsilon        float64 // the paper's claim; 0: the objective is not perturbed
}

// Model implements model.Whole.
type Model struct {
	options Options
	mean    []float64 // the weights; nil in training
}

// New returns a model without parameters.
func New(o Options) *Model { return &Model{options: o} }

// Settings implements model.EStep.
func (m *Model) Settings() any {
	return map[string]any{"row norm": m.options.RowNorm, "positive": m.options.Labels.Positive,
		"regularisation": m.options.Regularisation, "epsilon": m.options.Epsilon}
}

// SetParameters implements model.EStep. It takes the parameters in a model file.
func (m *Model) SetParameters(set *stream.Set, size model.Size) (err error) {
	m.mean, err = families.Mean.Of(set, size)
	return err
}

// ContributeAll implements model.Whole. The first document contributes the weights, and the others nothing. The coins
// of the first document perturb the objective.
func (m *Model) ContributeAll(documents []*wire.Document, _ [][]*wire.Part,
	coins []*model.Coins) ([][]*wire.Part, error) {
	if len(documents) == 0 {
		return nil, exit.Errorf(exit.Malformed, "there is no row to learn from")
	}
	r := rows{norm: m.options.RowNorm, features: m.options.Features}
	seen := make(map[string]bool, len(documents))
	for _, d := range documents {
		if seen[d.Id] {
			return nil, exit.Errorf(exit.Malformed, "two rows have the same id, and each counts once")
		}
		seen[d.Id] = true
		positive, _, err := m.options.Labels.Outcome(d.Label)
		if err == nil {
			err = r.add(d, positive == 1)
		}
		if err != nil {
			return nil, exit.Errorf(exit.Malformed, "%w", err)
		}
	}
	var random *rand.Rand // nil: nothing is perturbed
	if m.options.Epsilon > 0 {
		var err error
		if random, err = coins[0].Secret("erm"); err != nil {
			return nil, err
		}
	}
	w, err := m.options.minimise(&r, random)
	if err != nil {
		return nil, exit.Errorf(exit.Malformed, "%w", err)
	}
	columns, values := make([]uint32, len(w)), make([]float32, len(w))
	for i, x := range w {
		columns[i], values[i] = uint32(i), float32(x)
	}
	answers := make([][]*wire.Part, len(documents))
	answers[0] = model.AppendParts(nil, 0, []uint32{0}, columns, values)
	return answers, nil
}

// minimise returns the minimiser of the objective, perturbed by these random numbers.
func (o *Options) minimise(r *rows, random *rand.Rand) ([]float64, error) {
	var change perturbation
	b := make([]float64, o.Features)
	if random != nil {
		change = perturb(o.Epsilon, o.Regularisation, r.number())
		b = change.draw(o.Features, random)
	}
	n := float64(r.number())
	for i := range b {
		b[i] /= n
	}
	return (&objective{rows: r, lambda: o.Regularisation + change.more, tilt: b}).minimise()
}

// NewWorker implements model.EStep.
func (m *Model) NewWorker() model.Worker { return &worker{Model: m} }

type worker struct {
	*Model
	row row.Row
}

// Contribute implements model.Worker. It answers a round of one document.
func (w *worker) Contribute(d *wire.Document, coins *model.Coins) ([]*wire.Part, error) {
	answers, err := w.ContributeAll([]*wire.Document{d}, nil, []*model.Coins{coins})
	if err != nil {
		return nil, err
	}
	return answers[0], nil
}

// Predict implements model.Predictor.
func (w *worker) Predict(d *wire.Document) (*wire.Prediction, error) {
	w.row.Read(d)
	w.row.Bound(w.options.RowNorm)
	return w.options.Labels.Prediction(d, row.Logistic(w.row.Dot(w.mean))), nil
}
