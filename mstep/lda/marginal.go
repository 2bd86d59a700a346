package lda

import (
	"math"
	"slices"

	"privpipe/mstep/internal/denoise"
	"privpipe/mstep/internal/informed"
	"privpipe/pipelines/model/publictext"
)

// A Marginal is what was released of the frequencies of words before the first round. Where the words of the topics
// were chosen among those of a dictionary by this release, it is over the dictionary: the sums of chosen words alone
// are above the truth in the mean, as they were chosen for it.
type Marginal struct {
	Frequencies      []float64        // of the words of the topics: their estimate
	Sums, Deviations []float64        // of all words, as released, and of the noise on them; nil: not known, or no noise
	Places           []int            // of the words of the topics among all words
	Public           *publictext.Text // over all words; nil: none
}

// chosen returns what is of the words of the topics, with a sum of 1.
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
// b. A contribution has norm 1, so a document with a smaller weight on frequent words has more of its norm left for
// rare ones, which tell topics apart.
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

// scales are by what the statistic of each word is divided: 1 over its weight; nil: 1.
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

// count returns the count of a cell of the statistic.
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

// leastRatioError is the least deviation of the logarithm of a word's share in the topics' statistic over its share in
// its own release, without noise. The two weigh words alike only roughly: one has roots of counts, and documents have
// other norms.
const leastRatioError = 0.1

// refine returns the frequencies of all words, and their errors as estimate does, by the released sums x and by the
// topics' statistic, of which all topics together have y_v = Σ_k s_kv. With noise τ on each cell, and word weights ω, a
// cell counts S_kv/ω_v words, and y_v has a deviation of τ√K/ω_v. y is in other units than x, so it is brought to those
// of x first, by f. Both are then measurements of one g, and the mean of x and fy by their precisions has the least
// variance. That of fy is its noise and (rg)², with the g of noise alone and an error of the ratio r. Of a word that is
// not of the topics, x says all.
func (f *frequencies) refine(sum []float64, tau float64, last bool) (refined, errors []float64) {
	z, deviations := f.combine(sum, tau)
	return f.estimate(z, deviations, last)
}

// combine returns the mean of x and fy, and its deviations.
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

// estimate returns the frequencies of all words by counts whose noise has these deviations, and the standard deviations
// of the true ones given the counts. The last estimate is as that of mstep words.
func (f *frequencies) estimate(counts, deviations []float64, last bool) (estimate, errors []float64) {
	if f.informed == nil {
		return denoise.FrequenciesOf(counts, deviations)
	}
	return f.informed.Estimate(counts, deviations, last)
}

// expected returns the sizes of the words of the topics by the words' release alone, in the unit of x.
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

// unit returns f such that fy has the size of x: both are fitted to the words' release by least squares with the same
// weights, the size of a word over its variance. A sum over all words would have the noise of them all.
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

// ratioError estimates r by moments, at least leastRatioError: the square of x − fy is in the mean the variances of
// both, and r² times the square of what both measure, for which the words' release stands. Words weigh as in least
// squares of these squares.
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
