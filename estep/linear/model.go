// Package linear is the E-step of Bayesian linear regression. The model has no latent variables, so a row contributes
// the statistics in the likelihood itself. claim.md bounds the contribution of one row.
package linear

import (
	"encoding/binary"
	"errors"
	"math"
	"strconv"

	"privpipe/estep/row"
	"privpipe/pipelines/exit"
	"privpipe/pipelines/model"
	"privpipe/pipelines/model/families"
	"privpipe/pipelines/wire"
	"privpipe/pipelines/wire/stream"
)

// Options are the settings of the E-step. Least < Most, and both are finite, as is Most − Least.
type Options struct {
	RowNorm     float64 // R: a row x becomes x·min(1, R/|x|)/R
	Least, Most float64 // responses are clamped to this range and scaled to [−1, 1]
}

// Model implements model.EStep.
type Model struct {
	options    Options
	words      int
	mean       []float64 // E[w]; nil in training
	covariance []float64 // of w, V × V row by row
	noise      float64   // variance of responses around wᵀx
}

// New returns a model without parameters.
func New(o Options) *Model { return &Model{options: o} }

// Settings implements model.EStep.
func (m *Model) Settings() any {
	return map[string]any{"row norm": m.options.RowNorm, "least": m.options.Least, "most": m.options.Most}
}

// SetParameters implements model.EStep. It takes the parameters in a model file.
func (m *Model) SetParameters(set *stream.Set, size model.Size) (err error) {
	m.words = size.Words
	if m.noise, err = families.Noise.Of(set); err != nil {
		return err
	}
	if m.mean, err = families.Mean.Of(set, size); err != nil {
		return err
	}
	m.covariance, err = families.Covariance.Of(set, size)
	return err
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

// response parses a label as a decimal response. The error does not tell the label, which is private.
func response(label string) (float64, error) {
	y, err := strconv.ParseFloat(label, 64)
	if err != nil && !errors.Is(err, strconv.ErrRange) || math.IsNaN(y) {
		return 0, exit.Errorf(exit.Malformed,
			"the label of a row is not a decimal number: every document needs its response")
	}
	return y, nil
}

// scale clamps a response to the range, and scales it to [−1, 1].
func (o Options) scale(y float64) float64 {
	y = min(max(y, o.Least), o.Most)
	return 2*((y-o.Least)/(o.Most-o.Least)) - 1
}

// Contribute implements model.Worker. It returns y·x, x·xᵀ, y² and 1, rounded towards 0, so that rounding never exceeds
// the bounds.
func (w *worker) Contribute(d *wire.Document, _ *model.Coins) ([]*wire.Part, error) {
	if len(d.WordGaps) == 0 {
		return nil, nil
	}
	if 2*4*len(d.WordGaps) > model.MaxPart {
		return nil, exit.Errorf(exit.Malformed, "a row has more than %d features that are not 0", model.MaxPart/8)
	}
	label, err := response(d.Label)
	if err != nil {
		return nil, err
	}
	w.read(d)
	y := w.options.scale(label)
	parts := w.row.Parts(d.WordGaps, y, 1)
	cell := func(matrix uint32, x float64) *wire.Part {
		return &wire.Part{Matrix: matrix,
			Values: binary.LittleEndian.AppendUint32(nil, math.Float32bits(row.TowardsZero(x)))}
	}
	return append(parts, cell(2, y*y), cell(3, 1)), nil
}

// Regress implements model.Regressor. Hostile parameters may give a posterior that is no distribution. Its deviation is
// then not below the noise.
func (w *worker) Regress(d *wire.Document) (mean, deviation float64, err error) {
	w.read(d)
	variance := 0.0
	for i, id := range w.row.IDs {
		variance += w.row.X[i] * w.row.Dot(w.covariance[int(id)*w.words:])
	}
	half := (w.options.Most - w.options.Least) / 2
	mean = w.options.Least + half*(1+w.row.Dot(w.mean))
	deviation = half * math.Sqrt(w.noise+max(0, variance))
	if math.IsNaN(mean+deviation) || math.IsInf(mean, 0) || math.IsInf(deviation, 0) {
		return 0, 0, exit.Errorf(exit.Malformed, "the model has no finite prediction for a row")
	}
	return mean, deviation, nil
}

// Predict implements model.Predictor. It returns the probability that a normal response is above the threshold.
func (w *predictor) Predict(d *wire.Document) (*wire.Prediction, error) {
	y, err := response(d.Label)
	if err != nil {
		return nil, err
	}
	mean, deviation, err := w.Regress(d)
	if err != nil {
		return nil, err
	}
	above := math.Erfc((w.above-mean)/(deviation*math.Sqrt2)) / 2
	p := &wire.Prediction{Id: d.Id, Label: d.Label,
		Probabilities: binary.LittleEndian.AppendUint32(nil, math.Float32bits(float32(above)))}
	if y > w.above {
		p.TruthGaps = []uint32{0}
	}
	return p, nil
}

// A predictor is a worker that predicts whether responses are above a threshold.
type predictor struct {
	worker
	above float64
}

// An aboveModel is a Model that makes predictors as workers.
type aboveModel struct {
	*Model
	above float64
}

// NewWorker implements model.EStep.
func (m aboveModel) NewWorker() model.Worker { return &predictor{worker{Model: m.Model}, m.above} }
