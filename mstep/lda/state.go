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
	value float64
}

func (o *Options) settings() []setting {
	zero := 0.
	if o.ZeroNegatives {
		zero = 1
	}
	return []setting{
		{lda.Alpha, o.Alpha}, {lda.Eta, o.Eta}, {model.Scalar{Name: "tau0"}, o.Tau0}, {model.Scalar{Name: "kappa"}, o.Kappa},
		{model.Scalar{Name: "average_from"}, o.AverageFrom}, {model.Scalar{Name: "zero_negatives"}, zero},
	}
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
		setting.Put(s, setting.value)
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
		if got, ok := set.Scalar(setting.Name); !ok || got != setting.value {
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
