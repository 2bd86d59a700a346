// Package mixture is the M-step of Bernoulli mixtures.
package mixture

import (
	"math/rand/v2"

	"privpipe/mstep/learn"
	"privpipe/pipelines/filter"
	"privpipe/pipelines/model"
	"privpipe/pipelines/model/mixture"
	"privpipe/pipelines/vocabulary"
	"privpipe/pipelines/wire/stream"
)

// Command is mstep mixture.
type Command struct {
	learn.Job
	Clusters int `required:"" help:"Number of clusters."`
}

// Run is kong's hook.
func (c *Command) Run(r *filter.Run) error {
	vocab, err := vocabulary.OpenOrDefault(r, c.Vocab)
	if err != nil {
		return err
	}
	return c.Learn(r, New(model.Size{Words: len(vocab), Components: c.Clusters}), vocab)
}

// Learner implements model.Learner.
type Learner struct {
	size   model.Size
	round  uint32
	shares []float64
	chance []float64
}

// New returns a learner with clusters that all differ a little.
func New(size model.Size) *Learner {
	l := &Learner{size: size, shares: make([]float64, size.Components),
		chance: make([]float64, size.Components*size.Words)}
	random := rand.New(rand.NewPCG(1, 2))
	for k := range l.shares {
		l.shares[k] = 1 / float64(size.Components)
	}
	for i := range l.chance {
		l.chance[i] = 0.1 + 0.1*random.Float64()
	}
	return l
}

// Family implements model.Learner.
func (l *Learner) Family() *model.Family { return mixture.Family }

// Size implements model.Learner.
func (l *Learner) Size() model.Size { return l.size }

// Round implements model.Learner.
func (l *Learner) Round() uint32 { return l.round }

// Update implements model.Learner.
func (l *Learner) Update(r *model.Release) error {
	documents, err := r.Statistic(mixture.Documents)
	if err != nil {
		return err
	}
	occurrences, err := r.Statistic(mixture.Occurrences)
	if err != nil {
		return err
	}
	total := 0.0
	for k, n := range documents.Values {
		l.shares[k] = max(n, 3*documents.Deviation, 1e-9)
		total += l.shares[k]
	}
	for k := range l.shares {
		for v := range l.size.Words {
			at := k*l.size.Words + v
			l.chance[at] = min(max(occurrences.Values[at]/l.shares[k], 1e-4), 1)
		}
		l.shares[k] /= total
	}
	l.round = r.Round
	return nil
}

// Parameters implements model.Learner.
func (l *Learner) Parameters() *model.Snapshot { return l.State() }

// Model implements model.Learner.
func (l *Learner) Model() (*model.Snapshot, error) {
	return l.State(), nil
}

// State implements model.Learner.
func (l *Learner) State() *model.Snapshot {
	s := new(model.Snapshot)
	mixture.Shares.Put(s, l.size, l.shares)
	mixture.Chance.Put(s, l.size, l.chance)
	return s
}

// Restore implements model.Learner.
func (l *Learner) Restore(set *stream.Set) (err error) {
	if l.shares, err = mixture.Shares.Of(set, l.size); err != nil {
		return err
	}
	l.chance, err = mixture.Chance.Of(set, l.size)
	l.round = set.Round
	return err
}
