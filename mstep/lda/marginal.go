package lda

import (
	"math"
	"slices"

	"privpipe/mstep/internal/denoise"
	"privpipe/mstep/internal/informed"
	"privpipe/pipelines/model/publictext"
)

// A Marginal has the frequencies of words that were released before the first round. The same release may have chosen
// the topics' words from a dictionary. The Marginal is then over the whole dictionary. The sums of the chosen words are
// above the truth on average, because words were chosen for large sums.
type Marginal struct {
	Frequencies []float64        // estimated, for the topics' words
	Sums        []float64        // released, for all words; nil: unknown, or without noise
	Deviations  []float64        // standard deviations of the noise on Sums; nil: as Sums
	Places      []int            // places of the topics' words among all words
	Public      *publictext.Text // over all words; nil: none
}

// chosen returns the values of the topics' words, scaled to sum 1.
func (m *Marginal) chosen(all []float64) []float64 {
	out, total := make([]float64, len(m.Places)), 0.0
	for v, at := range m.Places {
		out[v] = all[at]
		total += all[at]
	}
	for v := range out {
		out[v] /= total
	}
	return out
}

// wordWeights returns the weights of words in contributions, ω_v = (V b_v + 0.3)^−¼ over the largest, for frequencies
// b. A contribution has norm 1. If frequent words have smaller weights, more of the norm is left for rare words, which
// tell topics apart.
func wordWeights(frequencies []float64) []float32 {
	weights, largest := make([]float64, len(frequencies)), 0.0
	for v, b := range frequencies {
		weights[v] = math.Pow(float64(len(frequencies))*b+0.3, -0.25)
		largest = max(largest, weights[v])
	}
	out := make([]float32, len(weights))
	for v, w := range weights {
		out[v] = float32(w / largest)
	}
	return out
}

// scales are the divisors of the statistic of each word: 1 over its weight; nil: 1.
func (o *Options) scales() []float64 {
	if o.weights == nil {
		return nil
	}
	scales := make([]float64, len(o.weights))
	for v, w := range o.weights {
		scales[v] = 1 / float64(w)
	}
	return scales
}

// count converts x, the value in a cell of the statistic, to a count.
func (o *Options) count(cell int, x float64) float64 {
	if o.weights == nil {
		return x
	}
	return x / float64(o.weights[cell%o.Words])
}

// frequencies refines the frequencies of words by the statistic of topics.
type frequencies struct {
	o        *Options
	informed *informed.Frequencies // nil: without public text
}

// newFrequencies returns nil if the marginal has no sums.
func newFrequencies(o *Options) *frequencies {
	if o.Marginal == nil || o.Marginal.Sums == nil {
		return nil
	}
	f := &frequencies{o: o}
	if o.Marginal.Public != nil {
		f.informed = informed.NewFrequencies(o.Marginal.Public, o.Marginal.Sums, o.Marginal.Deviations)
	}
	return f
}

// leastRatioError is the least ratio error: the standard deviation of log(p/q) without noise. Here p is one word's
// share in the topics' statistic, and q is its share in the words' release. The two statistics weigh words alike only
// roughly: one has roots of counts, and documents have other norms.
const leastRatioError = 0.1

// refine returns the frequencies of all words, and their errors as estimate does, from two releases with independent
// noise:
//
//   - The words' release has sums x. The noise on x_v has deviation d_v.
//   - The topics' statistic s is K × V, with noise of deviation τ on each cell and word weights ω. A cell counts
//     s_kv/ω_v words.
//
// The topics together count y_v = Σ_k s_kv/ω_v words. The noise on y_v has deviation τ√K/ω_v. y has another unit than
// x, so the function unit gives a factor u: uy has the unit of x. Then x_v and uy_v both measure one size, g_v.
//
// The variance of x_v is d_v². The variance of uy_v is (uτ√K/ω_v)² + (rg_v)², where r is the ratio error. The first
// term is noise. The second term takes g_v from x_v and uy_v: their mean, weighted by the precisions of the noise, at
// least 0. The mean of x_v and uy_v weighted by the precisions has the least variance. A word outside the topics keeps
// x_v. Without a positive u, noise hides the topics, and all words keep x_v.
func (f *frequencies) refine(sum []float64, tau float64, last bool) (refined, errors []float64) {
	z, deviations := f.combine(sum, tau)
	return f.estimate(z, deviations, last)
}

// combine returns the mean of x and uy, and its deviations.
func (f *frequencies) combine(sum []float64, tau float64) (z, deviations []float64) {
	m := f.o.Marginal
	z, deviations = slices.Clone(m.Sums), slices.Clone(m.Deviations)
	y, noise := columns(sum, f.o.Words), make([]float64, f.o.Words)
	for v := range y {
		noise[v] = tau * math.Sqrt(float64(f.o.Topics))
		if f.o.weights != nil {
			y[v] /= float64(f.o.weights[v])
			noise[v] /= float64(f.o.weights[v])
		}
	}
	unit := f.unit(y)
	if !(unit > 0) { // noise hides the topics
		return z, deviations
	}
	for v := range y {
		y[v] *= unit
		noise[v] *= unit
	}
	ratio := f.ratioError(y, noise)
	for v, at := range m.Places {
		byWords, byTopics := deviations[at]*deviations[at], noise[v]*noise[v]
		g := max((z[at]/byWords+y[v]/byTopics)/(1/byWords+1/byTopics), 0)
		byTopics += ratio * ratio * g * g
		precision := 1/byWords + 1/byTopics
		z[at], deviations[at] = (z[at]/byWords+y[v]/byTopics)/precision, 1/math.Sqrt(precision)
	}
	return z, deviations
}

// estimate returns the frequencies of all words, from counts with noise of these deviations. errors are the standard
// deviations of the true frequencies given the counts. The last estimate takes the same steps as mstep words.
func (f *frequencies) estimate(counts, deviations []float64, last bool) (estimate, errors []float64) {
	if f.informed == nil {
		return denoise.FrequenciesOf(counts, deviations)
	}
	return f.informed.Estimate(counts, deviations, last)
}

// expected returns g by the words' release only: the sizes of the topics' words, in the unit of x.
func (f *frequencies) expected() []float64 {
	m := f.o.Marginal
	total, sizes := 0.0, slices.Clone(m.Frequencies)
	for _, at := range m.Places {
		total += m.Sums[at]
	}
	for v := range sizes {
		sizes[v] *= max(total, 0)
	}
	return sizes
}

// unit returns u, so that uy has the size of x. Multiples of g, from the words' release, are fitted to x and to y by
// least squares. u is the multiple for x over the multiple for y. Both fits have the same weights: the sums weigh each
// word by g_v over its variance. Sums over all words, without weights, would have the noise of all words.
func (f *frequencies) unit(y []float64) float64 {
	m := f.o.Marginal
	inX, inY := 0.0, 0.0
	for v, g := range f.expected() {
		at := m.Places[v]
		weight := g / (m.Deviations[at]*m.Deviations[at] + leastRatioError*leastRatioError*g*g)
		inX += weight * m.Sums[at]
		inY += weight * y[v]
	}
	if inY <= 0 {
		return 0
	}
	return inX / inY
}

// ratioError estimates r by moments, and returns at least leastRatioError. The mean of (x_v − uy_v)² is the sum of both
// noise variances and r²g_v². The words' release stands for g. Words weigh as in least squares of these squares.
func (f *frequencies) ratioError(y, noise []float64) float64 {
	m := f.o.Marginal
	excess, squares := 0.0, 0.0
	for v, g := range f.expected() {
		at := m.Places[v]
		difference, variance := m.Sums[at]-y[v], m.Deviations[at]*m.Deviations[at]+noise[v]*noise[v]
		weight := g * g / ((variance + leastRatioError*g*g) * (variance + leastRatioError*g*g))
		excess += weight * (difference*difference - variance)
		squares += weight * g * g
	}
	if squares == 0 {
		return leastRatioError
	}
	return max(leastRatioError, math.Sqrt(max(excess, 0)/squares))
}
