package lda

import (
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/stat/distuv"
)

// emulated is the number of emulated releases.
const emulated = 4

// unigramGain returns the expected gain of one release with the whole budget over the refined frequencies, in nats a
// word. errors are the refined frequencies' standard deviations. single is the ratio of the one release's noise to
// the noise in the words' release.
//
// Exact counts with fresh noise would be another release, and nobody has charged it. So true frequencies p are drawn
// from their posterior given the releases. The posterior is approximated by gamma distributions with its means and
// deviations. Counts in proportion to p, with the noise of the one release, give an estimate b̂. The estimate b̂
// predicts a word Σ p log(b̂/b) nats better than the refined frequencies b. The mean over draws is the expected gain
// given all releases (Gelman and others, Bayesian Data Analysis, 2013, chapter 6.3). The seed is public.
func (f *frequencies) unigramGain(refined, errors []float64, single float64) float64 {
	total := 0.0
	for _, x := range f.o.Marginal.Sums {
		total += x
	}
	random := rand.New(rand.NewPCG(f.o.Seed, 0x756e69))
	whole := make([]float64, len(refined))
	for v, d := range f.o.Marginal.Deviations {
		whole[v] = single * d
	}
	truth, noisy := make([]float64, len(refined)), make([]float64, len(refined))
	gain := 0.0
	for range emulated {
		sum := 0.0
		for v, mean := range refined {
			truth[v] = mean
			if shape := max(mean*mean/(errors[v]*errors[v]), leastShape); shape < mostShape {
				truth[v] = distuv.Gamma{Alpha: shape, Beta: shape / mean, Src: random}.Rand()
			}
			sum += truth[v]
		}
		for v := range truth {
			truth[v] /= sum
			noisy[v] = total*truth[v] + whole[v]*random.NormFloat64()
		}
		estimate, _ := f.estimate(noisy, whole, true)
		m := f.o.Marginal
		ours, theirs := m.chosen(refined), m.chosen(estimate)
		for v, p := range m.chosen(truth) {
			gain += p * math.Log(theirs[v]/ours[v]) / emulated
		}
	}
	return gain
}

// Above mostShape a gamma variable is as good as certain. Below leastShape it would need too small numbers.
const (
	mostShape  = 1e8
	leastShape = 1e-3
)
