package progress

import (
	"math"
	"testing"
	"time"
)

// runs gives the pace one value every quarter second until the given second, and returns the last rate.
func runs(p *pace, until float64, value func(seconds float64) int64) (rate float64) {
	for s := 0.0; s <= until; s += 0.25 {
		rate = p.rate(at(s), value(s))
	}
	return rate
}

func TestPace(t *testing.T) {
	steady := func(a float64) func(float64) int64 { return func(s float64) int64 { return int64(a * s) } }
	for name, c := range map[string]struct {
		value           func(seconds float64) int64
		until           float64
		rate, tolerance float64
	}{
		"fast":             {steady(1000), 10, 1000, 1},
		"slow":             {steady(0.1), 100, 0.1, 1e-9},
		"between slow":     {steady(0.1), 109, 0.1, 1e-9},
		"not begun":        {steady(0), 10, 0, 0},
		"one step":         {steady(0.1), 19, 0, 0},
		"two":              {steady(0.1), 20, 0.1, 1e-9},
		"late to begin":    {func(s float64) int64 { return max(0, int64(10*(s-60))) }, 70, 10, 0.5},
		"resumed":          {func(s float64) int64 { return 1e6 + int64(2*s) }, 20, 2, 0.05},
		"faster now":       {func(s float64) int64 { return int64(s + max(0, 99*(s-60))) }, 95, 100, 2},
		"a third as fast":  {func(s float64) int64 { return int64(30*s - max(0, 20*(s-60))) }, 95, 10, 0.2},
		"stopped for long": {func(s float64) int64 { return int64(min(s, 10)) }, 1000, 0, 0.02},
		"it went back":     {func(s float64) int64 { return 100 - int64(s) }, 10, 0, 0},
	} {
		if rate := runs(new(pace), c.until, c.value); math.Abs(rate-c.rate) > c.tolerance {
			t.Errorf("%s: %v a second, want %v", name, rate, c.rate)
		}
	}
}

// TestLeft: what is left goes down with the clock between two steps, never below nothing, and up where a step is late.
func TestLeft(t *testing.T) {
	p := new(pace)
	value := func(s float64) int64 { return int64(min(s, 40) / 10) }
	rate := runs(p, 40, value)
	for _, c := range []struct {
		seconds float64
		want    time.Duration
	}{{40, 60 * time.Second}, {44, 56 * time.Second}, {50, 50 * time.Second}, {70, 70 * time.Second}} {
		rate = p.rate(at(c.seconds), value(c.seconds))
		if left, known := p.left(at(c.seconds), 4, 10, rate); !known || left.Round(time.Second) != c.want {
			t.Errorf("after %v s: %v, %v, want %v", c.seconds, left, known, c.want)
		}
	}
	if left, _ := p.left(at(500), 10, 10, rate); left != 0 {
		t.Errorf("%v are left of nothing", left)
	}
	if _, known := p.left(at(70), 4, 0, rate); known {
		t.Error("it is known what is left of nobody knows how much")
	}
	if _, known := new(pace).left(at(70), 0, 10, 0); known {
		t.Error("it is known what is left before anything is done")
	}
}
