// Package size is the M-step of the size of a text: sums of the features of documents, with noise (pipelines/model/size).
package size

import (
	"errors"
	"math"

	"privpipe/mstep/learn"
	"privpipe/pipelines/exit"
	"privpipe/pipelines/filter"
	"privpipe/pipelines/model"
	"privpipe/pipelines/model/size"
	"privpipe/pipelines/wire/stream"
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

// The matrices and scalars of a checkpoint, besides the number of rounds.
var (
	keptVariance = model.Scalar{Name: "variance"}
	keptMean     = model.Matrix[float64]{Name: "mean", Rows: model.One, Columns: model.Words}
)

// Learner implements model.Learner.
type Learner struct {
	round    uint32
	rounds   float64   // number of rounds in the mean
	mean     []float64 // of the released sums
	variance float64   // of the noise on each cell of it
}

// New returns a learner.
func New() *Learner { return &Learner{mean: make([]float64, len(size.Family.Features))} }

// Family implements model.Learner.
func (l *Learner) Family() *model.Family { return size.Family }

// Size implements model.Learner.
func (l *Learner) Size() model.Size { return model.Size{Words: len(l.mean)} }

// Round implements model.Learner.
func (l *Learner) Round() uint32 { return l.round }

// Update implements model.Learner.
func (l *Learner) Update(r *model.Release) error {
	sums, err := r.Statistic(size.Statistic)
	if err != nil {
		return err
	}
	l.rounds++
	l.variance = model.Mix(l.mean, sums.Values, 1/l.rounds, l.variance, sums.Deviation*sums.Deviation)
	l.round = r.Round
	return nil
}

// Parameters implements model.Learner: the E-step needs none.
func (l *Learner) Parameters() *model.Snapshot { return nil }

// Model implements model.Learner. A document contributed half of its features.
func (l *Learner) Model() (*model.Snapshot, error) {
	if l.round == 0 {
		return nil, errors.New("no release to learn from")
	}
	sums := make([]float64, len(l.mean))
	for i, x := range l.mean {
		sums[i] = 2 * x
	}
	s := new(model.Snapshot)
	size.Rounds.Put(s, l.rounds)
	size.Deviation.Put(s, 2*math.Sqrt(l.variance))
	size.Sums.Put(s, l.Size(), sums)
	return s, nil
}

func (l *Learner) state() learn.State {
	return learn.State{Kept: []learn.Kept{
		learn.Number(size.Rounds, &l.rounds), learn.Number(keptVariance, &l.variance), learn.Cells(keptMean, l.Size(), l.mean),
	}}
}

// State implements model.Learner.
func (l *Learner) State() *model.Snapshot { return l.state().Snapshot() }

// Restore implements model.Learner.
func (l *Learner) Restore(set *stream.Set) error {
	l.round = set.Round
	return l.state().Restore(set)
}
