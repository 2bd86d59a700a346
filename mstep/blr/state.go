package blr

import (
	"privpipe/mstep/learn"
	"privpipe/pipelines/model"
	"privpipe/pipelines/wire/stream"
)

// The checkpoint's matrices and scalars.
var (
	keptLearned  = model.Scalar{Name: "learned", Rule: model.NotNegative}
	keptVariance = model.Scalar{Name: "variance", Rule: model.NotNegative}
	keptFirst    = model.Matrix[float64]{Name: "first", Rows: model.One, Columns: model.Words}
	keptSecond   = model.Matrix[float64]{Name: "second", Rows: model.Words, Columns: model.Words}
)

func (l *Learner) state() learn.State {
	negative := -1.0
	if l.o.Negative != nil {
		negative = *l.o.Negative
	}
	return learn.State{
		Settings: []learn.Setting{
			{Name: "a0", Value: l.o.A0}, {Name: "b0", Value: l.o.B0},
			{Name: "tau0", Value: l.o.Rate.Tau0}, {Name: "kappa", Value: l.o.Rate.Kappa},
			{Name: "negative", Value: negative}, learn.Switch("point", l.o.Point),
		},
		Kept: []learn.Kept{
			learn.Number(keptLearned, &l.learned), learn.Number(keptVariance, &l.variance),
			learn.Cells(keptFirst, l.Size(), l.first), learn.Cells(keptSecond, l.Size(), l.second),
		},
	}
}

// State implements model.Learner.
func (l *Learner) State() *model.Snapshot { return l.state().Snapshot() }

// Restore implements model.Learner.
func (l *Learner) Restore(set *stream.Set) error {
	if err := l.state().Restore(set); err != nil {
		return err
	}
	l.round = set.Round
	return l.learn()
}
