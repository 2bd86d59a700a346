package mean

import (
	"errors"

	"privpipe/mstep/learn"
	"privpipe/pipelines/filter"
	"privpipe/pipelines/model"
	"privpipe/pipelines/model/families"
)

// ERMCommand is mstep erm. --vocab is the list of features.
type ERMCommand struct{ learn.Job }

// Run is kong's hook.
func (c *ERMCommand) Run(r *filter.Run) error {
	vocab, err := c.Words(r)
	if err != nil {
		return err
	}
	return c.Learn(r, NewERM(len(vocab)), vocab)
}

// ERM implements model.Learner. Its model is the mean of the released weights.
type ERM struct{ Mean }

// NewERM returns a learner for this number of features.
func NewERM(features int) *ERM {
	return &ERM{NewMean(families.Weights, features, families.Rounds)}
}

// Family implements model.Learner.
func (l *ERM) Family() *model.Family { return families.ERM }

// Update implements model.Learner. Weights are no sum over rows, so the weights of sampled rows cannot be scaled to all
// rows.
func (l *ERM) Update(r *model.Release) error {
	if !r.All {
		return errors.New("weights of sampled rows: they must be of all rows (sample --all)")
	}
	return l.Mean.Update(r)
}

// Model implements model.Learner.
func (l *ERM) Model() (*model.Snapshot, error) {
	s := new(model.Snapshot)
	families.Rounds.Put(s, l.Rounds)
	families.Mean.Put(s, l.Size(), l.Cells)
	return s, nil
}
