package pld

import "math"

// coarsest bounds the step: e^step is to be within float64, and on such a grid nothing is worth knowing.
const coarsest = 64

// attempts bounds how often the grid or the tilt is changed.
const attempts = 30

// refine asks on finer and finer grids, until the bounds are close, or the upper bound is not above known, or the options'
// cells are used up.
func (d *Distribution) refine(p *plan, q question, known float64) (upper, lower float64) {
	upper, lower = math.Inf(1), math.Inf(-1)
	done := func() bool {
		return upper <= known || !math.IsInf(upper, 1) && q.close != nil && q.close(upper, lower)
	}
	if p.last != nil {
		if upper, lower = q.bounds(p.last); done() {
			return upper, lower
		}
	}
	var f *frame
	finest, composed, tilts := false, false, 0
	for range attempts {
		if p.step > coarsest {
			return upper, lower
		}
		if excess := d.excess(p); excess > 1 {
			finest = p.coarsen(excess)
			continue
		}
		terms := d.terms(p)
		if f == nil {
			if upper = math.Min(upper, q.moment(newWindow(terms, p.tilt.at))); upper <= known {
				return upper, lower
			}
			best := p.chooseFrame()
			f = &best
		}
		w, excess, ok := compose(terms, *f, d.options.Cells)
		if !ok {
			if composed && !math.IsInf(upper, 1) {
				return upper, lower // of the grid before
			}
			finest, f = p.coarsen(math.Min(excess, 4)), nil
			continue
		}
		p.last, composed = w, true
		up, low := q.bounds(w)
		upper, lower = math.Min(upper, up), math.Max(lower, low)
		if done() {
			return upper, lower
		}
		// With the tilt's mean at ε, rounding errors weigh least.
		far := math.Abs(upper-p.tilt.mean) > 0.05*upper && !math.IsInf(upper, 1)
		if far && !math.IsNaN(q.logDelta) && tilts < 2 {
			p.tilt, f = tiltForEpsilon(p.sketches, upper), nil
			if !finest {
				p.step = math.Min(p.step, d.firstStep(p))
			}
			tilts++
			continue
		}
		// With shorter tails, where δ is far below what the plan thought.
		if math.IsNaN(q.logDelta) && tilts < 4 && upper < p.logDelta-3 && p.logDelta > smallest {
			p.logDelta, f = upper, nil
			p.cut()
			tilts++
			continue
		}
		if finest || w.rounds == 0 || q.close == nil && !math.IsInf(upper, 1) { // without rounding no grid is better
			return upper, lower
		}
		if p.tilt.at > p.steepest() {
			f = nil
		}
		p.step = align(p.losses, p.step/2, false) // errors fall with step²
	}
	return upper, lower
}

// excess is by which factor the lattices have more points than they may.
func (d *Distribution) excess(p *plan) float64 {
	most, all := 0.0, 0.0
	for _, c := range p.losses {
		from, to := c.pair.span(p.logTail)
		points := (to-from)/p.step + 4
		most, all = math.Max(most, points), all+points
	}
	return math.Max(most, all/8) / float64(d.options.Cells)
}

// lattices are those of a pair and its opposite on a grid.
type lattices struct {
	step, logTail     float64
	forward, backward *lattice
}

func (d *Distribution) terms(p *plan) []term {
	result := make([]term, len(p.losses))
	for i, c := range p.losses {
		made := d.lattices[c.pair]
		if made.step != p.step || made.logTail != p.logTail {
			made = lattices{step: p.step, logTail: p.logTail}
			d.lattices[c.pair] = lattices{} // frees the memory
			made.forward, made.backward = discretize(c.pair, p.step, p.logTail)
			d.lattices[c.pair] = made
		}
		result[i] = term{made.forward, c.count}
		if c.opposite {
			result[i].lattice = made.backward
		}
	}
	return result
}
