package mean

import (
	"math"
	"slices"

	"privpipe/mstep/internal/denoise"
	"privpipe/mstep/internal/informed"
	"privpipe/mstep/learn"
	"privpipe/pipelines/filter"
	"privpipe/pipelines/model"
	"privpipe/pipelines/model/families"
	"privpipe/pipelines/model/publictext"
)

// WordsCommand is mstep words.
type WordsCommand struct {
	learn.Job
	Public string `placeholder:"FILE" help:"Take the frequencies of public text as a prior, from FILE of mstep public. estep words needs the same flag."`
}

// Run is kong's hook.
func (c *WordsCommand) Run(r *filter.Run) error {
	vocab, err := c.Words(r, c.Public)
	if err != nil {
		return err
	}
	learner := NewWords(len(vocab))
	if c.Public != "" {
		text, err := publictext.Open(r, c.Public, vocab)
		if err != nil {
			return err
		}
		learner = NewInformedWords(text)
	}
	return c.Learn(r, learner, vocab)
}

// Words implements model.Learner. It averages releases and denoises the frequencies.
type Words struct {
	Mean
	public *publictext.Text // prior of the frequencies, and the source of the documents' scales; nil: none
}

// NewWords returns a learner for a vocabulary of the given size.
func NewWords(size int) *Words { return newWords(size, nil) }

// NewInformedWords returns a learner for the releases of estep words --public.
func NewInformedWords(text *publictext.Text) *Words { return newWords(len(text.Frequencies), text) }

func newWords(size int, text *publictext.Text) *Words {
	l := &Words{NewMean(families.WordCounts, size, families.Rounds), text}
	l.Settings = learn.PublicText(text)
	return l
}

// Family implements model.Learner.
func (l *Words) Family() *model.Family { return families.Words }

// Model implements model.Learner.
func (l *Words) Model() (*model.Snapshot, error) {
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
func (l *Words) counts() (sums, deviations []float64) {
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
func (l *Words) frequencies(sums, deviations []float64) []float64 {
	var frequencies []float64
	if l.public == nil || l.Variance == 0 {
		frequencies, _ = denoise.FrequenciesOf(sums, deviations)
	} else {
		frequencies, _ = informed.NewFrequencies(l.public, sums, deviations).Estimate(sums, deviations, true)
	}
	return frequencies
}
