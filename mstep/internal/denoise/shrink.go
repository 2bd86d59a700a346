package denoise

import (
	"math"
	"slices"

	"privpipe/mstep/internal/parallel"
)

// A Mixture is a family of priors for cells of expected size e: Exp(Ratios[j]·e) with a weight for each j. Cells of a
// similar ratio of e to the noise share one set of weights, since what noise hides depends on that ratio.
type Mixture struct {
	Ratios []float64
	Groups int // sets of weights
	Steps  int // of expectation maximization from equal weights
}

// Shrink sets estimate[i] to the posterior mean of a number of expected size expected[i] > 0 that was released as
// noisy[i] with normal noise of deviation tau ≥ 0. Without noise it copies, raising negative cells to 0. All slices have
// one length; estimate may be noisy.
func (m Mixture) Shrink(estimate, noisy, expected []float64, tau float64) {
	m.ShrinkOwn(estimate, nil, noisy, expected, tau)
}

// Evidence returns the mean logarithm of the likelihood of the noisy cells around their expected sizes, up to a term that does not depend on these.
// Of two guesses of the sizes, that of larger evidence is what the cells speak for.
func (m Mixture) Evidence(noisy, expected []float64, tau float64) float64 {
	weights, edges := m.equal(), groupEdges(expected, m.Groups)
	m.fit(weights, edges, noisy, expected, tau)
	c, sum := newCell(m.Ratios), 0.0
	for i, e := range expected {
		c.set(noisy[i], e, tau)
		likelihood := 0.0
		for j, w := range weights[group(edges, e)] {
			likelihood += w * c.share[j]
		}
		sum += math.Log(likelihood / e)
	}
	return sum / float64(len(expected))
}

// equal returns equal weights for each group.
func (m Mixture) equal() [][]float64 {
	weights := make([][]float64, m.Groups)
	for g := range weights {
		weights[g] = slices.Repeat([]float64{1 / float64(len(m.Ratios))}, len(m.Ratios))
	}
	return weights
}

// sampled is the largest number of cells in a fit of the weights. It is enough for the few weights of a group.
const sampled = 1 << 16

// fit does the steps of expectation maximization from the given weights, on every few cells. Their likelihoods are computed once.
func (m Mixture) fit(weights [][]float64, edges, noisy, expected []float64, tau float64) {
	stride := max(1, len(noisy)/sampled)
	n := (len(noisy) + stride - 1) / stride
	groups, likelihoods := make([]uint8, n), make([]float64, n*len(m.Ratios))
	parallel.Each(n, func(_, from, to int) {
		c := newCell(m.Ratios)
		for i := from; i < to; i++ {
			groups[i] = uint8(group(edges, expected[i*stride]))
			c.set(noisy[i*stride], expected[i*stride], tau)
			copy(likelihoods[i*len(m.Ratios):], c.share)
		}
	})
	for range m.Steps {
		m.maximize(weights, groups, likelihoods)
	}
}

// maximize does one step of expectation maximization: a weight becomes the mean responsibility of its component over the cells of its group.
func (m Mixture) maximize(weights [][]float64, groups []uint8, likelihoods []float64) {
	size := len(m.Ratios)
	var sums [parallel.Pieces][]float64
	parallel.Each(len(groups), func(piece, from, to int) {
		sum := make([]float64, m.Groups*size)
		for i := from; i < to; i++ {
			cell, of, total := likelihoods[i*size:(i+1)*size], weights[groups[i]], 0.0
			for j, l := range cell {
				total += of[j] * l
			}
			to := sum[int(groups[i])*size:][:size]
			for j, l := range cell {
				to[j] += of[j] * l / total
			}
		}
		sums[piece] = sum
	})
	for g := range weights {
		total := 0.0
		next := make([]float64, size)
		for _, sum := range sums {
			for j := range next {
				if sum != nil {
					next[j] += sum[g*size+j]
					total += sum[g*size+j]
				}
			}
		}
		if total == 0 {
			continue // no sampled cell: the weights stay
		}
		for j := range next {
			weights[g][j] = next[j] / total
		}
	}
}

// cell is one cell under each component.
type cell struct {
	inverse []float64 // 1/ratio of each component
	share   []float64 // the component's likelihood, then its posterior probability, both up to a common factor
	slope   []float64 // posterior mean under the component, in units of τ
}

func newCell(ratios []float64) *cell {
	c := &cell{share: make([]float64, len(ratios)), slope: make([]float64, len(ratios))}
	for _, r := range ratios {
		c.inverse = append(c.inverse, 1/r)
	}
	return c
}

// surely is a number of standard deviations. A cell further above 0 is surely not noise: then s is about y for any prior.
const surely = 30

// set takes a cell. The likelihood of a component is ratio(z)/m; φ(y/τ) and the factor 1/expected are common.
func (c *cell) set(noisy, expected, tau float64) {
	y := min(noisy/tau, surely)
	pull := tau / expected
	for j, inverse := range c.inverse {
		ratio, slope := lookUp(y - pull*inverse)
		c.share[j], c.slope[j] = ratio*inverse, slope
	}
}

// mean returns the posterior mean of a cell.
func (c *cell) mean(noisy, expected, tau float64, weights []float64) float64 {
	if noisy > surely*tau {
		return noisy
	}
	c.set(noisy, expected, tau)
	sum, total := 0.0, 0.0
	for j, w := range weights {
		share := w * c.share[j]
		sum += share * c.slope[j]
		total += share
	}
	return tau * sum / total
}

// groupEdges returns the bounds between groups of about as many cells each, by expected size.
func groupEdges(expected []float64, groups int) []float64 {
	stride := max(1, len(expected)/sampled)
	var sorted []float64
	for i := 0; i < len(expected); i += stride {
		sorted = append(sorted, expected[i])
	}
	slices.Sort(sorted)
	edges := make([]float64, groups-1)
	for g := range edges {
		edges[g] = sorted[len(sorted)*(g+1)/groups]
	}
	return edges
}

func group(edges []float64, expected float64) int {
	for g, edge := range edges {
		if expected < edge {
			return g
		}
	}
	return len(edges)
}
