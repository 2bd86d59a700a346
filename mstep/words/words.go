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
)

// Learner implements model.Learner.
type Learner struct {
	learn.Mean
	public *publictext.Text // prior of the frequencies, by which documents were scaled; nil: none
}

// New returns a learner for a vocabulary of the given size.
func New(size int) *Learner { return newLearner(size, nil) }

// NewInformed returns a learner of releases of estep words --public.
func NewInformed(text *publictext.Text) *Learner { return newLearner(len(text.Frequencies), text) }

func newLearner(size int, text *publictext.Text) *Learner {
	l := &Learner{learn.NewMean(words.Counts, size, words.Rounds), text}
	l.Settings = learn.PublicText(text)
	return l
}

// Family implements model.Learner.
func (l *Learner) Family() *model.Family { return words.Family }

// Model implements model.Learner.
func (l *Learner) Model() (*model.Snapshot, error) {
	if l.Round() == 0 {
		return nil, errors.New("no release to learn from")
	}
	s := new(model.Snapshot)
	words.Rounds.Put(s, l.Rounds)
	frequencies := l.frequencies()
	words.Probabilities.Put(s, l.Size(), frequencies)
	if l.public != nil {
		l.public.PutDigest(s)
		words.PutKinds(s, kinds(frequencies, l.public))
	}
	return s, nil
}

// frequencies returns the frequency of each word.
func (l *Learner) frequencies() []float64 {
	if l.public == nil {
		return denoise.Frequencies(l.Cells, math.Sqrt(l.Variance))
	}
	if l.Variance == 0 {
		exact := make([]float64, len(l.Cells))
		for v, scale := range words.Scales(l.public.Frequencies) {
			exact[v] = l.Cells[v] * scale
		}
		return denoise.Frequencies(exact, 0)
	}
	rows := informed.New(1, l.public.Frequencies, l.public, words.Scales(l.public.Frequencies))
	tau := math.Sqrt(l.Variance)
	rows.Follow(l.Cells, tau)
	frequencies := rows.Last(l.Cells, tau).Estimate(l.Cells, tau)
	total := 0.0
	for _, f := range frequencies {
		total += f
	}
	for v := range frequencies {
		frequencies[v] /= total
	}
	return frequencies
}
