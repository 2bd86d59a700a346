package pld

import (
	"errors"
	"fmt"
	"math"
)

// noisePrecision is the most that the logarithm of LeastNoise exceeds the logarithm of a too small noise, less
// rounding.
const noisePrecision = 0.99e-6

// ErrNoise says that even the most noise is not private enough.
var ErrNoise = errors.New("the most noise spends more than the target")

// LeastNoise returns the least noise in [low, high] that makes build's events (epsilon, delta)-private, except for a
// relative 1e-6. The returned noise was itself worked out: its UpperEpsilon is at most epsilon. It is low if low is
// enough. epsilon > 0, delta in (0, 1), 0 < low < high; more noise must have less loss. It returns ErrNoise if even
// high spends more, and build's errors and New's.
func LeastNoise(
	epsilon, delta, low, high float64, options Options, build func(noise float64) ([]Event, error),
) (noise float64, err error) {
	if !(epsilon > 0 && delta > 0 && delta < 1 && low > 0 && low < high && !math.IsInf(high, 1)) {
		return 0, fmt.Errorf("least noise for ε %v and δ %v, from %v to %v: out of range", epsilon, delta, low, high)
	}
	from, to := math.Log(low), math.Log(high)
	at := func(x float64) float64 {
		switch x {
		case from:
			return low
		case to:
			return high
		}
		return math.Exp(x)
	}
	// The logarithm of spent ε over the target.
	coarser := false // some events have a rough pair
	excess := func(rough bool, ask func(*Distribution) (float64, error)) func(float64) (float64, error) {
		return func(x float64) (float64, error) {
			events, err := build(at(x))
			if err != nil {
				return 0, err
			}
			if rough {
				var changed bool
				events, changed = roughened(events)
				coarser = coarser || changed
			}
			d, err := New(events, options)
			if errors.Is(err, errPrecise) {
				return math.Inf(1), nil
			}
			if err != nil {
				return 0, err
			}
			spent, err := ask(d)
			return math.Log(spent / epsilon), err
		}
	}
	upper := func(d *Distribution) (float64, error) { return d.UpperEpsilon(delta) }
	slope := usualSlope
	guess, _, err := crossing(from, to, (from+to)/2, slope, 0.01,
		excess(true, func(d *Distribution) (float64, error) { return d.roughEpsilon(delta), nil }))
	if err == nil && coarser { // exact pairs take far longer than these bounds, so the guess has to be a good one
		guess, slope, err = crossing(from, to, guess, slope, 1e-3, excess(true, upper))
	}
	switch {
	case errors.Is(err, ErrNoise):
		guess, slope = to, usualSlope
	case err != nil:
		return 0, err
	}
	x, _, err := crossing(from, to, guess, slope, noisePrecision, excess(false, upper))
	return at(x), err
}

// usualSlope is about how log ε changes with log noise.
const usualSlope float64 = -1.5

// roughened puts rough pairs in place of pairs that take long. changed says that there are some.
func roughened(events []Event) (rough []Event, changed bool) {
	for _, e := range events {
		if e.Pair != nil && e.Pair.rough != nil {
			e.Pair, changed = e.Pair.rough(), true
		}
		rough = append(rough, e)
	}
	return rough, changed
}

// crossing returns an x in [low, high] where f, a falling function, is at most 0. x is low, or at most precision above
// another number where f is positive. crossing begins at guess, where f has about the given slope. Then it follows the
// secant through the last two points. It returns that slope, too. It goes a little beyond the secant's root, so that
// the next point is on the other side. It halves the interval where the secant does not help. Where f is infinite, or x
// is next to an end, it asks that end. ErrNoise: f(high) is positive.
func crossing(
	low, high, guess, slope, precision float64, f func(float64) (float64, error),
) (root, secant float64, err error) {
	a, b := low, high // f(a) > 0 ≥ f(b), once they are known
	knownA, knownB := false, false
	last, lastF, beyond := math.NaN(), math.NaN(), precision/3
	for x, halve := guess, 0.0; ; {
		y, err := f(x)
		switch {
		case err != nil:
			return 0, 0, err
		case math.IsNaN(y):
			return 0, 0, errors.New("least noise: no number")
		case y > 0 && x == high:
			return 0, 0, ErrNoise
		case y > 0:
			a, knownA = x, true
		case x == low:
			return low, slope, nil
		default:
			b, knownB = x, true
		}
		if knownA && knownB && b-a <= precision {
			return b, slope, nil
		}
		if s := (y - lastF) / (x - last); s < 0 && !math.IsInf(s, 0) {
			slope = s
		}
		if (y > 0) == (lastF > 0) {
			beyond *= 3
		} else {
			beyond = precision / 3
		}
		last, lastF = x, y
		x -= y / slope
		if y > 0 {
			x += beyond
		} else {
			x -= beyond
		}
		// Every other time the interval must have halved, once both ends are known.
		slow := knownA && knownB && b-a > halve
		if halve == 0 || !slow {
			halve = (b - a) / 2
		}
		switch {
		case !knownB && (math.IsInf(y, 1) || b-a <= precision):
			x = b
		case !knownA && (math.IsInf(y, -1) || b-a <= precision):
			x = a
		case math.IsInf(y, 0) || slow && (x-a < precision/4 || b-x < precision/4):
			x = (a + b) / 2
		case x <= a && !knownA:
			x = a
		case x >= b && !knownB:
			x = b
		case !(x > a && x < b):
			x = (a + b) / 2
		}
	}
}
