package denoise

import (
	"iter"
	"math"
	"slices"
	"sync"

	"privpipe/pipelines/mixture"
	"privpipe/pipelines/parallel"
)

// A Mixture is a family of priors for cells with expected size e: Exp(Ratios[j]·e) with a weight for each j. Cells with
// a similar ratio of e to the noise share one set of weights, since this ratio decides how much the noise hides.
type Mixture struct {
	Ratios  []float64
	Groups  int // sets of weights, at most 8
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

// sample gives the indices of the cells in a fit, at equal distances among n: i·n/size rounded down, for i below size.
func (m Mixture) sample(n int) iter.Seq[int] {
	size := m.sampled(n)
	return func(yield func(int) bool) {
		at, rest := 0, 0 // i·n = at·size + rest
		for range size {
			if !yield(at) {
				return
			}
			at += n / size
			if rest += n % size; rest >= size {
				at, rest = at+1, rest-size
			}
		}
	}
}

// sampled is the number of cells in a fit.
func (m Mixture) sampled(n int) int {
	if m.Sampled > 0 {
		return min(n, m.Sampled)
	}
	return min(n, 1<<16)
}

// A memory belongs to one fit at a time. It is kept from round to round: new memory would cost as much as a tenth of
// a round.
type memory struct {
	cells       [][]int32 // the sampled cells of each group
	likelihoods []mixture.Mixture
}

var memories = sync.Pool{New: func() any { return new(memory) }}

// fit does the steps of expectation maximization from the given weights, on a sample of the cells. It computes the
// cells' likelihoods once.
func (m Mixture) fit(weights [][]float64, edges, noisy, expected []float64, tau float64) {
	memory := memories.Get().(*memory)
	defer memories.Put(memory)
	if len(memory.cells) < m.Groups {
		memory.cells, memory.likelihoods = make([][]int32, m.Groups), make([]mixture.Mixture, m.Groups)
	}
	cells := memory.cells[:m.Groups]
	for g := range cells {
		cells[g] = cells[g][:0]
	}
	bits := ordered(edges)
	for i := range m.sample(len(noisy)) {
		g := group(&bits, expected[i])
		cells[g] = append(cells[g], int32(i))
	}
	parallel.Split(m.Groups, func(_, from, to int) {
		for g := from; g < to; g++ {
			m.likelihoods(&memory.likelihoods[g], cells[g], noisy, expected, tau)
			m.maximize(weights[g], &memory.likelihoods[g])
		}
	})
}

// leastLikelihood is the least likelihood of one component relative to the largest in the cell. A smaller one would
// make float32 products denormal, which are slow.
const leastLikelihood = 1e-18

// likelihoods sets a mixture to the cells. The likelihoods of the components are divided by the largest in the cell.
func (m Mixture) likelihoods(to *mixture.Mixture, cells []int32, noisy, expected []float64, tau float64) {
	to.Reset(len(m.Ratios), len(cells))
	var b batch
	shares := make([][most]float64, len(m.Ratios))
	for from := 0; from < len(cells); from += most {
		b.n = 0
		for _, i := range cells[from:min(from+most, len(cells))] {
			b.add(int(i), noisy[i], expected[i], tau)
		}
		var largest [most]float64
		for j := range shares {
			b.mixTo(&shares[j], m.Ratios[j:j+1], unweighted)
			share := shares[j][:b.n]
			for at, l := range largest[:len(share)] {
				largest[at] = greater(l, share[at])
			}
		}
		scale := largest[:b.n]
		for at, l := range scale {
			scale[at] = 1 / l
		}
		for j := range shares {
			row, share := to.Row(j)[from:][:len(scale)], shares[j][:len(scale)]
			for at, x := range scale {
				row[at] = math.Float32frombits(max(math.Float32bits(float32(share[at]*x)), leastBits))
			}
		}
	}
	for j := range m.Ratios {
		to.SetRow(j, to.Row(j))
	}
}

var leastBits = math.Float32bits(leastLikelihood)

// greater returns the greater of two numbers of at least 0. Their bits are in the same order, and the processor need
// not predict which is greater.
func greater(a, b float64) float64 {
	return math.Float64frombits(max(math.Float64bits(a), math.Float64bits(b)))
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
	sampled := make([]float64, 0, m.sampled(len(expected)))
	for i := range m.sample(len(expected)) {
		sampled = append(sampled, expected[i])
	}
	ranks := make([]int, m.Groups-1)
	for g := range ranks {
		ranks[g] = len(sampled) * (g + 1) / m.Groups
	}
	return ranked(sampled, ranks)
}

// mostGroups is the largest number of groups.
const mostGroups = 8

// ordered returns the bits of edges of at least 0. Their order is the order of the edges. Behind them it has edges that
// no number reaches.
func ordered(edges []float64) (bits [mostGroups - 1]uint64) {
	for i := range bits {
		bits[i] = math.MaxInt64
	}
	for i, edge := range edges {
		bits[i] = math.Float64bits(edge)
	}
	return bits
}

// group returns the number of edges that are at most expected, which is at least 0. It searches in halves, by numbers
// and not by branches, since the processor could not predict where an edge is passed.
func group(edges *[mostGroups - 1]uint64, expected float64) int {
	bits := math.Float64bits(expected)
	g := (edges[3] - bits - 1) >> 63 << 2 // the sign of a difference
	g += (edges[g+1] - bits - 1) >> 63 << 1
	g += (edges[g] - bits - 1) >> 63
	return int(g)
}
