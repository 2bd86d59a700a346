package lda

import (
	"privpipe/mstep/learn"
	"privpipe/pipelines/model"
	"privpipe/pipelines/model/lda"
	"privpipe/pipelines/wire/stream"
)

// The matrices and scalars of a checkpoint.
var (
	keptVariance        = model.Scalar{Name: "variance"}
	keptAverageVariance = model.Scalar{Name: "average_variance"}
	keptAveraged        = model.Scalar{Name: "averaged"}
	keptSum             = model.Matrix[float64]{Name: "sum", Rows: model.Components, Columns: model.Words}
	keptAverage         = model.Matrix[float64]{Name: "average", Rows: model.Components, Columns: model.Words}
)

func (l *Learner) state() learn.State {
	accumulate := learn.Switch("accumulate", l.o.Accumulate)
	accumulate.Optional = true
	return learn.State{
		Settings: []learn.Setting{
			{Name: lda.Alpha.Name, Value: l.o.Alpha}, {Name: lda.Eta.Name, Value: l.o.Eta},
			{Name: "tau0", Value: l.o.Tau0}, {Name: "kappa", Value: l.o.Kappa}, {Name: "average_from", Value: l.o.AverageFrom},
			learn.Switch("zero_negatives", l.o.ZeroNegatives),
			{Name: lda.Ceiling.Name, Value: l.o.Estimate.Ceiling, Optional: true}, accumulate,
		},
		Kept: []learn.Kept{
			learn.Number(keptVariance, &l.variance), learn.Number(keptAverageVariance, &l.averageVariance),
			learn.Number(keptAveraged, &l.averaged),
			learn.Cells(keptSum, l.Size(), l.sum), learn.Cells(keptAverage, l.Size(), l.average),
		},
	}
}

// State implements model.Learner.
func (l *Learner) State() *model.Snapshot { return l.state().Snapshot() }

// Restore implements model.Learner.
func (l *Learner) Restore(set *stream.Set) error {
	l.round = set.Round
	return l.state().Restore(set)
}
