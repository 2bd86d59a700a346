package lda

import (
	"fmt"

	"privpipe/pipelines/model"
	"privpipe/pipelines/model/lda"
	"privpipe/pipelines/wire/stream"
)

// A setting is an option that must be equal in the checkpoint and in the flags.
type setting struct {
	model.Scalar
	value    float64
	optional bool // it is left out if it is 0, as checkpoints of older programs do
}

func (o *Options) settings() []setting {
	named := func(name string, value float64) setting {
		return setting{Scalar: model.Scalar{Name: name}, value: value}
	}
	optional := func(name string, value float64) setting {
		s := named(name, value)
		s.optional = true
		return s
	}
	return []setting{
		named(lda.Alpha.Name, o.Alpha), named(lda.Eta.Name, o.Eta), named("tau0", o.Tau0), named("kappa", o.Kappa),
		named("average_from", o.AverageFrom), named("zero_negatives", number(o.ZeroNegatives)),
		optional(lda.Ceiling.Name, o.Estimate.Ceiling), optional("accumulate", number(o.Accumulate)),
	}
}

func number(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// The matrices and scalars of a checkpoint.
var (
	keptVariance        = model.Scalar{Name: "variance"}
	keptAverageVariance = model.Scalar{Name: "average_variance"}
	keptAveraged        = model.Scalar{Name: "averaged"}
	keptSum             = model.Matrix[float64]{Name: "sum", Rows: model.Components, Columns: model.Words}
	keptAverage         = model.Matrix[float64]{Name: "average", Rows: model.Components, Columns: model.Words}
)

// State implements model.Learner.
func (l *Learner) State() *model.Snapshot {
	s := new(model.Snapshot)
	for _, setting := range l.o.settings() {
		if setting.value != 0 || !setting.optional {
			setting.Put(s, setting.value)
		}
	}
	keptVariance.Put(s, l.variance)
	keptAverageVariance.Put(s, l.averageVariance)
	keptAveraged.Put(s, l.averaged)
	keptSum.Put(s, l.Size(), l.sum)
	keptAverage.Put(s, l.Size(), l.average)
	return s
}

// Restore implements model.Learner.
func (l *Learner) Restore(set *stream.Set) (err error) {
	for _, setting := range l.o.settings() {
		if got, ok := set.Scalar(setting.Name); !ok && !setting.optional || got != setting.value {
			return fmt.Errorf("checkpoint was made with %s %v, this run has %v", setting.Name, got, setting.value)
		}
	}
	if l.variance, err = keptVariance.Of(set); err != nil {
		return err
	}
	if l.averageVariance, err = keptAverageVariance.Of(set); err != nil {
		return err
	}
	if l.averaged, err = keptAveraged.Of(set); err != nil {
		return err
	}
	if l.sum, err = keptSum.Of(set, l.Size()); err != nil {
		return err
	}
	if l.average, err = keptAverage.Of(set, l.Size()); err != nil {
		return err
	}
	l.round = set.Round
	return nil
}
