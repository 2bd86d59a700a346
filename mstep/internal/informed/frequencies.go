package informed

import (
	"math"

	"privpipe/pipelines/model/publictext"
)

// Frequencies estimates the frequencies of words from noisy counts. Each word has its own deviation of the noise.
type Frequencies struct{ rows *Rows }

// NewFrequencies takes the first counts. They give the blend of public topics, and the guess that later estimates start
// from. Deviations are positive.
func NewFrequencies(text *publictext.Text, counts, deviations []float64) *Frequencies {
	f := &Frequencies{New(1, text.Frequencies, text, deviations)}
	first := quotients(counts, deviations)
	f.rows.Follow(first, 1)
	last := f.rows.Last(text.Frequencies, first, 1)
	last.Estimate(first, 1)
	f.rows.guess = last.guess
	return f
}

// Estimate returns the frequencies, and the standard deviations of the true frequencies given the counts. Frequencies
// are positive, and their sum is 1. An estimate does not depend on earlier estimates. If last is set, Estimate takes
// longer.
func (f *Frequencies) Estimate(counts, deviations []float64, last bool) (frequencies, errors []float64) {
	rows := *f.rows
	rows.blend, rows.scales = f.rows.blend.Clone(), deviations
	rows.Rebase(rows.base)
	statistic := quotients(counts, deviations)
	if last {
		rows.settle(statistic, 1)
	} else {
		rows.fit(rows.narrowed(inDeviations(statistic, 1)), 1, nextSteps)
	}
	own := make([]float64, len(counts))
	frequencies, _ = rows.estimate(statistic, own, 1)
	total := 0.0
	for _, x := range frequencies {
		total += x
	}
	errors = make([]float64, len(counts))
	for v := range frequencies {
		frequencies[v] /= total
		errors[v] = math.Sqrt(own[v]) * deviations[v] / total
	}
	return frequencies, errors
}

func quotients(a, b []float64) []float64 {
	out := make([]float64, len(a))
	for i := range a {
		out[i] = a[i] / b[i]
	}
	return out
}
