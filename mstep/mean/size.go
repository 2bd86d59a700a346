package mean

import (
	"math"

	"privpipe/mstep/learn"
	"privpipe/pipelines/exit"
	"privpipe/pipelines/filter"
	"privpipe/pipelines/model"
	"privpipe/pipelines/model/families"
)

// SizeCommand is mstep size.
type SizeCommand struct{ learn.Job }

// Run is kong's hook.
func (c *SizeCommand) Run(r *filter.Run) error {
	if c.Vocab != "" {
		return exit.Errorf(exit.Usage, "--vocab belongs to other models: the features of a size are always the same")
	}
	if err := r.Check(c.Input); err != nil {
		return err
	}
	return c.Learn(r, NewSize(), families.Size.Features)
}

// Size implements model.Learner: sums of the documents' features, with noise (families.Size).
type Size struct{ Mean }

// NewSize returns a learner.
func NewSize() *Size {
	return &Size{NewMean(families.FeatureSums, len(families.Size.Features), families.Rounds)}
}

// Family implements model.Learner.
func (l *Size) Family() *model.Family { return families.Size }

// Model implements model.Learner. Each document contributed half of its features, so the sums are doubled.
func (l *Size) Model() (*model.Snapshot, error) {
	sums := make([]float64, len(l.Cells))
	for i, x := range l.Cells {
		sums[i] = 2 * x
	}
	s := new(model.Snapshot)
	families.Rounds.Put(s, l.Rounds)
	families.SizeDeviation.Put(s, 2*math.Sqrt(l.Variance))
	families.SizeSums.Put(s, l.Size(), sums)
	return s, nil
}
