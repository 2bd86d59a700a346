// Package words is the M-step for word frequencies. It averages releases and denoises the frequencies.
package words

import (
	"math"
	"slices"

	"privpipe/mstep/internal/denoise"
	"privpipe/mstep/internal/informed"
	"privpipe/mstep/learn"
	"privpipe/pipelines/model"
	"privpipe/pipelines/model/families"
	"privpipe/pipelines/model/publictext"
)

// Learner implements model.Learner.
type Learner struct {
	learn.Mean
	public *publictext.Text // prior of the frequencies, and the source of the documents' scales; nil: none
}

// New returns a learner for a vocabulary of the given size.
func New(size int) *Learner { return newLearner(size, nil) }

// NewInformed returns a learner for the releases of estep words --public.
func NewInformed(text *publictext.Text) *Learner { return newLearner(len(text.Frequencies), text) }

func newLearner(size int, text *publictext.Text) *Learner {
	l := &Learner{learn.NewMean(families.WordCounts, size, families.Rounds), text}
	l.Settings = learn.PublicText(text)
	return l
}

// Family implements model.Learner.
func (l *Learner) Family() *model.Family { return families.Words }

// Model implements model.Learner.
func (l *Learner) Model() (*model.Snapshot, error) {
	s := new(model.Snapshot)
	families.Rounds.Put(s, l.Rounds)
	sums, deviations := l.counts()
	frequencies := l.frequencies(sums, deviations)
	families.Probabilities.Put(s, l.Size(), frequencies)
	families.Sums.Put(s, l.Size(), sums)
	families.Deviations.Put(s, l.Size(), deviations)
	if l.public != nil {
		l.public.PutDigest(s)
		families.PutKinds(s, kinds(frequencies, l.public))
	}
	return s, nil
}

// counts returns the released sums times the words' scales, and the noise deviations on them.
func (l *Learner) counts() (sums, deviations []float64) {
	sums, deviations = slices.Clone(l.Cells), slices.Repeat([]float64{math.Sqrt(l.Variance)}, len(l.Cells))
	if l.public != nil {
		for v, scale := range families.WordScales(l.public.Frequencies) {
			sums[v] *= scale
			deviations[v] *= scale
		}
	}
	return sums, deviations
}

// frequencies returns the frequency of each word.
func (l *Learner) frequencies(sums, deviations []float64) []float64 {
	var frequencies []float64
	if l.public == nil || l.Variance == 0 {
		frequencies, _ = denoise.FrequenciesOf(sums, deviations)
	} else {
		frequencies, _ = informed.NewFrequencies(l.public, sums, deviations).Estimate(sums, deviations, true)
	}
	return frequencies
}
