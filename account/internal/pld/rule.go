package pld

import (
	"math"

	"gonum.org/v1/gonum/integrate/quad"
)

// A rule integrates over [−1, 1].
type rule struct {
	widest        float64 // see panel
	nodes, weight []float64
}

// rules has Gauss-Legendre rules. Let w be a panel's half width. κ is the largest of w·|d log base/dz| at its middle,
// w·√curved and w·slope. Take the ellipse with foci ±1 and axes that add up to 1/κ. On it an integrand of
// mixture.bucket is at most e^1.3·(2+1/κ) times its mean over the panel. So the error of n nodes is at most about
// 20·κ^(2n−1) of the integral (Trefethen, Is Gauss Quadrature Better than Clenshaw-Curtis?, 2008, theorem 4.5): below
// 1e-15 for κ up to widest.
var rules = [...]rule{newRule(3, 5e-4), newRule(4, 4e-3), newRule(6, 0.03), newRule(10, 0.13)}

// ruleError is above the relative error of an integral by rules, with 2^-53 for each operation.
const ruleError = 4e-15

func newRule(n int, widest float64) rule {
	r := rule{widest, make([]float64, n), make([]float64, n)}
	quad.Legendre{}.FixedLocations(r.nodes, r.weight, -1, 1)
	return r
}

// An edge is an end of one bucket of losses: the loss, and the u and z that have this loss.
type edge struct {
	loss float64
	u, z float64 // −Inf: nowhere, the loss is larger everywhere
}

// bucket takes the losses between the lower and the upper edge, two neighbours of the grid h, with z in [from, to].
// "Connecting the dots" divides their probability under P among the two edges. bucket returns the two parts:
//
//	∫(t₁Q−P)/(e^h−1),  ∫(P−t₀Q)/(1−e^−h),   t₀, t₁ = e^loss of the edges.
//
// With the root z₀ of P−t₀Q, and d = z−z₀, P−t₀Q is
// base·q·[e^(u₀)·(e^(slope·d)−1) + t₀·e^(−u₀−2·shift)·(1−e^(−slope·d))]. Only opposed mixtures have the second term. No
// term cancels another.
//
// The caller divides by the denominators. panels is the number of parts.
func (x *mixture) bucket(lower, upper edge, from, to float64) (toLower, toUpper scaled, panels int) {
	logQ := x.logRate
	up, down := logQ+upper.u, logQ+lower.u // factors of (e^(slope·d)−1), in logarithms
	upScale, downScale := up, down
	upFore, downFore, upBackward, downBackward := 1.0, 1.0, 0.0, 0.0
	rooted := !math.IsInf(lower.u, -1)
	if x.opposed {
		upBack := logQ + upper.loss - upper.u - 2*x.shift
		downBack := logQ + lower.loss - lower.u - 2*x.shift
		upScale, downScale = max(up, upBack), max(down, downBack)
		upFore, upBackward = math.Exp(up-upScale), math.Exp(upBack-upScale)
		downFore, downBackward = math.Exp(down-downScale), math.Exp(downBack-downScale)
	}
	rest := 0.0
	if !rooted {
		rest = max(0, -math.Expm1(lower.loss)-x.rate) // 1−q−t₀
		if x.rate > 0.5 && x.rate < 1 {               // the same, where that would cancel: 1−q is exact
			rest = max(0, (x.rate-1)*math.Expm1(lower.loss-math.Log(1-x.rate)))
		}
	}
	for at, done := from, false; !done; {
		panels++
		w, r := x.panel(at, to)
		done = w == (to-at)/2
		middle := at + w
		var sumLower, sumUpper float64
		for i, node := range r.nodes {
			d := w * node
			z := middle + d
			weight := r.weight[i] * (1 + expm1(-d*(x.linear+x.curved*(middle+d/2))))
			g := x.slope * (z - upper.z)
			s := -upFore * expm1(g)
			if x.opposed {
				s += upBackward * expm1(-g)
			}
			sumLower += weight * s
			switch {
			case !rooted:
				sumUpper += weight * (rest + math.Exp(logQ+x.u(z)))
			case x.opposed:
				g := x.slope * (z - lower.z)
				sumUpper += weight * (downFore*expm1(g) - downBackward*expm1(-g))
			default:
				sumUpper += weight * expm1(x.slope*(z-lower.z))
			}
		}
		base := x.constant - middle*(x.linear+x.curved*middle/2)
		toLower = toLower.plus(scaled{base + upScale, w * max(0, sumLower)})
		if !rooted {
			toUpper = toUpper.plus(scaled{base, w * sumUpper})
		} else {
			toUpper = toUpper.plus(scaled{base + downScale, w * max(0, sumUpper)})
		}
		at = middle + w
	}
	return toLower, toUpper, panels
}

// A scaled number is times·e^log. It may be beyond float64. times ≥ 0.
type scaled struct{ log, times float64 }

func (a scaled) plus(b scaled) scaled {
	switch {
	case a.times == 0:
		return b
	case b.times == 0:
		return a
	case a.log < b.log:
		a, b = b, a
	}
	return scaled{a.log, a.times + b.times*math.Exp(b.log-a.log)}
}

// over divides by e^log.
func (a scaled) over(log float64) scaled { return scaled{a.log - log, a.times} }

// logarithm is −Inf for 0.
func (a scaled) logarithm() float64 { return a.log + math.Log(a.times) }

// expm1 is e^x − 1. For most nodes x is small. The series below is then as exact as math.Expm1, and faster: the omitted
// terms are less than x⁷/8! ≤ u/3 of it.
func expm1(x float64) float64 {
	if math.Abs(x) > 0.02 {
		return math.Expm1(x)
	}
	return x * (1 + x*(1./2+x*(1./6+x*(1./24+x*(1./120+x*(1./720+x/5040))))))
}

// panel returns the half width of the next panel from at, and its rule.
func (x *mixture) panel(at, to float64) (w float64, r *rule) {
	w = (to - at) / 2
	steep := max(x.slope, math.Sqrt(x.curved))
	k := w * max(steep, math.Abs(x.linear+x.curved*(at+w)))
	last := &rules[len(rules)-1]
	for k > last.widest {
		w *= min(0.9, max(0.01, last.widest/k))
		k = w * max(steep, math.Abs(x.linear+x.curved*(at+w)))
	}
	for i := range rules {
		if k <= rules[i].widest {
			return w, &rules[i]
		}
	}
	return w, last
}
