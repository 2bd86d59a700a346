package dpvi

import (
	"fmt"

	"privpipe/pipelines/model"
	"privpipe/pipelines/wire/stream"
)

// A setting is an option that must be equal in the checkpoint and in the flags.
type setting struct {
	model.Scalar
	value float64
}

func (o *Options) settings() []setting {
	named := func(name string, value float64) setting { return setting{model.Scalar{Name: name}, value} }
	return []setting{
		named("prior", o.Prior), named("first_deviation", o.Deviation), named("rate", o.Rate),
		named("seed", float64(o.Seed>>32)), named("seed_low", float64(o.Seed&(1<<32-1))),
	}
}

// The matrices of a checkpoint: μ and log d, and the sums of their squared gradients.
var (
	keptMean       = model.Matrix[float64]{Name: "mean", Rows: model.One, Columns: model.Words}
	keptLog        = model.Matrix[float64]{Name: "log_deviation", Rows: model.One, Columns: model.Words}
	keptSquares    = model.Matrix[float64]{Name: "squares", Rows: model.One, Columns: model.Words, Rule: model.NotNegative}
	keptLogSquares = model.Matrix[float64]{Name: "log_squares", Rows: model.One, Columns: model.Words, Rule: model.NotNegative}
)

// A kept is a matrix of a checkpoint, and the cells of the learner that it holds.
type kept struct {
	model.Matrix[float64]
	cells []float64
}

func (l *Learner) kept() []kept {
	n, squares := l.o.Words, l.optimiser.Squares
	return []kept{{keptMean, l.q[:n]}, {keptLog, l.q[n:]}, {keptSquares, squares[:n]}, {keptLogSquares, squares[n:]}}
}

// State implements model.Learner.
func (l *Learner) State() *model.Snapshot {
	s := new(model.Snapshot)
	for _, setting := range l.o.settings() {
		setting.Put(s, setting.value)
	}
	for _, k := range l.kept() {
		k.Put(s, l.Size(), k.cells)
	}
	return s
}

// Restore implements model.Learner.
func (l *Learner) Restore(set *stream.Set) error {
	for _, setting := range l.o.settings() {
		if got, ok := set.Scalar(setting.Name); !ok || got != setting.value {
			return fmt.Errorf("checkpoint was made with %s %v, this run has %v", setting.Name, got, setting.value)
		}
	}
	for _, k := range l.kept() {
		cells, err := k.Of(set, l.Size())
		if err != nil {
			return err
		}
		copy(k.cells, cells)
	}
	l.round = set.Round
	return nil
}
