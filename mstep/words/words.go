// Package words is the M-step of word frequencies: it averages releases and denoises the frequencies.
package words

import (
	"errors"
	"math"

	"privpipe/mstep/internal/denoise"
	"privpipe/mstep/internal/informed"
	"privpipe/mstep/learn"
	"privpipe/pipelines/model"
	"privpipe/pipelines/model/publictext"
	"privpipe/pipelines/model/words"
	"privpipe/pipelines/wire/stream"
)

// The matrices and scalars of a checkpoint, besides the number of rounds.
var (
	keptVariance = model.Scalar{Name: "variance"}
	keptMean     = model.Matrix[float64]{Name: "mean", Rows: model.One, Columns: model.Words}
)

// Learner implements model.Learner.
type Learner struct {
	words    int
	round    uint32
	rounds   float64          // number of rounds in the mean
	mean     []float64        // of the released sums
	variance float64          // of the noise on each cell of it
	public   *publictext.Text // prior of the frequencies, by which documents were scaled; nil: none
}

// New returns a learner for a vocabulary of the given size.
func New(size int) *Learner { return &Learner{words: size, mean: make([]float64, size)} }

// NewInformed returns a learner of releases of estep words --public.
func NewInformed(text *publictext.Text) *Learner {
	l := New(len(text.Frequencies))
	l.public = text
	return l
}

// Family implements model.Learner.
func (l *Learner) Family() *model.Family { return words.Family }

// Size implements model.Learner.
func (l *Learner) Size() model.Size { return model.Size{Words: l.words} }

// Round implements model.Learner.
func (l *Learner) Round() uint32 { return l.round }

// Update implements model.Learner.
func (l *Learner) Update(r *model.Release) error {
	counts, err := r.Statistic(words.Counts)
	if err != nil {
		return err
	}
	l.rounds++
	l.variance = model.Mix(l.mean, counts.Values, 1/l.rounds, l.variance, counts.Deviation*counts.Deviation)
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
	words.Rounds.Put(s, l.rounds)
	words.Probabilities.Put(s, l.Size(), l.frequencies())
	if l.public != nil {
		l.public.PutDigest(s)
	}
	return s, nil
}

// frequencies returns the frequency of each word.
func (l *Learner) frequencies() []float64 {
	if l.public == nil {
		return denoise.Frequencies(l.mean, math.Sqrt(l.variance))
	}
	if l.variance == 0 {
		exact := make([]float64, len(l.mean))
		for v, scale := range words.Scales(l.public.Frequencies) {
			exact[v] = l.mean[v] * scale
		}
		return denoise.Frequencies(exact, 0)
	}
	rows := informed.New(1, l.public.Frequencies, l.public, words.Scales(l.public.Frequencies))
	tau := math.Sqrt(l.variance)
	rows.Follow(l.mean, tau)
	frequencies := rows.Last(l.mean, tau).Estimate(l.mean, tau)
	total := 0.0
	for _, f := range frequencies {
		total += f
	}
	for v := range frequencies {
		frequencies[v] /= total
	}
	return frequencies
}

func (l *Learner) state() learn.State {
	return learn.State{Settings: learn.PublicText(l.public), Kept: []learn.Kept{
		learn.Number(words.Rounds, &l.rounds), learn.Number(keptVariance, &l.variance), learn.Cells(keptMean, l.Size(), l.mean),
	}}
}

// State implements model.Learner.
func (l *Learner) State() *model.Snapshot { return l.state().Snapshot() }

// Restore implements model.Learner.
func (l *Learner) Restore(set *stream.Set) error {
	l.round = set.Round
	return l.state().Restore(set)
}
