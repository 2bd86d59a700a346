package pld

import (
	"cmp"
	"errors"
	"fmt"
	"math"
)

// An Event is a number of releases of one kind.
type Event struct {
	Pair  *Pair
	Count int // at least 1
}

// Options choose the cost of an answer. The zero value has the defaults.
type Options struct {
	// Tolerance limits the relative distance of the bounds of ε: beyond it the grid is refined. In (0, 1). 0: 1e-3.
	Tolerance float64
	// Cells bounds a transform's length, and the number of points of one kind's loss. An answer takes some 60 bytes a
	// cell. If the cells do not suffice, the bounds are further apart. From 2^12 to 2^24. 0: 2^20, 60 MB.
	Cells int
}

// MaxCount bounds the number of releases.
const MaxCount = 1e9

// mostPrecision bounds the sum of 1/σ² over the releases without sampling. At this sum ε is above half of the sum,
// except for a large δ.
const mostPrecision = 1e4

var errPrecise = errors.New("releases without sampling have an ε in the thousands")

// A Distribution is the privacy loss of events, for each direction. It keeps its intermediate results, so that further
// questions take less time. It is not safe for concurrent use.
type Distribution struct {
	directions []*direction // one if both have the same losses
	options    Options
	pure       float64 // the greatest loss; +Inf if there is none
	revealed   float64 // probability that all is revealed
	lattices   map[*Pair]lattices
}

// A direction is a list of losses.
type direction struct {
	losses []component
	pure   float64 // the greatest loss; +Inf if there is none
	last   *window // the last one that was asked
}

// New returns the privacy loss of adaptively composed events that are fixed beforehand. No event is no loss. It returns
// an error for a count below 1, for more than MaxCount releases in all, and for options out of range.
func New(events []Event, options Options) (*Distribution, error) {
	options = Options{cmp.Or(options.Tolerance, 1e-3), cmp.Or(options.Cells, 1<<20)}
	if !(options.Tolerance > 0 && options.Tolerance < 1) || options.Cells < 1<<12 || options.Cells > 1<<24 {
		return nil, errors.New("privacy loss distribution: tolerance not in (0, 1) or cells not in [2^12, 2^24]")
	}
	kinds, err := merge(events)
	if err != nil {
		return nil, err
	}
	d := &Distribution{options: options, lattices: make(map[*Pair]lattices)}
	var forward, backward []component
	symmetric := true
	for _, k := range kinds {
		forward = append(forward, component{k.pair, false, k.count})
		backward = append(backward, component{k.pair, true, k.count})
		if k.pair.both {
			forward = append(forward, component{k.pair, true, k.count})
			backward = append(backward, component{k.pair, false, k.count})
		}
		symmetric = symmetric && k.pair.symmetric
	}
	d.directions = []*direction{newDirection(forward)}
	if !symmetric {
		d.directions = append(d.directions, newDirection(backward))
	}
	for _, x := range d.directions {
		d.pure = max(d.pure, x.pure)
	}
	for _, c := range forward {
		d.revealed -= c.count * math.Log1p(-c.pair.infinite)
	}
	d.revealed = -math.Expm1(-d.revealed) * (1 - 1e-9) // rounded down
	return d, nil
}

// merge adds up the counts of equal pairs. Gaussians without a coin become one Gaussian, with 1/σ² added up.
func merge(events []Event) ([]component, error) {
	var kinds []component
	known := make(map[string]int)
	precision, total, rounded := 0.0, 0.0, 0.0
	for i, e := range events {
		if e.Pair == nil || e.Count < 1 {
			return nil, fmt.Errorf("event %d: no pair, or count %d below 1", i, e.Count)
		}
		if total += float64(e.Count); total > MaxCount {
			return nil, fmt.Errorf("event %d: more than %g releases", i, float64(MaxCount))
		}
		pair := e.Pair.worked()
		if x := pair.density; x != nil && x.rate == 1 && x.curved == 1 {
			precision += float64(e.Count) * x.slope * x.slope
			rounded = max(rounded, pair.rounded)
			continue
		}
		if j, ok := known[pair.id]; ok {
			kinds[j].count += float64(e.Count)
			continue
		}
		known[pair.id] = len(kinds)
		kinds = append(kinds, component{pair: pair, count: float64(e.Count)})
	}
	if precision > 0 {
		// A rounding up by len(events) operations.
		if precision > mostPrecision {
			return nil, fmt.Errorf("%w: 1/σ² of %g in all, more than %g", errPrecise, precision, float64(mostPrecision))
		}
		up := float64(len(events)+4) * unit
		merged := &Pair{density: gaussianMixture(1, math.Sqrt(precision)*(1+up)), symmetric: true,
			rounded: rounded + 2*up}
		kinds = append(kinds, component{pair: merged, count: 1})
	}
	return kinds, nil
}

func newDirection(losses []component) *direction {
	d := &direction{losses: losses}
	for _, c := range losses {
		d.pure += c.count * c.greatest()
	}
	d.pure *= 1 + 8*unit
	return d
}

// greatest returns the greatest loss, a pure ε; +Inf if there is none.
func (c component) greatest() float64 {
	x := c.pair.density
	switch {
	case c.pair.infinite > 0:
		return math.Inf(1)
	case x != nil && math.IsInf(x.reach, 1):
		if c.opposite && !x.opposed && !c.pair.mirrored {
			return -math.Log1p(-x.rate) // P ≥ (1−q)·Q
		}
		return math.Inf(1)
	}
	from, to := c.pair.span(0)
	if c.opposite {
		return -from
	}
	return to
}
