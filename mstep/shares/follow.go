package shares

import (
	"math"

	"gonum.org/v1/gonum/floats"

	"privpipe/mstep/internal/denoise"
)

// A Follower follows K topics over V words from window to window. A topic keeps its number: it begins as the topic of
// the start, and moves where the released counts of words say so.
type Follower struct {
	Topics, Words int
	Start         []float64 // K × V; the probabilities of words in each topic, all positive
	Decay         float64   // each window weighs Decay times as much as the next one; in (0, 1]
	Rate          float64   // probability that a window with nothing new has a word in Risen; 0: none are sought
	Risen         []Risen   // the words that rose, window by window

	windows  int
	sum      []float64 // K × V; Σ Decay^(T−t) · release t
	variance float64   // of the noise on each cell of sum
	weight   float64   // Σ Decay^(T−t)
	squares  float64   // Σ Decay^2(T−t)
	exact    float64   // number of releases without noise, those of the start included
}

// Add adds the next window.
func (f *Follower) Add(w Window) {
	if f.sum == nil {
		f.sum = make([]float64, f.Topics*f.Words)
	}
	f.Risen = append(f.Risen, f.risen(w)...)
	floats.Scale(f.Decay, f.sum)
	floats.Add(f.sum, w.Sums)
	f.variance = f.Decay*f.Decay*f.variance + w.Deviation*w.Deviation
	f.weight = f.Decay*f.weight + 1
	f.squares = f.Decay*f.Decay*f.squares + 1
	f.windows++
	if w.Deviation == 0 {
		f.exact++
	}
}

// prior is the prior around a cell's expected size. A word may be far more frequent than expected, or absent. The first
// weights have the mean ratio 1: a cell keeps its expected size where noise hides it.
var prior = denoise.Mixture{
	Ratios:  []float64{.01, .1, .3, .6, 1, 1.5, 3, 8, 25},
	Weights: []float64{.1425, .1, .15, .2, .2035, .12, .06, .02, .004},
	Groups:  8, Steps: 20,
}

// leastCell is a cell's least size over its expected size: no word gets probability 0.
const leastCell = 1e-3

// Cells returns the topics now, K × V, row by row: numbers in proportion to the probabilities of words.
//
// Empirical Bayes has two steps. The first estimates each word's count over all topics, around the count that the start
// expects. The second estimates each cell around a product: its topic's size, its word's probability at the start, and
// the word's ratio from the first step. Where noise hides a cell, the topic keeps the start's word, at its frequency in
// this text.
func (f *Follower) Cells() []float64 {
	tau := math.Sqrt(f.variance)
	expected := make([]float64, len(f.sum))
	for k, size := range f.sizes(f.sum) {
		floats.AddScaled(f.row(expected, k), size, f.row(f.Start, k))
	}
	counts, around := f.columns(f.sum), f.columns(expected)
	prior.Shrink(counts, counts, around, tau*math.Sqrt(float64(f.Topics)))
	for k := range f.Topics {
		row := f.row(expected, k)
		for v := range row {
			row[v] *= max(counts[v]/around[v], leastCell)
		}
	}
	cells := make([]float64, len(f.sum))
	prior.Shrink(cells, f.sum, expected, tau)
	for i, e := range expected {
		cells[i] = max(cells[i], leastCell*e)
	}
	return cells
}

// sizes estimates the number of words in each topic, by least squares: its counts on its words at the start. A sum over
// all words would have √V times the noise of one cell. A size is at least 5 % of the mean: a topic can come back.
func (f *Follower) sizes(sum []float64) []float64 {
	sizes, total := make([]float64, f.Topics), 0.0
	for k := range sizes {
		start := f.row(f.Start, k)
		sizes[k] = floats.Dot(f.row(sum, k), start) / floats.Dot(start, start)
		total += max(sizes[k], 0)
	}
	for k := range sizes {
		sizes[k] = max(sizes[k], .05*total/float64(f.Topics), math.SmallestNonzeroFloat32)
	}
	return sizes
}

func (f *Follower) row(cells []float64, k int) []float64 { return cells[k*f.Words : (k+1)*f.Words] }

// columns returns the sum of each column.
func (f *Follower) columns(cells []float64) []float64 {
	sums := make([]float64, f.Words)
	for k := range f.Topics {
		floats.Add(sums, f.row(cells, k))
	}
	return sums
}
