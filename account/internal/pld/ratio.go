package pld

import (
	"math"
	"slices"
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

// near1 limits the standard deviation of the loss: below it, ratios are stored as their differences from 1.
const near1 = 0.5

// gaussianRatio is the ratio 1−q+q·e^(mz−m²/2): a Gaussian pair with a coin of probability q.
func gaussianRatio(rate, m float64, by side) *ratio {
	x := gaussianMixture(rate, m)
	r := &ratio{error: ruleError + 64*unit*(tailReach+m)*(tailReach+m)}
	if rate < 1 || m < near1 {
		r.base = 1
	}
	at := func(z float64) edge {
		loss := x.lossAt(z)
		u := x.root(loss)
		return edge{loss, u, (u + x.shift) / x.slope}
	}
	below := func(z float64) float64 { return math.Erfc(-z/math.Sqrt2) / 2 }
	edges := lossEdges(0, 1, -tailReach, tailReach+m, fineness) // of z
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

// An operation combines two values; it grows with each.
type operation struct {
	share   float64 // of the first ratio in a mean
	product bool    // of ratios of base 1
}

func (o operation) of(v, w float64) float64 {
	if o.product {
		return v + w + v*w
	}
	return o.share*v + (1-o.share)*w
}

// line writes o of the first ratio's value v and of w as constant + factor·w.
func (o operation) line(v float64) (constant, factor float64) {
	if o.product {
		return v, 1 + v
	}
	return o.share * v, 1 - o.share
}

// combine is the mean or the product of two independent ratios of one base.
func combine(o operation, x, y *ratio, by side) *ratio {
	r := &ratio{
		base:     x.base,
		infinite: o.share*x.infinite + (1-o.share)*y.infinite,
		error:    x.error + y.error,
		steps:    max(x.steps, y.steps) + 8,
	}
	if o.product { // relative errors add up, and a value near −1 has a larger one
		r.infinite = x.infinite + y.infinite
		r.steps = x.steps + y.steps + 8/(1+min(0, o.of(x.least(), y.least())))
	}
	center, deviation := logSpread(o, x.thinned(), y.thinned())
	least, most := o.of(x.least(), y.least()), o.of(x.most(), y.most())
	values := []float64{-r.base}
	apart := fineness
	if o.product {
		apart *= 2
	}
	for _, loss := range lossEdges(center, deviation, r.loss(least)-1e-9*deviation, r.loss(most)+1e-9*deviation,
		apart) {
		values = append(values, r.at(loss))
	}
	values[1] = min(values[1], least) // rounding
	values[len(values)-1] = max(values[len(values)-1], most*(1+8*unit))
	mass, moment, away, terms := sums(o, x, y, values)
	r.error += float64(terms+24) * unit
	up := 0.0
	for c, all := range mass {
		lower, upper := values[c], values[c+1]
		high := min(all, max(0, moment[c]/(upper-lower)))
		if by == contracted {
			r.put(between(lower, upper, all-high, high), all)
			continue
		}
		// Rounding may have moved mass from one edge to the other. The sum has errors of 3 units of its parts: the
		// first ratio's part and the rest of the value.
		wrong := 4 * unit * (2*away[c] + max(math.Abs(lower), math.Abs(upper))*all) / (upper - lower)
		r.put(lower, up+all-high+wrong)
		up = high + wrong
	}
	if by == spread {
		r.put(values[len(values)-1], up)
	}
	return r
}

// sums returns each cell's probability as mass. moment is the probability times the mean distance of the value from the
// cell's lower edge. away is the probability times the mean size of the first ratio's part. terms is the largest number
// of terms that were added up in a row.
func sums(o operation, x, y *ratio, values []float64) (mass, moment, away []float64, terms int) {
	const parts = 16
	var masses, moments, aways [parts][]float64
	var most [parts]int
	parallel.Each(parts, func(part int) {
		mass, moment, away := make([]float64, len(values)-1), make([]float64, len(values)-1),
			make([]float64, len(values)-1)
		terms := make([]int, len(values)-1)
		for i := part; i < len(x.value); i += parts {
			constant, factor := o.line(x.value[i])
			c := max(0, sort.SearchFloat64s(values, constant+factor*y.value[0])-1)
			lower, upper := values[c], values[c+1]
			share, size, since := x.mass[i], math.Abs(constant), 0
			// The sums of the current cell are in registers: this loop takes nearly all the time of an allocation.
			inMass, inMoment, inAway := mass[c], moment[c], away[c]
			others := y.mass[:len(y.value)]
			for j, v := range y.value {
				v = constant + factor*v
				for v > upper && c < len(mass)-1 {
					mass[c], moment[c], away[c] = inMass, inMoment, inAway
					terms[c] += j - since
					since = j
					c++
					lower, upper = upper, values[c+1]
					inMass, inMoment, inAway = mass[c], moment[c], away[c]
				}
				p := share * others[j]
				inMass += p
				inMoment += p * (v - lower)
				inAway += p * size
			}
			mass[c], moment[c], away[c] = inMass, inMoment, inAway
			terms[c] += len(y.value) - since
		}
		masses[part], moments[part], aways[part], most[part] = mass, moment, away, slices.Max(terms)
	})
	mass, moment, away = masses[0], moments[0], aways[0]
	for part := 1; part < parts; part++ {
		for c := range mass {
			mass[c] += masses[part][c]
			moment[c] += moments[part][c]
			away[c] += aways[part][c]
		}
	}
	return mass, moment, away, slices.Max(most[:]) + parts
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
	each := len(r.value)/64 + 1
	t := &ratio{base: r.base}
	for from := 0; from < len(r.value); from += each {
		mass, first := 0.0, 0.0
		for i := from; i < min(from+each, len(r.value)); i++ {
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
