// Package blr is the E-step of Bayesian logistic regression with Pólya-Gamma variables (Park et al. 2020, Algorithms 4
// and 5). claim.md bounds the contribution of one row.
package blr

import (
	"math"

	"privpipe/estep/row"
	"privpipe/pipelines/exit"
	"privpipe/pipelines/model"
	"privpipe/pipelines/model/families"
	"privpipe/pipelines/wire"
	"privpipe/pipelines/wire/stream"
)

// Options are the settings of the E-step.
type Options struct {
	RowNorm float64 // R: a row x becomes x·min(1, R/|x|)/R
	Labels  row.Labels
	PlugIn  bool // predict by the mean weights, not by their distribution
}

// Model implements model.EStep.
type Model struct {
	options Options
	words   int
	mean    []float64 // E[w]
	folded  []float64 // E[w·wᵀ], V × V row by row; each cell above the diagonal has its mirror cell added
}

// New returns a model without parameters.
func New(o Options) *Model { return &Model{options: o} }

// Settings implements model.EStep.
func (m *Model) Settings() any {
	return map[string]any{"row norm": m.options.RowNorm, "positive": m.options.Labels.Positive,
		"trials": m.options.Labels.Trials}
}

// SetParameters implements model.EStep.
func (m *Model) SetParameters(set *stream.Set, size model.Size) (err error) {
	m.words = size.Words
	if m.mean, err = families.Mean.Of(set, size); err != nil {
		return err
	}
	moments, err := families.Moments.Of(set, size)
	if err != nil {
		return err
	}
	m.fold(moments)
	return nil
}

// fold takes E[w·wᵀ], and adds each cell below the diagonal to its mirror cell above. xᵀ·M·x needs only the sum of
// both.
func (m *Model) fold(moments []float64) {
	m.folded = moments
	for r := range m.words {
		for c := range r {
			m.folded[c*m.words+r] += m.folded[r*m.words+c]
		}
	}
}

// NewWorker implements model.EStep.
func (m *Model) NewWorker() model.Worker { return &worker{Model: m} }

type worker struct {
	*Model
	row row.Row
}

// read reads a document's row and brings it into the unit ball.
func (w *worker) read(d *wire.Document) {
	w.row.Read(d)
	w.row.Bound(w.options.RowNorm)
}

// square returns xᵀ·E[wwᵀ]·x. It is at least 0 except for rounding. If hostile parameters overflow, it is 0 or +∞.
func (w *worker) square() float64 {
	sum := 0.0
	for i, id := range w.row.IDs {
		moments, product := w.folded[int(id)*w.words:], 0.0
		for j := i; j < len(w.row.IDs); j++ {
			product += w.row.X[j] * moments[w.row.IDs[j]]
		}
		sum += w.row.X[i] * product
	}
	if math.IsNaN(sum) {
		return math.Inf(1)
	}
	return max(0, sum)
}

// Contribute implements model.Worker. For y successes in b trials it returns (y − b/2)·x and E[ξ]·x·xᵀ, with ξ ~ PG(b,
// √(xᵀ·E[wwᵀ]·x)). These are eq. 49 and 50 for b = 1. All numbers are rounded towards 0, so that rounding never exceeds
// the bounds.
func (w *worker) Contribute(d *wire.Document, _ *model.Coins) ([]*wire.Part, error) {
	if len(d.WordGaps) == 0 {
		return nil, nil
	}
	if 2*4*len(d.WordGaps) > model.MaxPart {
		return nil, exit.Errorf(exit.Malformed, "a row has more than %d features that are not 0", model.MaxPart/8)
	}
	successes, trials, err := w.options.Labels.Outcome(d.Label)
	if err != nil {
		return nil, exit.Errorf(exit.Malformed, "%w", err)
	}
	w.read(d)
	return w.row.Parts(d.WordGaps, successes-trials/2, model.PolyaGamma(trials, math.Sqrt(w.square()))), nil
}

// Predict implements model.Predictor. It returns the probability of the positive class, averaged over q(w) (Park et al.
// 2020, §6; MacKay 1992).
func (w *worker) Predict(d *wire.Document) (*wire.Prediction, error) {
	w.read(d)
	mean, variance := w.row.Dot(w.mean), 0.0
	if !w.options.PlugIn {
		variance = max(0, w.square()-mean*mean) // NaN, where both overflow, counts as no knowledge of the class
	}
	return w.options.Labels.Prediction(d, row.Probability(mean, variance)), nil
}
