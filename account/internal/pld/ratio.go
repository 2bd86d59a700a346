package pld

import (
	"math"
	"sort"

	"privpipe/pipelines/parallel"
)

// A ratio is the ratio P/Q of a pair's densities, as a random number under Q. It has finitely many values, sorted.
// Their mean is 1 together with infinite, except for rounding errors.
//
// H_a(P‖Q) is E_Q (R − a)₊ and H_a(Q‖P) is E_Q (1 − aR)₊: both are means of convex functions of the ratio R. A
// mean-preserving spread of R, R′ with E[R′|R] = R, raises the mean of every convex function (Jensen's inequality). A
// conditional mean E[R|·] lowers it. Means and products of independent ratios keep both properties.
type ratio struct {
	base        float64   // 1 where ratios are near 1; else 0
	value, mass []float64 // the ratio less base, and its probability under Q
	infinite    float64   // P's probability where Q has none
	error       float64   // relative error of each mass, at most
	steps       float64   // how often values were rounded
	apart       float64   // see fineness
}

// A side is above or below the ratio in convex order.
type side bool

const spread, contracted side = true, false

// tailReach is the distance of a Gaussian ratio's ends from both means, in standard deviations. Beyond it there is less
// than 1e-26.
const tailReach = 10.7

// fineness is the distance of neighbouring cell edges near the mean, over three standard deviations of the ratio's
// logarithm.
const fineness = 1. / 400

// roughness stands for fineness where a guess is wanted, and no bound.
const roughness = 1. / 100

// near1 limits the standard deviation of the loss: below it, ratios are stored as their differences from 1.
const near1 = 0.5

// gaussianRatio is the ratio 1−q+q·e^(mz−m²/2): a Gaussian pair with a coin of probability q.
func gaussianRatio(rate, m float64, by side, apart float64) *ratio {
	x := gaussianMixture(rate, m)
	r := &ratio{error: ruleError + 64*unit*(tailReach+m)*(tailReach+m), apart: apart}
	if rate < 1 || m < near1 {
		r.base = 1
	}
	at := func(z float64) edge {
		loss := x.lossAt(z)
		u := x.root(loss)
		return edge{loss, u, (u + x.shift) / x.slope}
	}
	below := func(z float64) float64 { return math.Erfc(-z/math.Sqrt2) / 2 }
	edges := lossEdges(0, 1, -tailReach, tailReach+m, apart) // of z
	// If rate < 1, the large ratios are far in the tail; below u = −9 all are within q/8000 of 1−q.
	if rate < 1 {
		edges = evenEdges(max(-tailReach, (x.shift-9)/m), tailReach+m, 0.02/max(1, m))
	}
	lower := at(edges[0])

	// The left tail is one cell with ratios from 1−q on: there P is 1−q times Q, and a rest.
	least := -rate + (1 - r.base)
	without, with := below(lower.z), below(lower.z-m)
	rest := math.Exp(math.Log(with) - lower.u) // the tail's probability without a unit, at its upper edge
	var up float64                             // the part of the cell below at its upper edge
	if by == spread {
		r.put(least, max(0, without-rest)+64*unit*without)
		up = rest
	} else {
		r.put(least+rate*with/without, without)
	}
	for _, z := range edges[1:] {
		upper := at(z)
		toLower, toUpper, _ := x.bucket(lower, upper, lower.z, upper.z)
		wide := upper.loss - lower.loss
		low := math.Exp(toLower.over(math.Log(math.Expm1(wide))).logarithm() - lower.loss)
		high := math.Exp(toUpper.over(math.Log(-math.Expm1(-wide))).logarithm() - upper.loss)
		if by == spread {
			r.put(r.at(lower.loss), up+low)
			up = high
		} else {
			r.put(between(r.at(lower.loss), r.at(upper.loss), low, high), low+high)
		}
		lower = upper
	}
	// The right tail is one cell with ratios up to infinity.
	without, with = below(-lower.z), below(m-lower.z)
	if by == spread {
		r.put(r.at(lower.loss), up+without)
		r.infinite = rate * with
	} else {
		r.put(least+rate*with/without, without)
	}
	return r
}

// at returns the value for the loss.
func (r *ratio) at(loss float64) float64 {
	if r.base == 1 {
		return math.Expm1(loss)
	}
	return math.Exp(loss)
}

// loss returns the loss for the value.
func (r *ratio) loss(value float64) float64 {
	if r.base == 1 {
		return math.Log1p(value)
	}
	return math.Log(value)
}

// between is the mean of two values with the probabilities low and high.
func between(lower, upper, low, high float64) float64 { return lower + (upper-lower)*high/(low+high) }

func (r *ratio) put(value, mass float64) {
	if mass > 0 {
		r.value, r.mass = append(r.value, value), append(r.mass, mass)
	}
}

// lossEdges are from low to high. Around the mean their distance is apart times three deviations. It grows with the
// distance from the mean.
func lossEdges(mean, deviation, low, high, apart float64) (edges []float64) {
	width := 3 * deviation
	from, to := math.Asinh((low-mean)/width), math.Asinh((high-mean)/width)
	n := max(1, math.Ceil((to-from)/apart))
	for i := range int(n) {
		edges = append(edges, mean+width*math.Sinh(from+(to-from)*float64(i)/n))
	}
	edges[0] = low
	return append(edges, high)
}

// evenEdges are from low to high, no further apart than a step.
func evenEdges(low, high, step float64) (edges []float64) {
	n := math.Ceil((high - low) / step)
	for i := range int(n) {
		edges = append(edges, low+(high-low)*float64(i)/n)
	}
	return append(edges, high)
}

// An operation combines two values; it grows with each. A mean has a share of the first ratio and one of the second.
type operation struct {
	share, rest float64
	product     bool // of ratios of base 1, with shares of 1
}

// meanOf is the mean of so many ratios and so many more.
func meanOf(done, more int) operation {
	all := float64(done + more)
	return operation{share: float64(done) / all, rest: float64(more) / all}
}

var times = operation{share: 1, rest: 1, product: true}

func (o operation) of(v, w float64) float64 {
	constant, factor := o.line(v)
	return constant + factor*w
}

// line writes o of the first ratio's value v and of w as constant + factor·w.
func (o operation) line(v float64) (constant, factor float64) {
	if o.product {
		return v, 1 + v
	}
	return o.share * v, o.rest
}

// swapped takes the values in the other order.
func (o operation) swapped() operation {
	o.share, o.rest = o.rest, o.share
	return o
}

// second says that the second ratio's value w adds more to the result than the first one's value v.
func (o operation) second(v, w float64) bool { return o.rest*w > o.share*v }

// combine is the mean or the product of two independent ratios of one base.
func combine(o operation, x, y *ratio, by side) *ratio {
	r := &ratio{
		base:     x.base,
		infinite: o.share*x.infinite + o.rest*y.infinite,
		error:    x.error + y.error,
		apart:    max(x.apart, y.apart),
	}
	least, most := o.of(x.least(), y.least()), o.of(x.most(), y.most())
	steps := 8 / (1 + r.base*min(0, least)) // a value near −1 has a larger relative error
	r.steps = max(x.steps, y.steps) + steps
	if o.product { // relative errors add up
		r.steps = x.steps + y.steps + steps
	}
	center, deviation := logSpread(o, x.thinned(), y.thinned())
	values := []float64{-r.base}
	apart := r.apart
	if o.product {
		apart *= 2
	}
	for _, loss := range lossEdges(center, deviation, r.loss(least)-1e-9*deviation, r.loss(most)+1e-9*deviation,
		apart) {
		values = append(values, r.at(loss))
	}
	values[1] = min(values[1], least) // rounding
	values[len(values)-1] = max(values[len(values)-1], most*(1+8*unit))
	cells, terms := sums(o, x, y, values)
	r.error += float64(terms+24) * unit
	up := 0.0
	for i, c := range cells {
		lower, upper, all := values[i], values[i+1], c.mass
		high := min(all, max(0, c.moment/(upper-lower)))
		if by == contracted {
			r.put(between(lower, upper, all-high, high), all)
			continue
		}
		// Rounding may have moved mass from one edge to the other. A result has errors of 3 units of its parts. With
		// base 0 no part is negative, so both are at most the result. With base 1 they may cancel: one part is in away,
		// and the other is at most that part and the result.
		size := max(math.Abs(lower), math.Abs(upper)) * all
		if r.base == 1 {
			size += 2 * c.away
		}
		wrong := 4 * unit * size / (upper - lower)
		r.put(lower, up+all-high+wrong)
		up = high + wrong
	}
	if by == spread {
		r.put(values[len(values)-1], up)
	}
	return r
}

// sums returns the cells between values. Each pair of values is added in a row with the value that adds more to the
// result: the other values of the row add less, and so reach few cells. terms bounds how many terms were added up one
// after the other: a row's terms in a cell, then a row of each value, in parts.
func sums(o operation, x, y *ratio, values []float64) (all []cell, terms int) {
	const parts = 16
	var by [parts][]cell
	parallel.Each(parts, func(part int) {
		cells := make([]cell, len(values)-1)
		for i := part; i < len(x.value); i += parts {
			v, p := x.value[i], x.mass[i]
			if x == y { // the results do not depend on the order
				o.add(cells, values, v, 2*p, y, 0, i)
				o.add(cells, values, v, p, y, i, i+1)
				continue
			}
			o.add(cells, values, v, p, y, 0,
				sort.Search(len(y.value), func(j int) bool { return o.second(v, y.value[j]) }))
		}
		for j := part; j < len(y.value) && x != y; j += parts {
			w := y.value[j]
			o.swapped().add(cells, values, w, y.mass[j], x, 0,
				sort.Search(len(x.value), func(i int) bool { return !o.second(x.value[i], w) }))
		}
		by[part] = cells
	})
	for _, cells := range by[1:] {
		for i, c := range cells {
			to := &by[0][i]
			to.mass, to.moment, to.away = to.mass+c.mass, to.moment+c.moment, to.away+c.away
		}
	}
	return by[0], 2*(len(x.value)+len(y.value)) + parts
}

// A cell is between two neighbouring values. It has sums over the results in between.
type cell struct {
	mass   float64 // probability
	moment float64 // probability times the mean distance from the cell's lower edge
	away   float64 // probability times the mean size of the larger part of the result
}

// add adds a row to the cells between values: the results of v, of probability p, with values of y from one to another.
func (o operation) add(cells []cell, values []float64, v, p float64, y *ratio, from, to int) {
	if from >= to {
		return
	}
	constant, factor := o.line(v)
	size := math.Abs(constant)
	at := max(0, sort.SearchFloat64s(values, constant+factor*y.value[from])-1)
	others, masses := y.value[:to], y.mass[:to]
	for j := from; j < to; at++ {
		lower, upper := values[at], values[at+1]
		if at == len(cells)-1 {
			upper = math.Inf(1)
		}
		// This loop takes nearly all the time of an allocation.
		mass, moment := 0.0, 0.0
		for ; j < to; j++ {
			w := constant + factor*others[j]
			if w > upper {
				break
			}
			mass += masses[j]
			moment += masses[j] * (w - lower)
		}
		c := &cells[at]
		mass *= p
		c.mass += mass
		c.moment += p * moment
		c.away += mass * size
	}
}

// negligibleTail is the most that P has of the greatest values that trimmed replaces, and that Q has of the least.
const negligibleTail = 1e-30

// trimmed cuts off tails. In a lower bound nothing replaces them. In an upper bound each of their values becomes
// smaller: 0 on the left, the greatest other value on the right. Their whole mean is added to infinite. A smaller value
// together with the difference at infinity is the limit of mean-preserving spreads (see ratio). The whole mean is more
// than the difference.
func (r *ratio) trimmed(by side) *ratio {
	first, last := 0, len(r.value)-1
	var left, right, most, least float64 // under Q, and under P
	for ; last > 0; last-- {
		p := r.mass[last] * (r.base + r.value[last])
		if most+p > negligibleTail {
			break
		}
		right, most = right+r.mass[last], most+p
	}
	for ; first < last; first++ {
		if left+r.mass[first] > negligibleTail {
			break
		}
		left, least = left+r.mass[first], least+r.mass[first]*(r.base+r.value[first])
	}
	if by == spread {
		r.infinite += (most + least) * (1 + 1e-9) // more than the sums' rounding
		r.mass[last] += right
		if first > 0 {
			first--
			r.value[first], r.mass[first] = -r.base, left
		}
	}
	r.value, r.mass = r.value[first:last+1], r.mass[first:last+1]
	return r
}

// least is the ratio's least value above 0. most is the greatest value.
func (r *ratio) least() float64 {
	if r.value[0] > -r.base {
		return r.value[0]
	}
	return r.value[1]
}

func (r *ratio) most() float64 { return r.value[len(r.value)-1] }

// thinned has a few points in place of the points of r. No bound depends on them.
func (r *ratio) thinned() *ratio {
	const points = 64
	t := &ratio{base: r.base}
	for point := range points {
		mass, first := 0.0, 0.0
		for i := point * len(r.value) / points; i < (point+1)*len(r.value)/points; i++ {
			mass += r.mass[i]
			first += r.mass[i] * r.value[i]
		}
		if v := first / mass; v > -r.base {
			t.put(v, mass)
		}
	}
	return t
}

// logSpread is near the mean and the standard deviation of the loss, half under Q and half under P.
func logSpread(o operation, x, y *ratio) (center, deviation float64) {
	var total, first, second float64
	each := func(add func(p, loss float64)) {
		for i, v := range x.value {
			for j, w := range y.value {
				if v := o.of(v, w); v > -x.base {
					add(x.mass[i]*y.mass[j]*(1+x.base+v), x.loss(v))
				}
			}
		}
	}
	each(func(p, loss float64) { total, first = total+p, first+p*loss })
	center = first / total
	each(func(p, loss float64) { second += p * (loss - center) * (loss - center) })
	return center, math.Sqrt(max(second/total, 1e-300))
}
