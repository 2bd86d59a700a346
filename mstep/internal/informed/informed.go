// Package informed estimates distributions over words from a noisy statistic and from public text. All its work is
// post-processing of releases. A row is expected to be a mixture of public topics, corrected by features of its words.
// Each cell is then shrunk to its expectation, as much as the cells themselves support.
package informed

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/stat/distuv"

	"privpipe/mstep/internal/denoise"
	"privpipe/pipelines/model/publictext"
)

// Rows are K rows over V words. Each row has a statistic with noise.
type Rows struct {
	base     []float64      // the base frequencies
	lifts    blas32.General // J+1 × V: the lifts of the public topics, and a last row of 1 for the base frequencies
	packed   *factor        // the lifts
	columns  []float32      // factors of the lifts: each word's base frequency over its scale
	features *factor        // P × V: with mean 0 and variance 1 under the base frequencies
	scales   []float64      // of each word; the statistic is divided by them
	fitted   []int          // the words that fits look at: the most frequent ones
	few      pair           // the fitted words' features
	// Mixes the topics on the base frequencies over the scales, for the fitted words only.
	blend *blend
	last  bool // the statistic is the last one
	guess int  // index of the guess that expected takes before the last statistic
}

// The settings of fits. pipelines/recipes/PUBLIC.md says how they were chosen.
const (
	mostFeatures = 60
	mostFitted   = 4096 // rarer words have too few counts to tell topics apart
	firstSteps   = 40   // steps of the blend for the first statistic
	nextSteps    = 2    // for each later statistic
	lastSteps    = 20   // for the last statistic, in addition
	refresh      = 5    // steps between new weights of the cells
	loosened     = 0.1  // part of the blend that is shared out before each later statistic
	startShare   = 0.9  // share of public topics in the first topics; the rest are the base frequencies
)

var correction = logLinear{Ridge: 10, ModelError: modelError, Steps: 8}

// cellPrior is the prior of each cell around its expectation.
var cellPrior = denoise.Mixture{Ratios: []float64{.02, .04, .08, .16, .31, .63, 1.25, 2.5, 5, 10, 20, 40}, Groups: 8,
	Steps: 60}

// sampled is the number of cells in a fit of cellPrior's weights before the last statistic. It is smaller, for speed.
const sampled = 1 << 14

// cellPrior is the prior for cells in the current statistic.
func (r *Rows) cellPrior() denoise.Mixture {
	m := cellPrior
	if !r.last {
		m.Sampled = sampled
	}
	return m
}

// New puts the public text on base frequencies. Each word's statistic is divided by its scale; nil: 1.
func New(rows int, base []float64, text *publictext.Text, scales []float64) *Rows {
	if scales == nil {
		scales = slices.Repeat([]float64{1}, len(base))
	}
	r := &Rows{lifts: zeros(len(text.Topics)+1, len(base)), scales: scales, fitted: frequent(base, mostFitted)}
	for j, logLifts := range text.Topics {
		for v, l := range logLifts {
			row(r.lifts, j)[v] = float32(math.Exp(float64(l)))
		}
	}
	for v := range base {
		row(r.lifts, len(text.Topics))[v] = 1
	}
	r.packed, r.blend = newFactor(r.lifts), newBlend(r.narrow(r.lifts), rows)
	r.Rebase(base)
	features := zeros(min(mostFeatures, len(text.Features)), len(base))
	for p := range features.Rows {
		standardize(row(features, p), text.Features[p], base)
	}
	r.features, r.few = newFactor(features), newPair(r.narrow(features))
	return r
}

// Rebase puts the topics on other base frequencies. Each topic is in proportion to frequency times lift. The features
// and the blend's weights stay as they are.
func (r *Rows) Rebase(base []float64) {
	r.base, r.columns = base, make([]float32, len(base))
	fitted := make([]float32, 0, len(r.fitted))
	for v, b := range base {
		r.columns[v] = float32(b / r.scales[v])
	}
	for _, v := range r.fitted {
		fitted = append(fitted, r.columns[v])
	}
	rows := make([]float64, r.lifts.Rows)
	for j := range rows {
		total := 0.0
		for v, lift := range row(r.lifts, j) {
			total += base[v] * float64(lift)
		}
		rows[j] = 1 / total
	}
	r.blend = &blend{Known: r.blend.Known, Rows: rows, Columns: fitted, Weights: r.blend.Weights}
}

// standardize sets a feature to mean 0 and variance 1 under frequencies. A feature that does not vary stays 0.
func standardize(feature, public []float32, frequencies []float64) {
	mean, square := 0.0, 0.0
	for v, f := range frequencies {
		mean += f * float64(public[v])
		square += f * float64(public[v]) * float64(public[v])
	}
	variance := square - mean*mean
	if variance <= 1e-9*square {
		return
	}
	for v, x := range public {
		feature[v] = float32((float64(x) - mean) / math.Sqrt(variance))
	}
}

// Start returns K rows with sum V, each made from one public topic. It uses only the first public topics of the text:
// public says how many. If K is larger, the topics begin again, and a number from Gamma(100, 1/100) multiplies each
// cell. Without this, documents could not tell equal topics apart.
func (r *Rows) Start(rows, public int, seed uint64) []float64 {
	gamma := distuv.Gamma{Alpha: 100, Beta: 100, Src: rand.NewPCG(seed, 0x7374617274)}
	words := len(r.scales)
	first := make([]float64, rows*words)
	for k := range rows {
		lifts, size := row(r.lifts, k%public), r.blend.Rows[k%public]
		for v := range words {
			cell := float64(words) * r.base[v] * (startShare*size*float64(lifts[v]) + 1 - startShare)
			if k >= public {
				cell *= gamma.Rand()
			}
			first[k*words+v] = cell
		}
	}
	return first
}

// Follow fits the blend to a statistic with noise of deviation tau > 0 on each cell, K × V row by row.
func (r *Rows) Follow(statistic []float64, tau float64) {
	s := r.narrowed(inDeviations(statistic, tau))
	if slices.Max(r.blend.Weights) == 0 { // the first statistic
		r.blend.Reset(r.mass(statistic, tau) / float64(len(statistic)/len(r.scales)))
		r.fit(s, tau, firstSteps)
		return
	}
	r.blend.Loosen(loosened)
	r.fit(s, tau, nextSteps)
}

// fit improves the blend by steps. Between rounds the blend's weights are in the unit of the statistic, because the
// noise changes. Here they are in the unit of the noise.
func (r *Rows) fit(s []float32, tau float64, steps int) {
	copy(r.blend.Weights, over(r.blend.Weights, tau))
	for ; steps > 0; steps -= refresh {
		r.blend.Fit(s, 1, min(refresh, steps))
	}
	for i := range r.blend.Weights {
		r.blend.Weights[i] *= tau
	}
}

// Last returns a copy on other base frequencies. The blend of the copy has followed the last statistic.
func (r *Rows) Last(base, statistic []float64, tau float64) *Rows {
	c := *r
	c.blend = r.blend.Clone()
	c.Rebase(base)
	return c.settle(statistic, tau)
}

// settle fits the blend to the last statistic.
func (r *Rows) settle(statistic []float64, tau float64) *Rows {
	r.last = true
	r.fit(r.narrowed(inDeviations(statistic, tau)), tau, lastSteps)
	return r
}

// Weights are the blend's weights, K × J+1 row by row. Rows remember nothing else of earlier statistics.
func (r *Rows) Weights() (weights []float64, columns int) { return r.blend.Weights, r.lifts.Rows }

// Estimate returns the rows, times the scales, K × V, from a statistic with noise of deviation tau > 0 on each cell.
func (r *Rows) Estimate(statistic []float64, tau float64) []float64 {
	cells, _ := r.estimate(statistic, nil, tau)
	return cells
}

// A Traced estimate also says where each cell comes from. All slices are K × V, row by row.
type Traced struct {
	Cells    []float64 // the estimate
	Own      []float64 // how much each cell follows its own noisy cell, in [0, 1]: denoise.Mixture.ShrinkOwn
	Expected []float64 // each cell's expectation, in the unit of Cells, positive
}

// Trace is Estimate, and also says where the estimate comes from.
func (r *Rows) Trace(statistic []float64, tau float64) Traced {
	t := Traced{Own: make([]float64, len(statistic))}
	t.Cells, t.Expected = r.estimate(statistic, t.Own, tau)
	for i, e := range t.Expected {
		t.Expected[i] = e * tau * r.scales[i%len(r.scales)]
	}
	return t
}

// estimate returns the estimate, and each cell's expectation, divided by the noise and by the scale. It sets own unless
// own is nil.
func (r *Rows) estimate(statistic, own []float64, tau float64) (cells, expected []float64) {
	s := inDeviations(statistic, tau)
	noisy := make([]float64, len(s))
	for i, x := range s {
		noisy[i] = float64(x)
	}
	expected = r.expected(s, noisy, r.mass(statistic, tau)/tau, tau)
	cells = make([]float64, len(noisy))
	r.cellPrior().ShrinkOwn(cells, own, noisy, expected, 1)
	for i, x := range cells {
		// The minimum is far below the noise, but no word gets probability 0.
		cells[i] = max(x, 1e-6*expected[i]) * tau * r.scales[i%len(r.scales)]
	}
	return cells, expected
}

// expected returns each cell's expectation, in units of the noise. Before the last statistic it is one guess, usually
// the mixtures corrected by features. For the last statistic there are four guesses: corrected mixtures, mixtures
// alone, rows of the base frequencies, and equal cells. The cells' evidence chooses among them. Where public text is
// unlike the private text, or noise hides all but the sizes of rows, a wrong prior costs more than none.
func (r *Rows) expected(s []float32, noisy []float64, mass, tau float64) []float64 {
	b := *r.blend
	b.Weights = over(r.blend.Weights, tau)
	mixtures := b.Mixtures(r.packed, r.columns).Data
	corrected := slices.Clone(mixtures)
	correct(corrected, r.features, fitLogLinear(r.narrowed(mixtures), r.narrowed(s), r.few, 1, correction))
	guesses := []func() []float32{
		func() []float32 { return corrected },
		func() []float32 { return mixtures },
		func() []float32 { return r.flat(mixtures, true) },
		func() []float32 { return r.flat(mixtures, false) },
	}
	least := 1e-9 * mass / float64(len(s))
	if !r.last {
		return positive(guesses[r.guess](), least)
	}
	var best []float64
	evidence := math.Inf(-1)
	for i, guess := range guesses {
		expected := positive(guess(), least)
		if e := r.cellPrior().Evidence(noisy, expected, 1); e > evidence {
			best, evidence, r.guess = expected, e, i
		}
	}
	return best
}

func positive(cells []float32, least float64) []float64 {
	out := make([]float64, len(cells))
	for i, x := range cells {
		out[i] = max(float64(x), least)
	}
	return out
}

// flat returns cells with the row sums of mixtures (times their scales), in proportion to the base frequencies or to 1.
func (r *Rows) flat(mixtures []float32, base bool) []float32 {
	words := len(r.scales)
	out := make([]float32, len(mixtures))
	for from := 0; from < len(mixtures); from += words {
		size := 0.0
		for v, scale := range r.scales {
			size += float64(mixtures[from+v]) * scale
		}
		for v, scale := range r.scales {
			share := 1 / float64(words)
			if base {
				share = r.base[v]
			}
			out[from+v] = float32(size * share / scale)
		}
	}
	return out
}

// mass is the sum of all cells times their scales. Noise cannot make it negative: it has a positive minimum.
func (r *Rows) mass(statistic []float64, tau float64) float64 {
	total := 0.0
	for i, x := range statistic {
		total += x * r.scales[i%len(r.scales)]
	}
	return max(total, 1e-3*tau*math.Sqrt(float64(len(statistic))))
}

// most bounds cells and weights in units of the noise, so that sums of their squares are finite in float32.
const most = 1e12

// inDeviations returns the statistic in units of its noise.
func inDeviations(statistic []float64, tau float64) []float32 {
	out := make([]float32, len(statistic))
	for i, x := range statistic {
		out[i] = float32(min(max(x/tau, -most), most))
	}
	return out
}

// over returns weights in units of the noise.
func over(weights []float64, tau float64) []float64 {
	out := make([]float64, len(weights))
	for i, x := range weights {
		out[i] = min(x/tau, most)
	}
	return out
}

// narrowed returns the fitted columns of cells, row by row.
func (r *Rows) narrowed(cells []float32) []float32 {
	out := make([]float32, 0, len(cells)/len(r.scales)*len(r.fitted))
	for at := 0; at < len(cells); at += len(r.scales) {
		for _, v := range r.fitted {
			out = append(out, cells[at+v])
		}
	}
	return out
}

// narrow returns the fitted columns of a matrix.
func (r *Rows) narrow(m blas32.General) blas32.General {
	return blas32.General{Rows: m.Rows, Cols: len(r.fitted), Stride: len(r.fitted), Data: r.narrowed(m.Data)}
}

// frequent returns the most frequent words, ascending. most bounds their number.
func frequent(frequency []float64, most int) []int {
	words := make([]int, len(frequency))
	for v := range words {
		words[v] = v
	}
	slices.SortStableFunc(words, func(a, b int) int { return cmp.Compare(frequency[b], frequency[a]) })
	words = words[:min(most, len(words))]
	slices.Sort(words)
	return words
}

func row(m blas32.General, i int) []float32 { return m.Data[i*m.Stride:][:m.Cols] }
