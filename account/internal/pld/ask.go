package pld

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// A question is for ε at a given δ, or for log δ at a given ε. The answer is this ε or log δ.
type question struct {
	logDelta float64                                // of the given δ; NaN: of the δ at the tilt's mean
	tilt     func([]sketch) tilt                    // the window is exact around its mean
	estimate func(tilt) float64                     // rough answer
	pure     func(greatest float64) float64         // upper bound of the answer, for losses up to the greatest
	upper    func(*window) float64                  // upper bound of the answer
	lower    func(w *window, moved float64) float64 // lower bound of the answer; nil: not asked for
	moment   func(*window) (upper float64)          // upper bound by a window without masses
	apart    func(upper, lower float64) float64     // at most 1: close enough
}

// negligible is a pure ε that is its own upper bound: below it no distribution is worked out.
const negligible = 1e-20

// Epsilon bounds the least ε with δ(ε) ≤ delta: lower ≤ ε ≤ upper. delta in [0, 1]. upper is +Inf if no ε has such a δ,
// as for Gaussian noise at δ = 0. It returns an error for a delta out of range.
func (d *Distribution) Epsilon(delta float64) (upper, lower float64, err error) {
	if upper, done, err := d.plainEpsilon(delta); done {
		if math.IsInf(upper, 1) {
			lower = upper
		}
		return upper, lower, err
	}
	upper, lower = d.answer(d.epsilonAt(delta))
	if math.IsNaN(upper) {
		upper, lower = math.Inf(1), 0
	}
	return min(upper*(1+4*unit), d.pure), max(0, lower*(1-4*unit)), nil
}

// excess returns is/may, the error over the allowed error, and at least 1.
func excess(is, may float64) float64 {
	if is <= may {
		return 1
	}
	return is / may
}

// UpperEpsilon returns an upper bound of Epsilon in less time. It takes the first grid, with a bound that exceeds the
// truth by about a tenth of the tolerance. It works out no lower bound, which would show by how much. It is meant for
// searches.
func (d *Distribution) UpperEpsilon(delta float64) (float64, error) {
	if upper, done, err := d.plainEpsilon(delta); done {
		return upper, err
	}
	q := d.epsilonAt(delta)
	q.lower = nil
	upper, _ := d.answer(q)
	if math.IsNaN(upper) {
		upper = math.Inf(1)
	}
	return min(upper*(1+4*unit), d.pure), nil
}

// roughEpsilon is near Epsilon, but no bound.
func (d *Distribution) roughEpsilon(delta float64) float64 {
	if upper, done, _ := d.plainEpsilon(delta); done {
		return upper
	}
	q, rough := d.epsilonAt(delta), 0.0
	for _, x := range d.directions {
		rough = max(rough, min(x.pure, d.plan(x, q).tilt.mean))
	}
	return rough
}

// plainEpsilon answers questions that need no distribution.
func (d *Distribution) plainEpsilon(delta float64) (upper float64, done bool, err error) {
	switch {
	case !(delta >= 0 && delta <= 1):
		return 0, true, fmt.Errorf("δ %v: not in [0, 1]", delta)
	case delta == 1:
		return 0, true, nil
	}
	if delta < d.revealed {
		return math.Inf(1), true, nil
	}
	return d.pure, delta == 0 || d.pure <= negligible, nil
}

func (d *Distribution) epsilonAt(delta float64) question {
	logDelta := math.Log(delta) - 1e-13 // more than a logarithm's rounding
	return question{
		logDelta: logDelta,
		tilt:     func(s []sketch) tilt { return tiltForDelta(s, logDelta) },
		estimate: func(t tilt) float64 { return t.mean },
		pure:     func(greatest float64) float64 { return greatest },
		upper:    func(w *window) float64 { return w.upperEpsilon(logDelta) },
		lower:    func(w *window, moved float64) float64 { return w.lowerEpsilon(logDelta+2e-13, moved) },
		apart:    func(upper, lower float64) float64 { return excess(upper-lower, d.options.Tolerance*upper) },
		moment:   func(w *window) float64 { return w.momentEpsilon(logDelta) },
	}
}

// Delta bounds δ at epsilon ≥ 0: lower ≤ δ ≤ upper. It returns an error for an epsilon out of range.
func (d *Distribution) Delta(epsilon float64) (upper, lower float64, err error) {
	switch {
	case !(epsilon >= 0) || math.IsInf(epsilon, 1):
		return 0, 0, fmt.Errorf("ε %v: not a finite number ≥ 0", epsilon)
	case epsilon >= d.pure:
		return 0, 0, nil
	case d.pure <= negligible:
		return d.pure, 0, nil // δ ≤ 1 − e^(ε−pure)
	}
	up, low := d.answer(question{
		logDelta: math.NaN(),
		tilt:     func(s []sketch) tilt { return tiltForEpsilon(s, epsilon) },
		estimate: tilt.logDelta,
		pure: func(greatest float64) float64 {
			if epsilon >= greatest {
				return math.Inf(-1)
			}
			return 0
		},
		upper:  func(w *window) float64 { return w.upperDelta(epsilon) },
		lower:  func(w *window, moved float64) float64 { return w.lowerDelta(epsilon, moved) },
		moment: func(w *window) float64 { return w.momentDelta(epsilon) },
		apart:  func(upper, lower float64) float64 { return excess(upper-lower, 10*d.options.Tolerance) },
	})
	if math.IsNaN(up) {
		up, low = 0, math.Inf(-1)
	}
	// At the end of float64 the number below is rounded up too.
	upper, lower = math.Nextafter(math.Exp(up)*(1+1e-13), 1), math.Nextafter(math.Exp(low)*(1-1e-13), 0)
	return min(upper, 1), max(0, lower), nil
}

// answer bounds the larger answer of the directions. The direction that seems to have it comes first. The other one
// needs to be worked out only until its answer is known not to be larger.
func (d *Distribution) answer(q question) (upper, lower float64) {
	var plans []*plan
	for _, x := range d.directions {
		if q.pure(x.pure) > math.Inf(-1) {
			plans = append(plans, d.plan(x, q))
		}
	}
	// Descending.
	slices.SortFunc(plans, func(a, b *plan) int { return cmp.Compare(q.estimate(b.tilt), q.estimate(a.tilt)) })
	upper, lower = math.Inf(-1), math.Inf(-1)
	for _, p := range plans {
		if q.pure(p.pure) <= upper {
			continue
		}
		p.step, p.logTail = plans[0].step, plans[0].logTail // so that the same lattices serve
		up, low := d.refine(p, q, upper)
		upper, lower = max(upper, min(up, q.pure(p.pure))), max(lower, low)
	}
	return upper, lower
}
