package blr

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
	negative, point := -1., 0.
	if o.Negative != nil {
		negative = *o.Negative
	}
	if o.Point {
		point = 1
	}
	return []setting{
		named("a0", o.A0), named("b0", o.B0), named("tau0", o.Rate.Tau0), named("kappa", o.Rate.Kappa),
		named("negative", negative), named("point", point),
	}
}

// The matrices and scalars of a checkpoint.
var (
	keptLearned  = model.Scalar{Name: "learned", Rule: model.NotNegative}
	keptVariance = model.Scalar{Name: "variance", Rule: model.NotNegative}
	keptFirst    = model.Matrix[float64]{Name: "first", Rows: model.One, Columns: model.Words}
	keptSecond   = model.Matrix[float64]{Name: "second", Rows: model.Words, Columns: model.Words}
)

// State implements model.Learner.
func (l *Learner) State() *model.Snapshot {
	s := new(model.Snapshot)
	for _, setting := range l.o.settings() {
		setting.Put(s, setting.value)
	}
	keptLearned.Put(s, l.learned)
	keptVariance.Put(s, l.variance)
	keptFirst.Put(s, l.Size(), l.first)
	keptSecond.Put(s, l.Size(), l.second)
	return s
}

// Restore implements model.Learner.
func (l *Learner) Restore(set *stream.Set) (err error) {
	for _, setting := range l.o.settings() {
		if got, ok := set.Scalar(setting.Name); !ok || got != setting.value {
			return fmt.Errorf("checkpoint was made with %s %v, this run has %v", setting.Name, got, setting.value)
		}
	}
	if l.learned, err = keptLearned.Of(set); err != nil {
		return err
	}
	if l.variance, err = keptVariance.Of(set); err != nil {
		return err
	}
	if l.first, err = keptFirst.Of(set, l.Size()); err != nil {
		return err
	}
	if l.second, err = keptSecond.Of(set, l.Size()); err != nil {
		return err
	}
	l.round = set.Round
	return l.learn()
}
