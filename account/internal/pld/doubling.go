package pld

import (
	"math"
	"sort"
)

// A Doubled is the privacy loss of many releases that seldom tell something, but then much: Gaussian noise with a coin
// of small probability, under add-remove. Their small frequent losses and their large rare losses do not fit on a grid
// of one step. Here the ratio of densities of all releases is a product of independent ratios, by doubling. The values
// of each product are spaced as its own loss is spread. See ratio.
type Doubled struct{ above, below *ratio }

// Within these limits doubling takes no longer than some seconds, and is useful.
const mostKindsDoubled, mostRateDoubled, mostSlopeDoubled = 4, 1e-3, 10

// NewDoubled returns the loss of events. ok is false if not all of them are such releases, or if they are of too many
// kinds.
func NewDoubled(events []Event) (d *Doubled, ok bool) {
	if len(events) > mostKindsDoubled {
		return nil, false
	}
	for _, e := range events {
		x := e.Pair.density
		if x == nil || x.curved != 1 || x.opposed || e.Pair.mirrored || e.Pair.both || x.rate > mostRateDoubled ||
			x.slope > mostSlopeDoubled {
			return nil, false
		}
	}
	d = &Doubled{}
	for _, e := range events {
		x := e.Pair.density
		// Below, the noise and the coin are as they were before a caller rounded them.
		rounded := e.Pair.rounded + roundedBefore
		above := power(e.Count, gaussianRatio(x.rate, x.slope, spread, fineness), spread)
		below := power(e.Count, gaussianRatio(x.rate*(1-rounded), x.slope*(1-rounded), contracted, fineness),
			contracted)
		if d.above == nil {
			d.above, d.below = above, below
			continue
		}
		d.above, d.below = composed(d.above, above, spread), composed(d.below, below, contracted)
	}
	return d, d.above != nil
}

// power is the product of count independent ratios like one.
func power(count int, one *ratio, by side) *ratio {
	return repeated(count, one, func(_, _ int, all, next *ratio) *ratio { return composed(all, next, by) })
}

// composed is the product of both ratios.
func composed(x, y *ratio, by side) *ratio {
	r := combine(times, x, y, by).trimmed(by)
	if by == contracted { // values near 0 have large rounding errors
		first := sort.Search(len(r.value)-1, func(i int) bool { return 1+r.value[i] >= 1e-4 })
		r.value, r.mass = r.value[first:], r.mass[first:]
	}
	return r
}

// Delta bounds δ at epsilon: lower ≤ δ ≤ upper. epsilon in [0, 700].
func (d *Doubled) Delta(epsilon float64) (upper, lower float64) {
	high, wrong := d.above.delta(epsilon)
	upper = min(1, (high+wrong)*(1+d.above.error+1e-12))
	low, wrong := d.below.delta(epsilon + d.below.steps*unit)
	return upper, max(0, (low-wrong)*(1-min(1, d.below.error)-1e-12))
}

// Epsilon bounds the least ε with δ(ε) ≤ delta: lower ≤ ε ≤ upper. upper is +Inf if no ε up to 700 has such a δ. delta
// is in (0, 1).
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

// delta is the larger of E(R − e^ε)₊ and E(1 − e^ε·R)₊, for ratios of base 1. wrong is the rounding error of the
// differences.
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
