package pld

import (
	"math"
	"privpipe/account/internal/renyi"
	"slices"
)

// A component is a pair's loss and the number of its releases. opposite: the loss of (Q, P).
type component struct {
	pair     *Pair
	opposite bool
	count    float64
}

// A sketch stands for a component's loss by some points. It is good enough to choose the tilt, the grid and the window;
// no bound depends on them.
type sketch struct {
	count      float64
	loss, mass []float64 // mass in logarithms
	tilted     []float64 // room for tilted
}

// A density has a point for each quarter standard deviation, and for each change of its loss by 2. The number of points
// is within these limits.
const fewestPoints, mostPoints = 200, 4000

// allPoints limits the points of all sketches together, unless a density needs more.
const allPoints = 20_000

func newSketch(c component, logTail float64, fewest float64) sketch {
	s := sketch{count: c.count}
	put := func(loss, mass float64) {
		if c.opposite {
			loss, mass = -loss, mass-loss
		}
		s.loss, s.mass = append(s.loss, loss), append(s.mass, mass)
	}
	if x := c.pair.density; x != nil {
		z := x.zReach(logTail)
		from, wide := -z, 2*z
		points := wide * max(4*math.Sqrt(x.curved), x.slope/2)
		step := wide / max(fewest, min(mostPoints, points))
		for at := from + step/2; at < z; at += step {
			loss := x.lossAt(at)
			mass := x.constant - at*(x.linear+x.curved*at/2) + math.Log(step) + logMix(x.rate, x.u(at))
			if c.pair.mirrored {
				if loss > 0 {
					put(loss, mass)
					put(-loss, mass-loss)
				}
				continue
			}
			put(loss, mass)
		}
	}
	// If there are many atoms, some are put together at the middle one.
	group := 1 + len(c.pair.atoms)/mostPoints
	for atoms := range slices.Chunk(c.pair.atoms, group) {
		logP := math.Inf(-1)
		for _, a := range atoms {
			logP = renyi.LogAdd(logP, a.logP)
		}
		put(atoms[len(atoms)/2].loss, logP)
	}
	total := math.Inf(-1)
	for _, m := range s.mass {
		total = renyi.LogAdd(total, m)
	}
	for i := range s.mass {
		s.mass[i] -= total // counts of 10⁷ would raise a small error of the points
	}
	s.tilted = make([]float64, len(s.mass))
	return s
}

// A tilt is the composed loss under P tilted by e^(at·L): log E[e^(at·L)], mean and variance.
type tilt struct{ at, cumulant, mean, variance float64 }

func tilted(sketches []sketch, at float64) tilt {
	sum := tilt{at: at}
	for _, s := range sketches {
		most := math.Inf(-1)
		for i, m := range s.mass {
			most = max(most, m+at*s.loss[i])
		}
		var total, first, second float64
		for i, m := range s.mass {
			s.tilted[i] = 0
			if e := m + at*s.loss[i] - most; e > -40 {
				p := math.Exp(e)
				s.tilted[i] = p
				total += p
				first += p * s.loss[i]
			}
		}
		mean := first / total
		for i, p := range s.tilted {
			d := s.loss[i] - mean
			second += p * d * d
		}
		sum.cumulant += s.count * (most + math.Log(total))
		sum.mean += s.count * mean
		sum.variance += s.count * second / total
	}
	return sum
}

// logBound is the bound log δ ≤ K(t) − tε + t·log t − (t+1)·log(t+1) at ε, the tilted mean (Canonne, Kamath and
// Steinke, The Discrete Gaussian for Differential Privacy, 2020, proposition 12). It falls with t.
func (x tilt) logBound() float64 {
	return x.cumulant - x.at*x.mean - x.at*math.Log1p(1/x.at) - math.Log1p(x.at)
}

// logDelta is near log δ at the tilted mean. Where many releases tell something, it takes the tilted loss for normal
// (Bahadur and Rao, On Deviations of the Sample Mean, 1960). Otherwise it is the bound.
func (x tilt) logDelta() float64 {
	normal := x.cumulant - x.at*x.mean - math.Log(x.at*(1+x.at)*math.Sqrt(2*math.Pi*x.variance))
	return min(x.logBound(), normal)
}

// search returns the tilt between e^−30 and e^60 where falling, a function of the tilt, crosses 0.
func search(sketches []sketch, falling func(tilt) float64) tilt {
	low, high := -30.0, 60.0
	for range 20 {
		middle := (low + high) / 2
		if falling(tilted(sketches, math.Exp(middle))) > 0 {
			low = middle
		} else {
			high = middle
		}
	}
	return tilted(sketches, math.Exp(low))
}

// tiltForDelta is a tilt with a mean near ε(δ), or near 0 if 0 is more.
func tiltForDelta(sketches []sketch, logDelta float64) tilt {
	if x := search(sketches, func(x tilt) float64 { return x.logDelta() - logDelta }); x.mean >= 0 {
		return x
	}
	return tiltForEpsilon(sketches, 0)
}

// tiltForEpsilon is a tilt with a mean near epsilon.
func tiltForEpsilon(sketches []sketch, epsilon float64) tilt {
	return search(sketches, func(x tilt) float64 { return epsilon - x.mean })
}
