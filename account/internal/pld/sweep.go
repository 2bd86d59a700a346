package pld

import (
	"math"

	"privpipe/account/internal/renyi"
)

// A sweep goes down a window's grid. At a point y = index·step it has sums over the cells from y on, of e^(−tilt·(Y−y))
// times
//
//	(1 − e^−(Y−y))  (hockey),   e^−(Y−y)  (decayed),   e^(−(Y−y)/w)  (bump),
//
// All their terms are positive. e^(K−tilt·y) times such a sum is a sum under P.
type sweep struct {
	*window
	error  float64 // is added to each cell; cells below 0 count as 0
	index  int
	hockey float64
	decay  float64
	bump   float64
	width  float64 // w; 0: no bump

	leftBump float64   // bump's sum, but over the cells below y
	left     []float64 // leftBump for each cell above; nil for a series

	sign, fade, lose, fadeBump float64 // of errors, e^(−tilt·step), 1−e^−step, e^(−tilt·step−step/w)
}

func (w *window) sweep(sign, width float64) *sweep {
	s := &sweep{window: w, error: sign * w.cell, index: w.first + w.n, width: width, sign: sign}
	s.fade, s.lose = math.Exp(-w.tilt*w.step), -math.Expm1(-w.step)
	if width > 0 && w.series == nil {
		s.fadeBump = math.Exp(-w.tilt*w.step - w.step/width)
		s.left = w.leftBumps(width)
	}
	return s
}

// next goes one point down. It reports false at the end of the window.
func (s *sweep) next() bool {
	i := s.index - 1 - s.first
	switch {
	case i < 0:
		return false
	case s.series != nil:
		s.seek(s.index - 1)
		return true
	}
	s.index--
	m := max(0, s.mass[i]+s.error)
	s.hockey = s.fade * (s.hockey + s.lose*s.decay)
	s.decay = m + s.fade*(1-s.lose)*s.decay
	if s.width > 0 {
		s.bump, s.leftBump = max(0, s.mass[i]+s.cell)+s.fadeBump*s.bump, 0
		if i > 0 {
			s.leftBump = s.left[i-1]
		}
	}
	return true
}

// seek goes to the point index, for windows that have a series.
func (s *sweep) seek(index int) {
	s.index, s.hockey, s.decay, s.bump, s.leftBump = index, 0, 0, 0, 0
	place := index - s.first
	if cells := s.n - place; cells > 0 {
		at := ray{s.series, s.tilt * s.step, cells}
		sum, wrong := s.series.sum(place, true, cells,
			func(k int) (complex128, float64) { return at.hockey(k, s.step) })
		s.hockey = max(0, sum+s.sign*wrong)
		sum, wrong = s.series.sum(place, true, cells, ray{s.series, s.tilt*s.step + s.step, cells}.geometric)
		s.decay = max(0, sum+s.sign*wrong)
		if s.width > 0 {
			sum, wrong = s.series.sum(place, true, cells,
				ray{s.series, s.tilt*s.step + s.step/s.width, cells}.geometric)
			s.bump = max(0, sum+wrong)
		}
	}
	if s.width > 0 && place > 0 {
		// The width is below 1/tilt. A difference that cancels is rounded down: the sum of masses is larger for a lower
		// rate.
		rate := max(0, (1/s.width-s.tilt)*s.step-4*unit*s.step/s.width)
		sum, wrong := s.series.sum(place-1, false, place, ray{s.series, rate, place}.geometric)
		s.leftBump = max(0, sum+wrong)
	}
}

// reach goes down to the least point from epsilon on, or to the window's end. Above the window it goes to the highest
// cell.
func (s *sweep) reach(epsilon float64) {
	if s.series == nil {
		for s.next() && s.at()-s.step >= epsilon {
		}
		return
	}
	highest := s.first + s.n - 1
	s.seek(int(max(float64(s.first), min(float64(highest), math.Ceil(epsilon/s.step)))))
	if s.at() < epsilon && s.index < highest { // by rounding
		s.seek(s.index + 1)
	}
}

// descend goes down to the first point where exceeds is true, or to 0 or the window's end. Only near this point does it
// look at each point. It reports whether exceeds is true.
func (s *sweep) descend(exceeds func() bool) bool {
	if s.series != nil {
		return s.bisect(exceeds)
	}
	// Further down, rounding errors drown a lower bound, by factors of e^(tilt·step) for each point.
	stride := max(1, min(64, int(4/(s.tilt*s.step+1e-3))))
	for {
		saved := *s
		for i := 0; i < stride && s.at() > 0 && s.next(); i++ {
		}
		found := exceeds()
		if found {
			*s = saved
			for s.next() && !exceeds() {
			}
			return true
		}
		if s.at() <= 0 || s.index == s.first {
			return false
		}
	}
}

// bisect is descend for a series. It begins where the answer is expected, as rounding errors drown a lower bound
// further down. From there it looks at points twice as far each time. At the point above the found one, exceeds is
// false.
func (s *sweep) bisect(exceeds func() bool) bool {
	high := s.index // where exceeds is false
	bottom := min(high-1, max(s.first, 0))
	if bottom < s.first {
		return false
	}
	at := func(index int) bool { s.seek(index); return exceeds() }
	low := bottom
	if about := s.expected / s.step; about > float64(bottom) { // it is a number
		low = int(min(float64(high-1), about))
	}
	if at(low) {
		for far := 1; low+far < high; far *= 2 {
			if !at(low + far) {
				high = low + far
				break
			}
			low += far
		}
	} else {
		for far := 1; ; far *= 2 {
			high = low
			if low = max(bottom, low-far); at(low) {
				break
			}
			if low == bottom {
				return false
			}
		}
	}
	for high-low > 1 {
		if middle := low + (high-low)/2; at(middle) {
			low = middle
		} else {
			high = middle
		}
	}
	return at(low)
}

// at is the point.
func (s *sweep) at() float64 { return float64(s.index) * s.step }

// logUpper bounds log δ(ε) from above, for ε = at() − back with back in [0, step], or more below the window.
func (s *sweep) logUpper(back float64) float64 {
	scale := s.cumulant - s.tilt*s.at()
	sum := scale + math.Log(s.hockey-math.Expm1(-back)*s.decay)
	if s.index == s.first { // the probability below the window, and above ε
		sum = renyi.LogAdd(sum, scale+s.tilt*back-s.margin)
	}
	return renyi.LogAdd(sum, renyi.LogAdd(s.above, math.Log(s.infinite))) + s.window.error
}

// logLower bounds log δ(ε) from below, for ε = at() − back as before, less the lower bound's shift. Where all is
// revealed the loss is infinite, and no noise moves it: revealed is added.
func (s *sweep) logLower(back float64) float64 {
	factor, bump := 0.0, 0.0
	if s.width > 0 {
		factor = math.Exp(0.5+s.width*(1+s.step)/2) * s.width / (1 - s.width)
		bump = math.Exp(-back/s.width)*s.bump + s.leftBump*math.Exp(s.tilt*s.step-(s.step-back)/s.width)
	}
	// Errors of the masses, and the left tails, may lessen the hockey stick and raise the bump.
	factor *= math.Exp(2*s.window.error) / max(0.1, 1-2*s.window.left)
	// Outside the window: e^−margin on either side is missing in the bump, or came to lie in the window.
	outside := (2 + 2*factor) * math.Exp(-s.margin+s.tilt*s.step)
	sum := s.hockey - math.Expm1(-back)*s.decay - factor*bump - outside
	revealed := math.Log(s.revealed)
	if !(sum > 0) || s.window.left >= 0.4 {
		return revealed
	}
	return renyi.LogAdd(revealed, s.cumulant-s.tilt*s.at()+math.Log(sum)-s.window.error+math.Log1p(-2*s.window.left))
}

// leftBumps returns the sums over the cells up to each, y, of e^(tilt·(y−Y) − (y−Y)/w). The width is below 1/tilt.
func (w *window) leftBumps(width float64) []float64 {
	left, sum := make([]float64, w.n), 0.0
	fade := math.Exp((w.tilt - 1/width) * w.step)
	for i, m := range w.mass {
		sum = max(0, m+w.cell) + fade*sum
		left[i] = sum
	}
	return left
}
