package blr

import (
	"fmt"
	"maps"
	"slices"

	"privpipe/pipelines/model"
	"privpipe/pipelines/wire/stream"
)

// settings are the options that must be equal in the checkpoint and in the flags.
func (o *Options) settings() map[string]float64 {
	settings := map[string]float64{"a0": o.A0, "b0": o.B0, "tau0": o.Rate.Tau0, "kappa": o.Rate.Kappa, "negative": -1, "point": 0}
	if o.Negative != nil {
		settings["negative"] = *o.Negative
	}
	if o.Point {
		settings["point"] = 1
	}
	return settings
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
	settings := l.o.settings()
	for _, name := range slices.Sorted(maps.Keys(settings)) {
		model.Scalar{Name: name}.Put(s, settings[name])
	}
	keptLearned.Put(s, l.learned)
	keptVariance.Put(s, l.variance)
	keptFirst.Put(s, l.Size(), l.first)
	keptSecond.Put(s, l.Size(), l.second)
	return s
}

// Restore implements model.Learner.
func (l *Learner) Restore(set *stream.Set) (err error) {
	for name, value := range l.o.settings() {
		if got, ok := set.Scalar(name); !ok || got != value {
			return fmt.Errorf("checkpoint was made with %s %v, this run has %v", name, got, value)
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
