package audit

import (
	"math"
	"slices"

	"privpipe/pipelines/event"
)

// A sample is the release of a round: whether the round had the canary, and the cells.
type sample struct {
	with  bool
	cells []int64
}

// A model is a distribution of the releases of a place: the centre of each cell with the canary and without, and the spread of
// the noise around it.
type model struct {
	laplace       bool
	with, without []float64
	spread        []float64 // of each cell: σ, or t for Laplace noise
	scale         float64   // the largest that spread may be
}

// ratio is the log-likelihood ratio of "with the canary" to "without", up to a constant. No other test has fewer errors if
// releases follow the model (Neyman and Pearson 1933). Cells in which neighbours do not differ cancel out.
func (m *model) ratio(release []int64) float64 {
	sum := 0.0
	for i, v := range release {
		x := float64(v)
		if m.laplace {
			sum += (math.Abs(x-m.without[i]) - math.Abs(x-m.with[i])) / m.spread[i]
		} else {
			sum += (m.with[i] - m.without[i]) / m.spread[i] * (x / m.spread[i])
		}
	}
	return sum
}

// claimed is the model of a sound privatizer for a place. Its centres are the exact sums, where a clip has a given number of
// steps. Its spread is the charged scale; for Gaussian noise off the diagonal of a symmetric matrix it is 1/√2 of that.
func (t Terms) claimed(p place, clip, scale float64) *model {
	m := &model{laplace: t.l1(), with: t.exact(p.with), without: t.exact(p.without), scale: scale}
	for i, c := range t.layout.cells() {
		m.with[i] *= clip
		m.without[i] *= clip
		spread := scale
		if c.offDiagonal && !m.laplace {
			spread = math.Ceil(spread / math.Sqrt2)
		}
		m.spread = append(m.spread, spread)
	}
	return m
}

// leastSpread keeps a cell without noise from having an infinite weight.
const leastSpread = 1e-3

// learnt is the model fitted to samples by maximum likelihood: means and standard deviations, for Laplace noise medians and mean
// distances from them.
func learnt(mechanism string, samples []sample) *model {
	m := &model{laplace: mechanism == event.Laplace}
	for i := range samples[0].cells {
		var sides [2][]float64
		for _, s := range samples {
			side := 0
			if s.with {
				side = 1
			}
			sides[side] = append(sides[side], float64(s.cells[i]))
		}
		var middles [2]float64
		sum := 0.0
		for side, values := range sides {
			middle := mean(values)
			if m.laplace && len(values) > 0 {
				slices.Sort(values)
				middle = values[len(values)/2]
			}
			for _, v := range values {
				if m.laplace {
					sum += math.Abs(v - middle)
				} else {
					sum += (v - middle) * (v - middle)
				}
			}
			middles[side] = middle
		}
		sum /= float64(len(samples))
		if !m.laplace {
			sum = math.Sqrt(sum)
		}
		m.without, m.with = append(m.without, middles[0]), append(m.with, middles[1])
		m.spread = append(m.spread, max(sum, leastSpread))
	}
	return m
}

func mean(values []float64) float64 {
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	return sum / float64(max(1, len(values)))
}

// A reading is a statistic of a round's release from which the audit guesses whether the round had the canary.
type reading struct {
	name string
	of   func(release []int64) float64
}

// readings are the statistics of a place: the best statistic for a sound privatizer, the best for the learnt model, and one for
// noise that depends on the data.
func readings(claimed, seen *model) []reading {
	return []reading{
		{"likelihood ratio of the claim", claimed.ratio},
		{"likelihood ratio of what was seen", seen.ratio},
		{"size of all cells", func(release []int64) float64 {
			sum := 0.0
			for i, v := range release {
				sum += math.Abs(float64(v)) / claimed.spread[i]
			}
			return sum
		}},
	}
}

// trials are samples with their readings.
func trials(samples []sample, all []reading) []trial {
	out := make([]trial, len(samples))
	for i, s := range samples {
		out[i].with = s.with
		for _, r := range all {
			out[i].values = append(out[i].values, r.of(s.cells))
		}
	}
	return out
}
