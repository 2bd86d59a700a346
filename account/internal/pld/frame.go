package pld

import "math"

// A frame is a tilt and the window's ends, high and −low, by Chernoff's bounds. up and down are the bounds' θ; they
// make the window's width about the least. Beyond either end there is at most e^−margin of the tilted probability.
type frame struct{ at, up, down, margin, high, low, width float64 }

// newFrame is for δ(epsilon) of about e^logDelta. At either end e^−precision of δ may be lost. The part e^(tilt·ε−K)·δ
// of the tilted probability matters.
func newFrame(sketches []sketch, t tilt, scale, epsilon, logDelta, precision float64) frame {
	f := frame{at: t.at, margin: precision + max(0, t.cumulant-t.at*epsilon-max(logDelta, smallest))}
	f.up, f.high = end(sketches, t, 1, scale, f.margin)
	f.down, f.low = end(sketches, t, -1, scale, f.margin)
	f.width = f.high + f.low
	return f
}

// end returns the θ that makes reach = (K(t ± θ) − K(t) + margin)/θ about the least, by doubling and halving, and
// reach.
func end(sketches []sketch, t tilt, sign, scale, margin float64) (theta, reach float64) {
	bound := func(theta float64) float64 {
		return (tilted(sketches, t.at+sign*theta).cumulant - t.cumulant + margin) / theta
	}
	theta = math.Sqrt(2*margin) / max(math.Sqrt(t.variance), scale)
	reach = bound(theta)
	for _, factor := range []float64{2, 0.5, math.Sqrt2, math.Sqrt2 / 2} {
		for range 40 {
			next := bound(theta * factor)
			if !(next < reach) {
				break
			}
			theta, reach = theta*factor, next
		}
	}
	return theta, reach
}

// chooseFrame returns the frame with the least window, among the frames of tilts up to t's. The transform's error has
// to stay below a fiftieth of the tolerance, of δ, about. A smaller tilt than t needs no window for the tail that a
// large tilt raises.
func (p *plan) chooseFrame() frame {
	scale, t := max(1e-3*math.Sqrt(p.untilted.variance), p.step), p.tilt
	if t.at > p.steepest() {
		t = tilted(p.sketches, p.steepest())
	}
	epsilon := p.tilt.mean
	best := newFrame(p.sketches, t, scale, epsilon, p.logDelta, p.precision)
	for _, share := range []float64{0.5, 0.25, 0.1, 0.03, 0} {
		x := tilted(p.sketches, share*t.at)
		f := newFrame(p.sketches, x, scale, epsilon, p.logDelta, p.precision)
		// An error of each cell within the standard deviation, weighted by e^(−tilt·(Y−ε))·(1−e^(−(Y−ε))).
		cells := min(f.width, 1/x.at) / math.Sqrt(x.variance)
		weight := min(min(1, f.width), 1/(1+x.at))
		wrong := x.cumulant - x.at*epsilon + math.Log(20*p.lossyReleases(x)*transformError*cells*weight)
		if f.width < best.width && wrong < max(p.logDelta, smallest)-p.precision+3 {
			best = f
		}
	}
	return best
}

// steepest is a tilt limit. Beyond it a window would rest on few points of the grid, or on the grid's additions to the
// tails of the releases' sum.
func (p *plan) steepest() float64 { return min(1, 8/math.Sqrt(p.total)) / p.step }

// lossyReleases is about how many releases are not in the grid's cell of no loss, under the tilted probability. The
// transform adds up their errors.
func (p *plan) lossyReleases(x tilt) float64 {
	sum := 0.01 * p.total
	for _, s := range p.sketches {
		norm := tilted([]sketch{s}, x.at).cumulant / s.count
		for i, m := range s.mass {
			sum += s.count * math.Exp(m+x.at*s.loss[i]-norm) * min(1, math.Abs(s.loss[i])/p.step)
		}
	}
	return sum
}
