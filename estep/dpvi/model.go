// Package dpvi is the E-step of logistic regression with stochastic gradients (Jälkö, Dikmen and Honkela 2017). A row
// contributes its gradient: the derivative of its log likelihood at a public draw of the weights. The privatizer clips
// the gradients.
package dpvi

import (
	"errors"
	"math"

	"privpipe/estep/row"
	"privpipe/pipelines/exit"
	"privpipe/pipelines/model"
	"privpipe/pipelines/model/families"
	"privpipe/pipelines/wire"
	"privpipe/pipelines/wire/stream"
)

// Model implements model.EStep.
type Model struct {
	labels    row.Labels
	mean      []float64 // μ
	deviation []float64 // d
	shift     []float64 // d∘e; nil: the parameters have no draw e
	weights   []float64 // μ + d∘e
}

// New returns a model without parameters.
func New(labels row.Labels) *Model { return &Model{labels: labels} }

// Settings implements model.EStep.
func (m *Model) Settings() any { return map[string]any{"positive": m.labels.Positive} }

// SetParameters implements model.EStep.
func (m *Model) SetParameters(set *stream.Set, size model.Size) (err error) {
	if m.mean, err = families.Mean.Of(set, size); err != nil {
		return err
	}
	if m.deviation, err = families.Deviation.Of(set, size); err != nil {
		return err
	}
	m.shift, m.weights = nil, nil
	if !families.Draw.In(set) {
		return nil
	}
	draw, err := families.Draw.Of(set, size)
	if err != nil {
		return err
	}
	m.shift, m.weights = make([]float64, size.Words), make([]float64, size.Words)
	for v, e := range draw {
		m.shift[v] = m.deviation[v] * e
		m.weights[v] = m.mean[v] + m.shift[v]
		if math.IsNaN(m.weights[v]) || math.IsInf(m.weights[v], 0) || math.IsInf(m.shift[v], 0) {
			return errors.New("a draw of the weights is not finite")
		}
	}
	return nil
}

// NewWorker implements model.EStep.
func (m *Model) NewWorker() model.Worker { return &worker{Model: m} }

type worker struct {
	*Model
	row row.Row
}

// Contribute implements model.Worker. The gradient by μ is g = (y − σ(wᵀx))·x, and the gradient by log d is g∘d∘e.
func (w *worker) Contribute(d *wire.Document, _ *model.Coins) ([]*wire.Part, error) {
	if len(d.WordGaps) == 0 {
		return nil, nil
	}
	if w.weights == nil {
		return nil, exit.Errorf(exit.Malformed,
			"parameters have no draw of the weights: they are of a model file, not of a round")
	}
	y, _, err := w.labels.Outcome(d.Label)
	if err != nil {
		return nil, exit.Errorf(exit.Malformed, "%w", err)
	}
	w.row.Read(d)
	residual := y - row.Logistic(w.row.Dot(w.weights))
	n := len(w.row.X)
	cells := make([]float32, 2*n)
	for i, id := range w.row.IDs {
		g := residual * w.row.X[i]
		cells[i] = row.TowardsZero(g)
		cells[n+i] = row.TowardsZero(g * w.shift[id])
	}
	return model.AppendParts(nil, 0, []uint32{0, 1}, w.row.IDs, cells), nil
}

// Predict implements model.Predictor.
func (w *worker) Predict(d *wire.Document) (*wire.Prediction, error) {
	w.row.Read(d)
	variance := 0.0
	for i, id := range w.row.IDs {
		s := w.row.X[i] * w.deviation[id]
		variance += s * s
	}
	return w.labels.Prediction(d, row.Probability(w.row.Dot(w.mean), variance)), nil
}
