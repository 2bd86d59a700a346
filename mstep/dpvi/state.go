package dpvi

import (
	"privpipe/mstep/learn"
	"privpipe/pipelines/model"
	"privpipe/pipelines/wire/stream"
)

// The checkpoint's matrices: μ and log d, and the sums of their squared gradients.
var (
	keptMean    = model.Matrix[float64]{Name: "mean", Rows: model.One, Columns: model.Words}
	keptLog     = model.Matrix[float64]{Name: "log_deviation", Rows: model.One, Columns: model.Words}
	keptSquares = model.Matrix[float64]{Name: "squares", Rows: model.One, Columns: model.Words,
		Rule: model.NotNegative}
	keptLogSquares = model.Matrix[float64]{Name: "log_squares", Rows: model.One, Columns: model.Words,
		Rule: model.NotNegative}
)

func (l *Learner) state() learn.State {
	n, size, squares := l.o.Words, l.Size(), l.optimiser.Squares
	return learn.State{
		Settings: []learn.Setting{
			{Name: "prior", Value: l.o.Prior}, {Name: "first_deviation", Value: l.o.Deviation},
			{Name: "rate", Value: l.o.Rate},
			{Name: "seed", Value: float64(l.o.Seed >> 32)}, {Name: "seed_low", Value: float64(l.o.Seed & (1<<32 - 1))},
		},
		Kept: []learn.Kept{
			learn.Cells(keptMean, size, l.q[:n]), learn.Cells(keptLog, size, l.q[n:]),
			learn.Cells(keptSquares, size, squares[:n]), learn.Cells(keptLogSquares, size, squares[n:]),
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
