// Package words is the M-step of word frequencies: it averages releases and denoises the frequencies.
package words

import (
	"errors"
	"math"

	"privpipe/mstep/internal/denoise"
	"privpipe/mstep/model"
	"privpipe/pipelines/wire"
	"privpipe/pipelines/wire/stream"
)

// Name is the model's name in headers.
const Name = "words"

// Learner implements model.Learner.
type Learner struct {
	words    int
	round    uint32
	rounds   float64   // in the mean
	mean     []float64 // of the released sums
	variance float64   // of the noise on each cell of it
}

// New returns a learner for a vocabulary of the given size.
func New(words int) *Learner { return &Learner{words: words, mean: make([]float64, words)} }

// Name implements model.Learner.
func (l *Learner) Name() string { return Name }

// Round implements model.Learner.
func (l *Learner) Round() uint32 { return l.round }

// Shapes implements model.Learner.
func (l *Learner) Shapes() []*wire.Matrix {
	return []*wire.Matrix{{Name: "words", Rows: 1, Columns: uint32(l.words)}}
}

// Update implements model.Learner.
func (l *Learner) Update(r *model.Release) error {
	counts, err := r.Statistic("words")
	if err != nil {
		return err
	}
	l.rounds++
	rho := 1 / l.rounds
	for v, x := range counts.Values {
		l.mean[v] += rho * (x - l.mean[v])
	}
	l.variance = (1-rho)*(1-rho)*l.variance + rho*rho*counts.Deviation*counts.Deviation
	l.round = r.Round
	return nil
}

// Parameters implements model.Learner: the E-step needs none.
func (l *Learner) Parameters() *model.Snapshot { return nil }

// Model implements model.Learner.
func (l *Learner) Model() (*model.Snapshot, error) {
	if l.round == 0 {
		return nil, errors.New("no release to learn from")
	}
	s := new(model.Snapshot)
	s.Scalar("rounds", l.rounds)
	model.Matrix(s, "probabilities", 1, l.words, denoise.Frequencies(l.mean, math.Sqrt(l.variance)))
	return s, nil
}

// State implements model.Learner.
func (l *Learner) State() *model.Snapshot {
	s := new(model.Snapshot)
	s.Scalar("rounds", l.rounds)
	s.Scalar("variance", l.variance)
	model.Matrix(s, "mean", 1, l.words, l.mean)
	return s
}

// Restore implements model.Learner.
func (l *Learner) Restore(set *stream.Set) error {
	mean, err := stream.Cells[float64](set, "mean")
	if err != nil {
		return err
	}
	rounds, ok1 := set.Scalar("rounds")
	variance, ok2 := set.Scalar("variance")
	if len(mean) != l.words || !ok1 || !ok2 {
		return errors.New("checkpoint is not one of this vocabulary")
	}
	l.round, l.rounds, l.variance, l.mean = set.Round, rounds, variance, mean
	return nil
}
