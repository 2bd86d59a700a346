package pld

import (
	"math"

	"privpipe/pipelines/parallel"
)

// smallest is the logarithm of the least δ that tails are cut off for: float64 ends near e^−744.
const smallest = -744

// A plan says how to work out a direction.
type plan struct {
	*direction
	sketches       []sketch
	tilt, untilted tilt
	total          float64 // number of releases
	logDelta       float64 // about log δ, for the δ that is asked for
	logTail        float64 // see discretize
	precision      float64 // see newFrame
	step           float64
}

func (d *Distribution) plan(x *direction, q question) *plan {
	p := &plan{direction: x, logDelta: q.logDelta}
	for _, c := range x.losses {
		p.total += c.count
	}
	// Less than a hundredth of the tolerance, of δ, is cut off at the ends, and a thousandth at the window's ends.
	p.precision = 7 - math.Log(d.options.Tolerance)
	if math.IsNaN(q.logDelta) {
		p.logDelta = smallest
	}
	p.draw(q)
	if math.IsNaN(q.logDelta) {
		// The tails count: with them, the high moments of a sampled Gaussian come from its tail alone. So δ is worked
		// out with ever shorter tails.
		for range 3 {
			p.logDelta = p.tilt.logDelta()
			p.draw(q)
		}
		p.logDelta = p.tilt.logDelta()
	}
	p.untilted = tilted(p.sketches, 0)
	p.step = d.firstStep(p)
	return p
}

// draw makes the sketches for the plan's δ.
func (p *plan) draw(q question) {
	p.cut()
	p.sketches = make([]sketch, len(p.losses))
	fewest := min(fewestPoints, float64(allPoints/len(p.losses)))
	parallel.Each(len(p.losses), func(i int) { p.sketches[i] = newSketch(p.losses[i], p.logTail, fewest) })
	p.tilt = q.tilt(p.sketches)
}

// cut chooses the tails for the plan's δ.
func (p *plan) cut() {
	p.logTail = min(max(p.logDelta, smallest), -1) - math.Log(p.total) - p.precision + 2
}

// firstStep makes the lower bound fall short of ε by a small part only. It falls short by about 7/2·(tilt·V), or a step
// for each release. firstStep leaves a little room, as a second grid takes as long as the first.
func (d *Distribution) firstStep(p *plan) float64 {
	if step, ok := evenly(p.losses); ok {
		return step
	}
	rate := max(p.tilt.at, 0.1/math.Sqrt(p.untilted.variance))
	epsilon := max(p.tilt.mean, 1e-3*math.Sqrt(p.untilted.variance))
	variance := min(d.options.Tolerance/2*2*epsilon/(8*rate), 0.01/(rate*rate))
	step := max(2*math.Sqrt(variance/p.total), d.options.Tolerance/2*epsilon/p.total)
	if !(step > 0 && step < 0.5) { // or no loss at all
		step = 0.5
	}
	return align(p.losses, step, false)
}

// coarsen makes the step larger, where a lattice or a window is too large by the factor excess. It returns true.
func (p *plan) coarsen(excess float64) bool {
	if !(excess > 1.03) { // or not a number
		excess = 1.03
	}
	p.step = align(p.losses, p.step*min(excess, 1e6), true)
	return true
}

// align makes the step a little finer, or coarser, so that atoms are on the grid. It does so only if the atoms are
// further apart than the step.
func align(losses []component, step float64, coarser bool) float64 {
	spacing := 0.0
	for _, c := range losses {
		spacing = max(spacing, c.pair.spacing)
	}
	parts := math.Ceil(spacing / step * (1 - 1e-12))
	if coarser {
		parts = math.Floor(spacing / step * (1 + 1e-12))
	}
	if parts >= 1 && spacing > step {
		return spacing / parts
	}
	return step
}

// evenly reports whether all losses are on one grid, and its step.
func evenly(losses []component) (step float64, ok bool) {
	p := losses[0].pair
	for _, c := range losses {
		if c.pair != p || p.density != nil || p.spacing == 0 {
			return 0, false
		}
	}
	return p.spacing, true
}
