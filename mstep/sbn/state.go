package sbn

import (
	"privpipe/mstep/learn"
	"privpipe/pipelines/model"
	"privpipe/pipelines/model/families"
	"privpipe/pipelines/wire/stream"
)

// averaged has the statistics. A checkpoint keeps their averages under their names.
var averaged = []model.Matrix[float64]{
	{Name: families.Z, Rows: model.One, Columns: model.Components},
	{Name: families.Y, Rows: model.One, Columns: model.Words},
	{Name: families.G, Rows: model.One, Columns: model.Words},
	{Name: families.GZ, Rows: model.Words, Columns: model.Components},
	{Name: families.YZ, Rows: model.Words, Columns: model.Components},
	{Name: families.GZZ, Rows: model.Words, Columns: model.Pairs},
	{Name: families.Count, Rows: model.One, Columns: model.One},
}

func (l *Learner) state() learn.State {
	number := func(name string, rule model.Rule, x *float64) learn.Kept {
		return learn.Number(model.Scalar{Name: name, Rule: rule}, x)
	}
	matrix := func(name string, rows, columns model.Dimension, rule model.Rule, cells []float64) learn.Kept {
		return learn.Cells(model.Matrix[float64]{Name: name, Rows: rows, Columns: columns, Rule: rule}, l.o.Size, cells)
	}
	q := l.q
	s := learn.State{
		Settings: []learn.Setting{
			{Name: "images", Value: float64(l.o.Images)}, {Name: "nu_b", Value: l.o.NuB},
			{Name: "nu_c", Value: l.o.NuC}, {Name: "tau0", Value: l.o.Rate.Tau0},
			{Name: "kappa", Value: l.o.Rate.Kappa}, learn.Switch("point", l.o.Point),
			{Name: "seed_low", Value: float64(uint32(l.o.Seed))}, {Name: "seed_high", Value: float64(l.o.Seed >> 32)},
		},
		Kept: []learn.Kept{
			number("learned", model.NotNegative, &l.learned), number("variance_g", model.NotNegative, &l.varianceG),
			number("variance_gzz", model.NotNegative, &l.varianceGZZ), number("top", model.Positive, &q.top),
			learn.Cells(families.SBNWeights, l.o.Size, q.weights),
			learn.Cells(families.SBNSquares, l.o.Size, q.squares),
			learn.Cells(families.SBNHidden, l.o.Size, q.hidden),
			learn.Cells(families.SBNVisible, l.o.Size, q.visible),
			matrix("hidden_squares", model.One, model.Components, model.NotNegative, q.hiddenSquares),
			matrix("precisions", model.Components, model.Words, model.Positive, q.precisions),
			matrix("rates", model.Components, model.Words, model.Positive, q.rates),
			matrix("scales", model.One, model.Components, model.Positive, q.scales),
		},
	}
	for _, m := range averaged {
		if cells := l.averages[m.Name]; cells != nil {
			s.Kept = append(s.Kept, learn.Cells(m, l.o.Size, cells))
		}
	}
	return s
}

// State implements model.Learner.
func (l *Learner) State() *model.Snapshot { return l.state().Snapshot() }

// Restore implements model.Learner.
func (l *Learner) Restore(set *stream.Set) error {
	l.round = set.Round
	return l.state().Restore(set)
}
