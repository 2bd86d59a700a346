// Package size is the M-step for text sizes: sums of the documents' features, with noise (pipelines/model/size).
package size

import (
	"math"

	"privpipe/mstep/learn"
	"privpipe/pipelines/exit"
	"privpipe/pipelines/filter"
	"privpipe/pipelines/model"
	"privpipe/pipelines/model/size"
)

// Command is mstep size.
type Command struct{ learn.Job }

// Run is kong's hook.
func (c *Command) Run(r *filter.Run) error {
	if c.Vocab != "" {
		return exit.Errorf(exit.Usage, "--vocab belongs to other models: the features of a size are always the same")
	}
	if err := r.Check(c.Input); err != nil {
		return err
	}
	return c.Learn(r, New(), size.Family.Features)
}

// Learner implements model.Learner.
type Learner struct{ learn.Mean }

// New returns a learner.
func New() *Learner {
	return &Learner{learn.NewMean(size.Statistic, len(size.Family.Features), size.Rounds)}
}

// Family implements model.Learner.
func (l *Learner) Family() *model.Family { return size.Family }

// Model implements model.Learner. Each document contributed half of its features, so the sums are doubled.
func (l *Learner) Model() (*model.Snapshot, error) {
	sums := make([]float64, len(l.Cells))
	for i, x := range l.Cells {
		sums[i] = 2 * x
	}
	s := new(model.Snapshot)
	size.Rounds.Put(s, l.Rounds)
	size.Deviation.Put(s, 2*math.Sqrt(l.Variance))
	size.Sums.Put(s, l.Size(), sums)
	return s, nil
}
