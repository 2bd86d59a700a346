package sbn

import (
	"fmt"

	"privpipe/pipelines/model"
	"privpipe/pipelines/model/families"
	"privpipe/pipelines/wire/stream"
)

// A setting is an option that must be equal in the checkpoint and in the flags. Sizes are checked with the shapes of
// the matrices.
type setting struct {
	model.Scalar
	value float64
}

func (o *Options) settings() []setting {
	named := func(name string, value float64) setting { return setting{model.Scalar{Name: name}, value} }
	point := 0.
	if o.Point {
		point = 1
	}
	return []setting{
		named("images", float64(o.Images)), named("nu_b", o.NuB), named("nu_c", o.NuC), named("tau0", o.Rate.Tau0),
		named("kappa", o.Rate.Kappa),
		named("point", point), named("seed_low", float64(uint32(o.Seed))), named("seed_high", float64(o.Seed>>32)),
	}
}

// A kept matrix or a number is part of the learner's state.
type kept struct {
	model.Matrix[float64]
	cells *[]float64
}

type number struct {
	model.Scalar
	value *float64
}

// numbers and matrices are the state, except for the averages.
func (l *Learner) numbers() []number {
	scalar := func(name string, rule model.Rule, x *float64) number {
		return number{model.Scalar{Name: name, Rule: rule}, x}
	}
	return []number{
		scalar("learned", model.NotNegative, &l.learned), scalar("variance_g", model.NotNegative, &l.varianceG),
		scalar("variance_gzz", model.NotNegative, &l.varianceGZZ), scalar("top", model.Positive, &l.q.top),
	}
}

func (l *Learner) matrices() []kept {
	matrix := func(name string, rows, columns model.Dimension, rule model.Rule, cells *[]float64) kept {
		return kept{model.Matrix[float64]{Name: name, Rows: rows, Columns: columns, Rule: rule}, cells}
	}
	q := l.q
	return []kept{
		{families.SBNWeights, &q.weights}, {families.SBNSquares, &q.squares},
		{families.SBNHidden, &q.hidden}, {families.SBNVisible, &q.visible},
		matrix("hidden_squares", model.One, model.Components, model.NotNegative, &q.hiddenSquares),
		matrix("precisions", model.Components, model.Words, model.Positive, &q.precisions),
		matrix("rates", model.Components, model.Words, model.Positive, &q.rates),
		matrix("scales", model.One, model.Components, model.Positive, &q.scales),
	}
}

// The averages of statistics are kept under their names.
var statistics = []struct {
	name          string
	rows, columns model.Dimension
}{
	{families.Z, model.One, model.Components}, {families.Y, model.One, model.Words},
	{families.G, model.One, model.Words},
	{families.GZ, model.Words, model.Components}, {families.YZ, model.Words, model.Components},
	{families.GZZ, model.Words, model.Pairs},
	{families.Count, model.One, model.One},
}

// State implements model.Learner.
func (l *Learner) State() *model.Snapshot {
	s := new(model.Snapshot)
	for _, setting := range l.o.settings() {
		setting.Put(s, setting.value)
	}
	for _, n := range l.numbers() {
		n.Put(s, *n.value)
	}
	for _, m := range l.matrices() {
		m.Put(s, l.o.Size, *m.cells)
	}
	for _, a := range statistics {
		if cells := l.averages[a.name]; cells != nil {
			model.Matrix[float64]{Name: a.name, Rows: a.rows, Columns: a.columns}.Put(s, l.o.Size, cells)
		}
	}
	return s
}

// Restore implements model.Learner.
func (l *Learner) Restore(set *stream.Set) (err error) {
	for _, setting := range l.o.settings() {
		if got, ok := set.Scalar(setting.Name); !ok || got != setting.value {
			return fmt.Errorf("checkpoint was made with %s %v, this run has %v", setting.Name, got, setting.value)
		}
	}
	for _, n := range l.numbers() {
		if *n.value, err = n.Of(set); err != nil {
			return err
		}
	}
	for _, m := range l.matrices() {
		if *m.cells, err = m.Of(set, l.o.Size); err != nil {
			return err
		}
	}
	for _, a := range statistics {
		if l.averages[a.name] == nil {
			continue
		}
		if l.averages[a.name], err = (model.Matrix[float64]{Name: a.name, Rows: a.rows, Columns: a.columns}).
			Of(set, l.o.Size); err != nil {
			return err
		}
	}
	l.round = set.Round
	return nil
}
