package clusters

import (
	"privpipe/mstep/learn"
	"privpipe/pipelines/model"
	"privpipe/pipelines/model/families"
	"privpipe/pipelines/wire/stream"
)

// The averages in a checkpoint, and the scales: a run that resumes does not look at --public again.
var (
	keptCounts = model.Matrix[float64]{Name: families.ClusterCounts, Rows: model.One, Columns: model.Components}
	keptSums   = model.Matrix[float64]{Name: families.ClusterSums, Rows: model.Components, Columns: model.Words}

	keptScales = model.Matrix[float64]{Name: "scales", Rows: model.One, Columns: model.Words, Rule: model.Positive}

	keptSquares = model.Matrix[float64]{Name: families.ClusterSquares, Rows: model.Components, Columns: model.Words}
)

func (l *Learner) state() learn.State {
	number := func(name string, x *float64) learn.Kept {
		return learn.Number(model.Scalar{Name: name, Rule: model.NotNegative}, x)
	}
	s, size := &l.sums, l.o.Size
	state := learn.State{
		Settings: []learn.Setting{
			learn.Switch("diagonal", l.o.Diagonal),
			{Name: "tau0", Value: l.o.Rate.Tau0}, {Name: "kappa", Value: l.o.Rate.Kappa},
			{Name: "seed_low", Value: float64(uint32(l.o.Seed))}, {Name: "seed_high", Value: float64(l.o.Seed >> 32)},
		},
		Kept: []learn.Kept{
			number("learned", &l.learned), number("counts_noise", &s.countsNoise),
			number("sums_noise", &s.sumsNoise), number("squares_noise", &s.squaresNoise),
			learn.Cells(keptCounts, size, s.counts), learn.Cells(keptSums, size, s.sums),
			learn.Cells(keptScales, size, l.o.Scales),
			learn.Cells(families.ClusterWeights, size, l.q.weights),
			learn.Cells(families.ClusterMeans, size, l.q.means),
			learn.Cells(families.ClusterVariances, size, l.q.variances),
		},
	}
	if s.squares != nil {
		state.Kept = append(state.Kept, learn.Cells(keptSquares, size, s.squares))
	}
	return state
}

// State implements model.Learner.
func (l *Learner) State() *model.Snapshot { return l.state().Snapshot() }

// Restore implements model.Learner.
func (l *Learner) Restore(set *stream.Set) error {
	l.round = set.Round
	return l.state().Restore(set)
}
