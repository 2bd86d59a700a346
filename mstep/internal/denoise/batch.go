package denoise

import (
	"sync"

	"privpipe/pipelines/parallel"
)

// For one exponential component with mean m, and z = y/τ − τ/m,
//
//	p(y | m) = φ(y/τ)/m · R(z)   and   E[s | y, m] = τ (z + 1/R(z)) = τ R′(z)/R(z),  R = Φ/φ (addMills),
//
// by completing the square in ∫ exp(−s/m)/m · N(y; s, τ²) ds over s ≥ 0. Given y, s is normal around τz with deviation
// τ, truncated to s ≥ 0. R′ = 1 + zR, because φ′ = −zφ.

// A batch has some cells from one group. Vector instructions take them together.
type batch struct {
	n     int         // cells
	index [most]int32 // each cell's index among all cells
	y     [most]float64
	pull  [most]float64 // τ/expected
	// share has each cell's weighted likelihoods under the components, up to a factor that depends only on the cell.
	// moment has these likelihoods times the posterior means under the components, in units of τ.
	share, moment [most]float64
}

// most is the largest number of cells in a batch, a multiple of lanes. It is small, so that the batches of all
// groups stay in a core's cache.
const most = 128

// surely is a number of standard deviations. A cell further above 0 is surely not noise. Then s is about y for any
// prior.
const surely = 30

// add adds a cell. The batch must not be full.
func (b *batch) add(index int, noisy, expected, tau float64) {
	y, at := noisy/tau, b.n
	if y > surely {
		y = surely
	}
	b.index[at], b.y[at], b.pull[at] = int32(index), y, tau/expected
	b.n++
}

// padded is the number of cells rounded up to a multiple of lanes.
func (b *batch) padded() int { return (b.n + lanes - 1) / lanes * lanes }

// mix sets share and moment to the sums over components of the given weights.
func (b *batch) mix(ratios, weights []float64) { b.mixTo(&b.share, ratios, weights) }

// mixTo is mix with another place for share.
func (b *batch) mixTo(place *[most]float64, ratios, weights []float64) {
	n := b.padded()
	share, moment := place[:n], b.moment[:n]
	clear(share)
	clear(moment)
	for j, r := range ratios {
		addMills(share, moment, b.y[:n], b.pull[:n], 1/r, weights[j]/r)
	}
}

// batches is memory for one batch of each group, kept from round to round.
var batches = sync.Pool{New: func() any { return new([]batch) }}

// each calls do for batches that together have all cells. All cells in one batch have the weights of one group. The
// calls for one piece come one after the other.
func (m Mixture) each(weights [][]float64, edges, noisy, expected []float64, tau float64,
	do func(piece int, b *batch, weights []float64)) {
	bits := ordered(edges)
	parallel.Split(len(noisy), func(piece, from, to int) {
		kept := batches.Get().(*[]batch)
		defer batches.Put(kept)
		if len(*kept) < len(weights) {
			*kept = make([]batch, len(weights))
		}
		batches := (*kept)[:len(weights)]
		for g := range batches {
			batches[g].n = 0
		}
		noisy, expected := noisy[from:to], expected[from:to]
		for i, size := range expected {
			g := group(&bits, size)
			b := &batches[g]
			if b.add(from+i, noisy[i], size, tau); b.n == most {
				do(piece, b, weights[g])
				b.n = 0
			}
		}
		for g := range batches {
			if b := &batches[g]; b.n > 0 {
				do(piece, b, weights[g])
			}
		}
	})
}
