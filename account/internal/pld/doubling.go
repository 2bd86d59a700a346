package pld

import "math"

// A Doubled is the privacy loss of many releases that seldom tell something, but then much: Gaussian noise with a coin of a small
// probability, under add-remove. On a grid of one step, what they mostly tell and what they seldom tell do not fit together. Here the
// ratio of densities of all releases is a product of independent ratios by doubling, with values that are spaced as its own
// loss is spread. See ratio.
type Doubled struct{ above, below *ratio }

// What doubling takes no longer than some seconds for, and what it is good for.
const mostKindsDoubled, mostRateDoubled, mostSlopeDoubled = 4, 1e-3, 10

// NewDoubled returns the loss of events. ok is false if not all of them are such releases, or of too many kinds.
func NewDoubled(events []Event) (d *Doubled, ok bool) {
	if len(events) > mostKindsDoubled {
		return nil, false
	}
	for _, e := range events {
		x := e.Pair.density
		if x == nil || x.curved != 1 || x.opposed || e.Pair.mirrored || e.Pair.both || x.rate > mostRateDoubled || x.slope > mostSlopeDoubled {
			return nil, false
		}
	}
	d = &Doubled{}
	for _, e := range events {
		x := e.Pair.density
		// Below, the noise and the coin are as they were before a caller rounded them.
		rounded := e.Pair.rounded + roundedBefore
		above := power(e.Count, gaussianRatio(x.rate, x.slope, spread), spread)
		below := power(e.Count, gaussianRatio(x.rate*(1-rounded), x.slope*(1-rounded), contracted), contracted)
		if d.above == nil {
			d.above, d.below = above, below
			continue
		}
		d.above, d.below = composed(d.above, above, spread), composed(d.below, below, contracted)
	}
	return d, d.above != nil
}

// power is the product of so many independent ratios like one.
func power(count int, one *ratio, by side) *ratio {
	return repeated(count, one, func(_, _ int, all, next *ratio) *ratio { return composed(all, next, by) })
}

// composed is the ratio of both.
func composed(x, y *ratio, by side) *ratio {
	return combine(operation{share: 1, product: true}, x, y, by).trimmed(by)
}

// negligibleTail is what P has at most of the values that trimmed replaces.
const negligibleTail = 1e-30

// trimmed replaces the greatest values by one, or leaves them out of a lower bound. It leaves out of that also those near 0, whose
// rounding errors are large.
func (r *ratio) trimmed(by side) *ratio {
	first, last, tail, mass := 0, len(r.value)-1, 0.0, 0.0
	for ; last > 0; last-- {
		p := r.mass[last] * (r.base + r.value[last])
		if tail+p > negligibleTail {
			break
		}
		tail, mass = tail+p, mass+r.mass[last]
	}
	if by == spread {
		r.infinite += tail
		r.mass[last] += mass
	} else {
		for first < last && r.base+r.value[first] < 1e-4 {
			first++
		}
	}
	r.value, r.mass = r.value[first:last+1], r.mass[first:last+1]
	return r
}

// Delta bounds δ at epsilon: lower ≤ δ ≤ upper. epsilon in [0, 700].
func (d *Doubled) Delta(epsilon float64) (upper, lower float64) {
	high, wrong := d.above.delta(epsilon)
	upper = min(1, (high+wrong)*(1+d.above.error+1e-12))
	low, wrong := d.below.delta(epsilon + d.below.steps*unit)
	return upper, max(0, (low-wrong)*(1-min(1, d.below.error)-1e-12))
}

// Epsilon bounds the least ε with δ(ε) ≤ delta: lower ≤ ε ≤ upper. upper is +Inf if none up to 700 has, and delta is in (0, 1).
func (d *Doubled) Epsilon(delta float64) (upper, lower float64) {
	at := func(exceeds func(epsilon float64) bool) (no, yes float64) {
		no, yes = 0, 700
		if !exceeds(0) {
			return 0, 0
		}
		for yes-no > 1e-9*yes {
			if middle := (no + yes) / 2; exceeds(middle) {
				no = middle
			} else {
				yes = middle
			}
		}
		return no, yes
	}
	_, upper = at(func(epsilon float64) bool { high, _ := d.Delta(epsilon); return high > delta })
	if high, _ := d.Delta(upper); high > delta {
		upper = math.Inf(1)
	}
	lower, _ = at(func(epsilon float64) bool { _, low := d.Delta(epsilon); return low > delta })
	return upper, lower
}

// delta is the larger of E(R − e^ε)₊ and E(1 − e^ε·R)₊, for ratios of base 1, and its rounding error in differences.
func (r *ratio) delta(epsilon float64) (delta, wrong float64) {
	over, times := math.Expm1(epsilon), math.Exp(epsilon)
	removed, added := r.infinite, 0.0
	for i, v := range r.value {
		m := r.mass[i]
		if d := v - over; d > 0 {
			removed += m * d
			wrong += m * (math.Abs(v) + over)
		}
		if d := -over - times*v; d > 0 {
			added += m * d
			wrong += m * (over + times*math.Abs(v))
		}
	}
	return max(removed, added), 8 * unit * wrong
}
