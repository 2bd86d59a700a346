package pld

import (
	"math"

	"privpipe/account/internal/renyi"
)

// A noise is the most that the grid adds to a loss: a shift, and noise with the lower bound's parameter w = width.
type noise struct{ width, shift float64 }

// noises returns the noises that lower bounds may take (see the package). No loss moves up by more than a step.
func (w *window) noises() (all []noise) {
	if w.rounds <= 1e4 {
		all = append(all, noise{shift: w.rounds * w.step})
	}
	if width := math.Sqrt(w.rounds) * w.step / 2; width > 0 && width < 1 && width*w.tilt < 1 {
		all = append(all, noise{width, w.rounds * w.step * w.step * (1 + w.step) / 8})
	}
	return all
}

// Lower bounds hold for the parameters before they were rounded. Rounding moves log P and log Q by at most m, to log P'
// and log Q'. For every set S, P'(S) − e^ε·Q'(S) ≤ e^m·(P(S) − e^(ε−2m)·Q(S)), so that δ'(ε) ≤ e^m·δ(ε−2m).
//
// upperDelta and lowerDelta bound log δ(epsilon). epsilon ≥ 0.
func (w *window) upperDelta(epsilon float64) float64 {
	epsilon -= w.offset // δ falls with ε
	s := w.sweep(1, 0)
	s.reach(epsilon)
	if s.at() < epsilon { // above the window
		return renyi.LogAdd(w.above, math.Log(w.infinite)) + w.error
	}
	return s.logUpper(s.at() - epsilon)
}

// lowerDelta allows for log P and log Q that rounding moved by at most moved.
func (w *window) lowerDelta(epsilon, moved float64) float64 {
	lower := math.Inf(-1)
	epsilon += 2 * moved
	for _, n := range w.noises() {
		shifted := epsilon + w.offset + n.shift
		s := w.sweep(-1, n.width)
		s.reach(shifted)
		if back := min(s.at()-shifted, w.step); back >= 0 { // a greater ε has a smaller δ
			lower = max(lower, s.logLower(back)-moved)
		}
	}
	return lower
}

// upperEpsilon and lowerEpsilon bound ε(δ) for log δ; 0 is no lower bound.
func (w *window) upperEpsilon(logDelta float64) float64 {
	s := w.sweep(1, 0)
	back := func() float64 { return min(s.step, max(0, s.at())) }
	if !s.next() || s.logUpper(back()) > logDelta {
		return w.momentEpsilon(logDelta)
	}
	if s.descend(func() bool { return s.logUpper(back()) > logDelta }) {
		w.expected = s.at()
		// The greatest back with a δ of at most the target: δ grows with back.
		return s.at() - bisect(back(), func(back float64) bool { return s.logUpper(back) <= logDelta }) + w.offset
	}
	if s.at() <= 0 && w.offset <= s.step && s.logUpper(w.offset) <= logDelta {
		return 0
	}
	return max(0, s.at()) + w.offset // the window's end
}

// momentEpsilon is a bound of ε(δ) by the one moment E[e^(tilt·L)]. It serves where rounding errors drown the window's
// cells (Canonne, Kamath and Steinke 2020, proposition 12; see tilt.logBound).
func (w *window) momentEpsilon(logDelta float64) float64 {
	left := math.Expm1(-(logDelta - math.Log(w.infinite) - w.error)) // −(1 − cut-off probability/δ)
	if !(left < 0) || w.tilt == 0 {
		return math.Inf(1)
	}
	x := tilt{at: w.tilt, cumulant: w.cumulant}
	return (x.logBound()+slack+w.error-logDelta-math.Log(-left))/w.tilt + w.offset
}

// momentDelta is the same for log δ(epsilon).
func (w *window) momentDelta(epsilon float64) float64 {
	x := tilt{at: w.tilt, cumulant: w.cumulant, mean: max(0, epsilon-w.offset)}
	return renyi.LogAdd(x.logBound()+slack, math.Log(w.infinite)) + w.error
}

// lowerEpsilon allows for log P and log Q that rounding moved by at most moved.
func (w *window) lowerEpsilon(logDelta, moved float64) (lower float64) {
	logDelta += moved
	for _, n := range w.noises() {
		s := w.sweep(-1, n.width)
		if s.descend(func() bool { return s.logLower(w.step) > logDelta }) {
			// logLower(back) ≤ logDelta up to the back that is sought, or a greater one: still a bound.
			back := bisect(w.step, func(back float64) bool { return s.logLower(back) <= logDelta })
			lower = max(lower, s.at()-back-2*unit*s.at()-1e-13*w.step-w.offset-n.shift-2*moved)
		}
	}
	return lower
}

// bisect returns a number in [0, most] with isTrue true, next to one with isTrue false. isTrue(most) is taken as false.
func bisect(most float64, isTrue func(float64) bool) float64 {
	low, high := 0.0, most
	for range 60 {
		if middle := (low + high) / 2; isTrue(middle) {
			low = middle
		} else {
			high = middle
		}
	}
	return low
}
