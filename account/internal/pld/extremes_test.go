package pld

import (
	"math"
	"testing"

	"privpipe/account/internal/renyi"
)

// setting is a point of the extremes: rate from 1e-8 to 1, noise multiplier from 0.1 to 1e4, 1 to 10⁷ rounds, δ from
// 1e-300.
type setting struct {
	rate, multiplier, delta float64
	rounds                  int
}

// newSetting makes one of four numbers, of which only the fractional part counts.
func newSetting(a, b, c, d float64) setting {
	between := func(x, low, high float64) float64 {
		part := math.Abs(math.Mod(x, 1))
		if math.IsNaN(part) {
			part = 0.5
		}
		return low * math.Pow(high/low, part)
	}
	return setting{
		rate:       math.Min(1, between(a, 1e-8, 3)),
		multiplier: between(b, 0.1, 1e4),
		rounds:     int(between(c, 1, 1e7)),
		delta:      between(d, 1e-300, 0.5),
	}
}

// small are options that take little time.
var small = Options{Tolerance: 1e-2, Cells: 1 << 15}

func (s setting) epsilon(t *testing.T) (d *Distribution, upper, lower float64) {
	d, err := New([]Event{{pair(Gaussian(s.rate, s.multiplier)), s.rounds}}, small)
	if refused := s.rate == 1 && float64(s.rounds)/(s.multiplier*s.multiplier) > mostPrecision; refused {
		if err == nil {
			t.Errorf("%+v: no error", s)
		}
		return nil, math.Inf(1), 0
	}
	if err != nil {
		t.Fatalf("%+v: %v", s, err)
	}
	upper, lower, err = d.Epsilon(s.delta)
	if err != nil || math.IsNaN(upper) || !(lower >= 0 && upper >= lower) {
		t.Errorf("%+v: ε from %v to %v (%v)", s, lower, upper, err)
	}
	return d, upper, lower
}

// exactDelta is δ(ε) where there is a formula for it: of one round, or without sampling. ok is false where it cancels.
func (s setting) exactDelta(epsilon float64) (delta float64, ok bool) {
	tail := func(x float64) float64 { return math.Erfc(x/math.Sqrt2) / 2 }
	m := 1 / s.multiplier
	if s.rate == 1 {
		m *= math.Sqrt(float64(s.rounds))
	} else if s.rounds > 1 {
		return 0, false
	}
	// P > e^ε·Q beyond z: q·e^(mz−m²/2) = e^ε − (1−q).
	z := (math.Log1p(math.Expm1(epsilon)/s.rate) + m*m/2) / m
	p, q := s.rate*tail(z-m), (math.Expm1(epsilon)+s.rate)*tail(z)
	return p - q, epsilon < 600 && q > 1e-290 && p-q > 1e-4*p
}

// check: the bounds hold against each other, formulas, Rényi's bound, and more noise, rounds or rate.
func (s setting) check(t *testing.T) {
	d, upper, lower := s.epsilon(t)
	if d == nil {
		return
	}
	if delta, ok := s.exactDelta(upper); ok && !(delta <= s.delta*(1+1e-8)) {
		t.Errorf("%+v: ε %v has δ %v", s, upper, delta)
	}
	if delta, ok := s.exactDelta(lower); ok && lower > 0 && !(delta >= s.delta*(1-1e-8)) {
		t.Errorf("%+v: lower ε %v has δ %v", s, lower, delta)
	}
	curve := func(alpha float64) float64 {
		return float64(s.rounds) * renyi.PoissonGaussian(s.rate, s.multiplier, alpha)
	}
	if bound, _ := renyi.Epsilon(curve, s.delta); !(lower <= bound*(1+1e-9)) {
		t.Errorf("%+v: lower ε %v above Rényi's %v", s, lower, bound)
	} else if followed := upper-lower <= 2*small.Tolerance*upper; followed && !(upper <= bound*(1+2*small.Tolerance)) {
		t.Errorf("%+v: ε %v above Rényi's %v", s, upper, bound)
	}
	if !math.IsInf(upper, 1) && upper < 700 {
		if _, low, err := d.Delta(upper); err != nil || !(low <= s.delta*(1+1e-9)) {
			t.Errorf("%+v: δ(%v) is above %v (%v)", s, upper, low, err)
		}
		if high, _, err := d.Delta(lower); err != nil || lower > 0 && !(high >= s.delta*(1-1e-9)) {
			t.Errorf("%+v: δ(%v) is below %v (%v)", s, lower, high, err)
		}
	}
	for _, more := range []setting{
		{math.Min(1, s.rate*1.2), s.multiplier, s.delta, s.rounds},
		{s.rate, s.multiplier, s.delta, s.rounds + s.rounds/5 + 1},
		{s.rate, s.multiplier / 1.2, s.delta, s.rounds},
		{s.rate, s.multiplier, s.delta / 10, s.rounds},
	} {
		if _, above, _ := more.epsilon(t); !(above >= lower) {
			t.Errorf("%+v: ε up to %v, but from %v for %+v", more, above, lower, s)
		}
	}
}

// FuzzEpsilon: a right answer or an error, never NaN, never an underestimate that a formula, Rényi's bound, or a
// smaller setting shows.
func FuzzEpsilon(f *testing.F) {
	for _, x := range [][4]float64{
		{0, 0, 0, 0}, {0.99, 0, 0, 0.99}, {0, 0.3, 0.999, 0.99}, {0.999, 0.999, 0.999, 0.2}, {0.7, 0.2, 0.43, 0.98},
		{0.5, 0.5, 0, 0.9},
		{0.3, 0.1, 0, 0.7}, {0.999, 0.2, 0.1, 0.97}, {0.02, 0.9, 0.7, 0.5},
	} {
		f.Add(x[0], x[1], x[2], x[3])
	}
	f.Fuzz(func(t *testing.T, a, b, c, d float64) { newSetting(a, b, c, d).check(t) })
}
