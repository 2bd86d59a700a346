package pld

import (
	"cmp"
	"math"
	"slices"

	"privpipe/pipelines/parallel"
)

// coarsest bounds the step: e^step has to be within float64, and a coarser grid tells nothing of use.
const coarsest = 64

// attempts bounds the number of changes of the grid or the tilt.
const attempts = 30

// refine asks on finer and finer grids. It ends when the bounds are close, when the upper bound is not above known, or
// when the options' cells are used up.
func (d *Distribution) refine(p *plan, q question, known float64) (upper, lower float64) {
	upper, lower = math.Inf(1), math.Inf(-1)
	near := lower // lower, except for what rounding parameters moved: no grid makes that less
	done := func() bool {
		return upper <= known || !math.IsInf(upper, 1) && q.lower != nil && q.apart(upper, near) <= 1
	}
	answer := func(w *window) {
		upper = min(upper, q.upper(w))
		if q.lower != nil {
			near, lower = max(near, q.lower(w, 0)), max(lower, q.lower(w, w.moved))
		}
	}
	if p.last != nil {
		if answer(p.last); done() {
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
			if upper = min(upper, q.moment(newWindow(terms, p.tilt.at))); upper <= known {
				return upper, lower
			}
			best := p.chooseFrame()
			f = &best
		}
		p.arrange(terms, f.at)
		w, excess, ok := compose(terms, *f, d.options.Cells)
		if !ok {
			if composed && !math.IsInf(upper, 1) {
				return upper, lower // of the grid before
			}
			finest, f = p.coarsen(min(excess, 4)), nil
			continue
		}
		w.revealed, w.expected = d.revealed, p.tilt.mean
		p.last, composed = w, true
		if answer(w); done() {
			return upper, lower
		}
		// With the tilt's mean at ε, rounding errors weigh least.
		far := math.Abs(upper-p.tilt.mean) > 0.05*upper && !math.IsInf(upper, 1)
		if far && !math.IsNaN(q.logDelta) && tilts < 2 {
			p.tilt, f = tiltForEpsilon(p.sketches, upper), nil
			if !finest {
				p.step = min(p.step, d.firstStep(p))
			}
			tilts++
			continue
		}
		// Shorter tails, where δ is far below the plan's.
		if math.IsNaN(q.logDelta) && tilts < 4 && upper < p.logDelta-3 && p.logDelta > smallest {
			p.logDelta, f = upper, nil
			p.cut()
			tilts++
			continue
		}
		if finest || w.rounds == 0 || q.lower == nil && !math.IsInf(upper, 1) { // without rounding no grid is better
			return upper, lower
		}
		if p.tilt.at > p.steepest() {
			f = nil
		}
		p.step = align(p.losses, p.step*q.finer(upper, near), false)
	}
	return upper, lower
}

// excess is the number of the lattices' points over the allowed number.
func (d *Distribution) excess(p *plan) float64 {
	most, all := 0.0, 0.0
	for _, c := range p.losses {
		from, to := c.pair.span(p.logTail)
		points := (to-from)/p.step + 4
		most, all = max(most, points), all+points
	}
	return max(most, all/8) / float64(d.options.Cells)
}

// lattices are the two lattices of a pair and its opposite on one grid.
type lattices struct {
	step, logTail     float64
	forward, backward *lattice
}

// finer is the factor for the next grid's step, if errors fall with the step's square.
func (q question) finer(upper, lower float64) float64 {
	if q.lower != nil {
		if factor := 0.9 / math.Sqrt(q.apart(upper, lower)); factor > 0.5 {
			return factor
		}
	}
	return 0.5
}

// arrange puts terms with widely spread losses first: after them few frequencies are left to work out for the others.
func (p *plan) arrange(terms []term, at float64) {
	if len(terms) <= atOnce {
		return
	}
	order, spread := make([]int, len(terms)), make([]float64, len(terms))
	for i := range terms {
		order[i], spread[i] = i, tilted(p.sketches[i:i+1], at).variance
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(spread[j], spread[i]) })
	arranged := make([]term, len(terms))
	for i, j := range order {
		arranged[i] = terms[j]
	}
	copy(terms, arranged)
}

func (d *Distribution) terms(p *plan) []term {
	var stale []*Pair // each once
	for _, c := range p.losses {
		if made := d.lattices[c.pair]; made.step != p.step || made.logTail != p.logTail {
			d.lattices[c.pair] = lattices{step: p.step, logTail: p.logTail} // frees the memory
			stale = append(stale, c.pair)
		}
	}
	made := make([]lattices, len(stale))
	parallel.Each(len(stale), func(i int) {
		made[i] = lattices{step: p.step, logTail: p.logTail}
		made[i].forward, made[i].backward = discretize(stale[i], p.step, p.logTail)
	})
	for i, pair := range stale {
		d.lattices[pair] = made[i]
	}
	result := make([]term, len(p.losses))
	for i, c := range p.losses {
		result[i] = term{d.lattices[c.pair].forward, c.count}
		if c.opposite {
			result[i].lattice = d.lattices[c.pair].backward
		}
	}
	return result
}
