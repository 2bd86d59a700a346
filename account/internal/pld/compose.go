package pld

import (
	"math"

	"privpipe/pipelines/parallel"
)

// A window holds the composed loss: n cells from index first of the grid step, under P tilted by e^(tilt·L). Outside
// the window there is at most e^−margin of the tilted probability, on either side.
type window struct {
	margin     float64
	tilt, step float64
	first, n   int
	cumulant   float64 // log E[e^(tilt·L)] on the grid
	series     *series // nil: there are masses
	mass       []float64
	cell       float64 // error of each mass, at most
	expected   float64 // about where the answer is
	above      float64 // log of an upper bound of the probability above, under P
	infinite   float64 // upper bound of the cut-off losses' probability under P; they may be anything
	revealed   float64 // lower bound of the infinite losses' probability under P
	left       float64 // upper bound of the probability that a loss was moved up to its lattice's first point
	error      float64 // relative error of all masses together, at most
	offset     float64 // error of the loss, at most
	moved      float64 // see lattice
	rounds     float64 // number of losses that were moved to the grid
}

// slack allows for rounding in the exponent of Chernoff's bound.
const slack = 0.05

// A term is a lattice and the number of its releases.
type term struct {
	*lattice
	count float64
}

// cumulant is log E[e^(t·L)] of the sum of the terms' losses, except for their rounding error.
func cumulant(terms []term, t float64) float64 {
	each := make([]float64, len(terms))
	parallel.Each(len(terms), func(i int) { each[i] = terms[i].count * terms[i].cumulant(t) })
	sum := 0.0
	for _, x := range each {
		sum += x
	}
	return sum
}

// newWindow has no cells as yet.
func newWindow(terms []term, at float64) *window {
	w := &window{tilt: at, step: terms[0].step, cumulant: cumulant(terms, at)}
	for _, x := range terms {
		if x.rounded {
			w.rounds += x.count
		}
		w.infinite += x.count * x.infinite
		w.left += x.count * x.left
		w.error += x.count * x.error
		w.offset += x.count * x.offset
		w.moved += x.count * x.moved
	}
	return w
}

// compose adds the terms' losses. The window's upper end is from P[Y ≥ y] ≤ E[e^(θ(Y−y))] with the frame's θ or a
// smaller one. A smaller θ suffers less from the grid's additions to the tails. The lower end is found in the same way.
// If the window would have more than most cells, compose reports false and the excess factor.
func compose(terms []term, f frame, most int) (w *window, excess float64, ok bool) {
	at := f.at
	w = newWindow(terms, at)
	w.margin = f.margin
	// A θ beyond coarse meets the grid's rounding noise, which the frame does not know.
	coarse := math.Sqrt(8*f.margin/w.rounds) / w.step
	end := func(sign, theta, expected float64) float64 {
		reach := math.Inf(1)
		for _, share := range []float64{1, 0.7, 0.5, 0.35, coarse / theta} {
			if share <= 1 {
				less := share * theta
				reach = min(reach, (cumulant(terms, at+sign*less)-w.cumulant+f.margin+slack)/less)
			}
			if reach < expected+f.width/4 {
				break
			}
		}
		return reach
	}
	high, low := end(1, f.up, f.high), -end(-1, f.down, f.low)
	cells := math.Ceil(high/w.step) - math.Floor(low/w.step) + 2
	if !(cells <= float64(most)) {
		return nil, cells / float64(most), false
	}
	w.first, w.n = int(math.Floor(low/w.step)), transformSize(int(cells))
	w.above = w.cumulant - at*float64(w.first+w.n)*w.step - f.margin
	w.transform(terms)
	return w, 1, true
}

// transformSize returns the least of 2^k, 3·2^k and 5·2^k from n on: the transform is fast for these sizes.
func transformSize(n int) int {
	best := 0
	for _, odd := range []int{1, 3, 5} {
		size := 8 * odd
		for size < n {
			size *= 2
		}
		if best == 0 || size < best {
			best = size
		}
	}
	return best
}
