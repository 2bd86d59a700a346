package audit

import (
	"math"
	"slices"

	"privpipe/pipelines/event"
)

// A sample is the release of one round: whether the round had the canary, and the released cells.
type sample struct {
	with  bool
	cells []int64
}

// A model is a distribution of the releases at one place. Each cell has a centre with the canary, a centre without it,
// and the spread of the noise around them.
type model struct {
	laplace       bool
	with, without []float64
	spread        []float64 // for each cell: σ, or t for Laplace noise
	scale         float64   // the largest that spread may be
}

// ratio returns the log-likelihood ratio of "with the canary" to "without", up to a constant. If releases follow the
// model, no other test has fewer errors (Neyman and Pearson 1933). Cells cancel out if the neighbours agree in them.
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

// claimed returns a sound privatizer's model for a place. Its centres are the exact sums, with clip steps in one clip.
// Its spread is the charged scale. For Gaussian noise off a symmetric matrix's diagonal, the spread is 1/√2 of the
// scale.
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

// leastSpread keeps weights finite for cells without noise.
const leastSpread = 1e-3

// learnt returns the model fitted to samples by maximum likelihood: means and standard deviations or, for Laplace
// noise, medians and mean distances from them.
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

// A reading is a statistic of one round's release. From its value the audit guesses whether the round had the canary.
type reading struct {
	name string
	of   func(release []int64) float64
}

// readings returns the statistics for a place: the best for a sound privatizer, the best for the learnt model, and one
// for noise that depends on the data.
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

// trials returns samples with their readings.
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
