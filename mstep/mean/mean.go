// Package mean is the M-step for models that are the mean of their releases: word frequencies, text sizes, and weights
// that were learned before their release.
package mean

import (
	"privpipe/mstep/learn"
	"privpipe/pipelines/model"
	"privpipe/pipelines/wire/stream"
)

// keptVariance and keptMean are fields of checkpoints. The field for the number of rounds comes from the learner.
var (
	keptVariance = model.Scalar{Name: "variance"}
	keptMean     = model.Matrix[float64]{Name: "mean", Rows: model.One, Columns: model.Words}
)

// A Mean is the mean of released statistics with one row. Learners embed it. It implements model.Learner, except for
// Family and Model.
type Mean struct {
	Cells    []float64       // the mean of the released sums
	Variance float64         // of the noise on each cell
	Rounds   float64         // number of rounds in the mean
	Settings []learn.Setting // the learner's

	statistic string
	field     model.Scalar // the checkpoint field for Rounds
	round     uint32
}

// NewMean returns a mean without releases. The statistic has this number of cells. rounds is the checkpoint field for
// the number of rounds.
func NewMean(statistic string, cells int, rounds model.Scalar) Mean {
	return Mean{Cells: make([]float64, cells), statistic: statistic, field: rounds}
}

// Size implements model.Learner.
func (m *Mean) Size() model.Size { return model.Size{Words: len(m.Cells)} }

// Round implements model.Learner.
func (m *Mean) Round() uint32 { return m.round }

// Update implements model.Learner.
func (m *Mean) Update(r *model.Release) error {
	sums, err := r.Statistic(m.statistic)
	if err != nil {
		return err
	}
	m.Rounds++
	m.Variance = model.Mix(m.Cells, sums.Values, 1/m.Rounds, m.Variance, sums.Deviation*sums.Deviation)
	m.round = r.Round
	return nil
}

// Parameters implements model.Learner. The E-step needs none.
func (m *Mean) Parameters() *model.Snapshot { return nil }

func (m *Mean) state() learn.State {
	return learn.State{Settings: m.Settings, Kept: []learn.Kept{
		learn.Number(m.field, &m.Rounds), learn.Number(keptVariance, &m.Variance),
		learn.Cells(keptMean, m.Size(), m.Cells),
	}}
}

// State implements model.Learner.
func (m *Mean) State() *model.Snapshot { return m.state().Snapshot() }

// Restore implements model.Learner.
func (m *Mean) Restore(set *stream.Set) error {
	m.round = set.Round
	return m.state().Restore(set)
}
