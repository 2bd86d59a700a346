package lda

import (
	"privpipe/mstep/learn"
	"privpipe/pipelines/model"
	"privpipe/pipelines/model/lda"
	"privpipe/pipelines/wire/stream"
)

// The checkpoint's matrices and scalars.
var (
	keptVariance        = model.Scalar{Name: "variance"}
	keptAverageVariance = model.Scalar{Name: "average_variance"}
	keptAveraged        = model.Scalar{Name: "averaged"}
	keptBaseVariance    = model.Scalar{Name: "base_variance"}
	keptLastVariance    = model.Scalar{Name: "last_variance"}
	// Its columns are public topics, not words.
	keptBlend = model.Matrix[float64]{Name: "blend", Rows: model.Components, Columns: model.Words,
		Rule: model.NotNegative}
	keptBase    = model.Matrix[float64]{Name: "base", Rows: model.Components, Columns: model.Words}
	keptLast    = model.Matrix[float64]{Name: "last", Rows: model.Components, Columns: model.Words}
	keptSum     = model.Matrix[float64]{Name: "sum", Rows: model.Components, Columns: model.Words}
	keptAverage = model.Matrix[float64]{Name: "average", Rows: model.Components, Columns: model.Words}
)

func (l *Learner) state() learn.State {
	accumulate, point := learn.Switch("accumulate", l.o.Accumulate), learn.Switch("point", l.o.Estimate.Point)
	online := learn.Switch("learn_correlation", l.o.Online.Learn)
	accumulate.Optional, point.Optional, online.Optional = true, true, true
	kept := learn.State{
		Settings: []learn.Setting{
			{Name: lda.Alpha.Name, Value: l.o.Alpha}, {Name: lda.Eta.Name, Value: l.o.Eta},
			{Name: "tau0", Value: l.o.Tau0}, {Name: "kappa", Value: l.o.Kappa},
			{Name: "average_from", Value: l.o.AverageFrom},
			learn.Switch("zero_negatives", l.o.ZeroNegatives),
			{Name: lda.Ceiling.Name, Value: l.o.Estimate.Ceiling, Optional: true}, accumulate, point,
			{Name: "online", Value: l.o.Online.Lambda, Optional: true}, online,
		},
		Kept: []learn.Kept{
			learn.Number(keptVariance, &l.variance), learn.Number(keptAverageVariance, &l.averageVariance),
			learn.Number(keptAveraged, &l.averaged),
			learn.Cells(keptSum, l.Size(), l.sum),
			learn.CellsOnce(&l.averaged, keptAverage, l.Size(), l.average),
		},
	}
	kept.Settings = append(kept.Settings, learn.PublicText(l.o.Public)...)
	weigh, refine := learn.Switch("weigh_words", l.o.WeighWords), learn.Switch("refine_words", l.o.Refine)
	weigh.Optional, refine.Optional = true, true
	kept.Settings = append(kept.Settings, weigh, refine)
	if l.informed != nil {
		weights, columns := l.informed.Weights()
		kept.Kept = append(kept.Kept,
			learn.Cells(keptBlend, model.Size{Components: l.o.Topics, Words: columns}, weights))
	}
	if s := l.online; s != nil {
		kept.Kept = append(kept.Kept, learn.Number(lda.Correlation, &s.lambda),
			learn.Number(keptBaseVariance, &s.baseVariance),
			learn.Number(keptLastVariance, &s.lastVariance), learn.Cells(keptBase, l.Size(), s.base),
			learn.Cells(keptLast, l.Size(), s.last))
	}
	return kept
}

// State implements model.Learner.
func (l *Learner) State() *model.Snapshot { return l.state().Snapshot() }

// Restore implements model.Learner.
func (l *Learner) Restore(set *stream.Set) error {
	l.round = set.Round
	if err := l.state().Restore(set); err != nil {
		return err
	}
	l.refine()
	return nil
}
