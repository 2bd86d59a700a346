package denoise

import (
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"privpipe/pipelines/exit"
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
	if tau == 0 {
		for i, y := range noisy {
			estimate[i] = max(y, 0)
		}
		return
	}
	edges := groupEdges(expected, m.Groups)
	weights := make([][]float64, m.Groups)
	for g := range weights {
		weights[g] = make([]float64, len(m.Ratios))
		for j := range weights[g] {
			weights[g][j] = 1 / float64(len(m.Ratios))
		}
	}
	for range m.Steps {
		m.maximize(weights, edges, noisy, expected, tau)
	}
	chunks(len(noisy), func(_, from, to int) {
		c := newCell(m.Ratios)
		for i := from; i < to; i++ {
			estimate[i] = c.mean(noisy[i], expected[i], tau, weights[group(edges, expected[i])])
		}
	})
}

// sampled is the largest number of cells in a fit of the weights. It is enough for the few weights of a group.
const sampled = 1 << 16

// maximize does one step of expectation maximization for the weights: a weight becomes the mean responsibility of its
// component over the cells of its group.
func (m Mixture) maximize(weights [][]float64, edges, noisy, expected []float64, tau float64) {
	stride := max(1, len(noisy)/sampled)
	n := (len(noisy) + stride - 1) / stride
	var sums [pieces][]float64
	chunks(n, func(piece, from, to int) {
		c := newCell(m.Ratios)
		sum := make([]float64, m.Groups*len(m.Ratios))
		for i := from; i < to; i++ {
			g := group(edges, expected[i*stride])
			c.set(noisy[i*stride], expected[i*stride], tau)
			c.weigh(weights[g])
			for j, r := range c.share {
				sum[g*len(m.Ratios)+j] += r
			}
		}
		sums[piece] = sum
	})
	for g := range weights {
		total := 0.0
		next := make([]float64, len(m.Ratios))
		for _, sum := range sums {
			for j := range next {
				if sum != nil {
					next[j] += sum[g*len(m.Ratios)+j]
					total += sum[g*len(m.Ratios)+j]
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

// clear is a number of standard deviations. A cell further above 0 is surely not noise: then s is about y for any prior.
const clear = 30

// set takes a cell. The likelihood of a component is ratio(z)/m; φ(y/τ) and the factor 1/expected are common.
func (c *cell) set(noisy, expected, tau float64) {
	y := min(noisy/tau, clear)
	pull := tau / expected
	for j, inverse := range c.inverse {
		ratio, slope := lookUp(y - pull*inverse)
		c.share[j], c.slope[j] = ratio*inverse, slope
	}
}

// weigh turns likelihoods into posterior probabilities.
func (c *cell) weigh(weights []float64) {
	total := 0.0
	for j, w := range weights {
		c.share[j] *= w
		total += c.share[j]
	}
	for j := range c.share {
		c.share[j] /= total
	}
}

// mean returns the posterior mean of a cell.
func (c *cell) mean(noisy, expected, tau float64, weights []float64) float64 {
	if noisy > clear*tau {
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

// pieces is the number of parts that chunks makes. It is the same on every machine, because a sum over the parts must not depend
// on the number of cores.
const pieces = 64

// chunks calls work on equal parts of [0, n) in parallel.
func chunks(n int, work func(piece, from, to int)) {
	var next atomic.Int64
	var group sync.WaitGroup
	for range min(pieces, runtime.GOMAXPROCS(0)) {
		group.Go(func() {
			defer exit.Guard()
			for piece := int(next.Add(1)) - 1; piece < pieces; piece = int(next.Add(1)) - 1 {
				if from, to := n*piece/pieces, n*(piece+1)/pieces; from < to {
					work(piece, from, to)
				}
			}
		})
	}
	group.Wait()
}
