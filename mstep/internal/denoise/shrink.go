package denoise

import (
	"math"
	"slices"

	"privpipe/pipelines/mixture"
	"privpipe/pipelines/parallel"
)

// A Mixture is a family of priors for cells with expected size e: Exp(Ratios[j]·e) with a weight for each j. Cells with
// a similar ratio of e to the noise share one set of weights, since this ratio decides how much the noise hides.
type Mixture struct {
	Ratios  []float64
	Groups  int // sets of weights
	Steps   int // steps of expectation maximization
	Sampled int // largest number of cells in a fit of the weights; 0: 65,536
	// Weights are the ratios' weights before the first step; nil: equal ones. Where noise hides all, they stay.
	Weights []float64
}

// Shrink sets estimate[i] to the posterior mean of a number with expected size expected[i] > 0. The number was released
// as noisy[i], with normal noise of deviation tau ≥ 0. Without noise Shrink copies, and raises negative cells to 0. All
// slices have one length. estimate may be noisy or expected.
func (m Mixture) Shrink(estimate, noisy, expected []float64, tau float64) {
	m.ShrinkOwn(estimate, nil, noisy, expected, tau)
}

// Evidence returns the mean log likelihood of the noisy cells around their expected sizes. It leaves out a term that
// does not depend on the expected sizes. Of two guesses of the sizes, the cells support the one with larger evidence.
func (m Mixture) Evidence(noisy, expected []float64, tau float64) float64 {
	weights, edges := m.first(), m.groupEdges(expected)
	m.fit(weights, edges, noisy, expected, tau)
	var sums [parallel.Pieces]float64
	m.each(weights, edges, noisy, expected, tau, func(piece int, b *batch, of []float64) {
		b.mix(m.Ratios, of)
		for at, i := range b.index[:b.n] {
			sums[piece] += math.Log(b.share[at] / expected[i])
		}
	})
	sum := 0.0
	for _, s := range sums {
		sum += s
	}
	return sum / float64(len(expected))
}

// first returns the first weights for each group.
func (m Mixture) first() [][]float64 {
	each := m.Weights
	if each == nil {
		each = slices.Repeat([]float64{1 / float64(len(m.Ratios))}, len(m.Ratios))
	}
	weights := make([][]float64, m.Groups)
	for g := range weights {
		weights[g] = slices.Clone(each)
	}
	return weights
}

// sample returns the indices of the cells in a fit, at equal distances among n.
func (m Mixture) sample(n int) []int {
	most := m.Sampled
	if most == 0 {
		most = 1 << 16
	}
	indices := make([]int, min(n, most))
	for i := range indices {
		indices[i] = i * n / len(indices)
	}
	return indices
}

// fit does the steps of expectation maximization from the given weights, on a sample of the cells. It computes the
// cells' likelihoods once.
func (m Mixture) fit(weights [][]float64, edges, noisy, expected []float64, tau float64) {
	cells := make([][]int, m.Groups)
	for _, i := range m.sample(len(noisy)) {
		g := group(edges, expected[i])
		cells[g] = append(cells[g], i)
	}
	parallel.Split(m.Groups, func(_, from, to int) {
		for g := from; g < to; g++ {
			m.maximize(weights[g], m.likelihoods(cells[g], noisy, expected, tau))
		}
	})
}

// leastLikelihood is the least likelihood of one component relative to the largest in the cell. A smaller one would
// make float32 products denormal, which are slow.
const leastLikelihood = 1e-18

// likelihoods returns the cells as a mixture. The likelihoods of the components are divided by the largest in the cell.
func (m Mixture) likelihoods(cells []int, noisy, expected []float64, tau float64) *mixture.Mixture {
	rows := make([][]float32, len(m.Ratios))
	for j := range rows {
		rows[j] = make([]float32, len(cells))
	}
	var b batch
	shares := make([][most]float64, len(m.Ratios))
	for from := 0; from < len(cells); from += most {
		b.n = 0
		for _, i := range cells[from:min(from+most, len(cells))] {
			b.add(i, noisy[i], expected[i], tau)
		}
		var largest [most]float64
		for j := range shares {
			b.mix(m.Ratios[j:j+1], unweighted)
			shares[j] = b.share
			for at, l := range b.share[:b.n] {
				largest[at] = max(largest[at], l)
			}
		}
		for at, l := range largest[:b.n] {
			largest[at] = 1 / l
		}
		for j, row := range rows {
			for at, l := range shares[j][:b.n] {
				row[from+at] = max(float32(l*largest[at]), leastLikelihood)
			}
		}
	}
	likelihoods := new(mixture.Mixture)
	likelihoods.Reset(len(rows), len(cells))
	for j, row := range rows {
		likelihoods.SetRow(j, row)
	}
	return likelihoods
}

var unweighted = []float64{1}

// maximize does the steps of expectation maximization for one group. Each weight becomes its component's mean
// responsibility over the cells.
func (m Mixture) maximize(weights []float64, likelihoods *mixture.Mixture) {
	counts := likelihoods.Counts()
	if len(counts) == 0 {
		return // no sampled cell: the weights stay
	}
	for i := range counts {
		counts[i] = 1
	}
	for range m.Steps {
		for j, w := range weights {
			likelihoods.Weights()[j] = float32(w)
		}
		likelihoods.Explain()
		likelihoods.Share()
		total := 0.0
		for j, sum := range likelihoods.Sums() {
			weights[j] *= float64(sum)
			total += weights[j]
		}
		for j := range weights {
			weights[j] /= total // total is the number of cells, except for rounding
		}
	}
}

// groupEdges returns the bounds between groups by expected size. The groups have about equally many sampled cells.
func (m Mixture) groupEdges(expected []float64) []float64 {
	var sorted []float64
	for _, i := range m.sample(len(expected)) {
		sorted = append(sorted, expected[i])
	}
	ranks := make([]int, m.Groups-1)
	for g := range ranks {
		ranks[g] = len(sorted) * (g + 1) / m.Groups
	}
	settle(sorted, ranks, 0)
	edges := make([]float64, len(ranks))
	for g, rank := range ranks {
		edges[g] = sorted[rank]
	}
	return edges
}

// group returns the number of edges that are at most expected. The edges ascend.
func group(edges []float64, expected float64) (g int) {
	// All edges: the processor could not predict where to stop.
	for _, edge := range edges {
		if expected >= edge {
			g++
		}
	}
	return g
}
