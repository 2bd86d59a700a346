package pld

import (
	"errors"
	"math"
	"testing"
)

// TestLeastNoise: what is returned holds, a little less does not, and few distributions are worked out.
func TestLeastNoise(t *testing.T) {
	for _, x := range []struct {
		epsilon, delta, rate float64
		rounds               int
	}{
		{1, 1e-5, 0.01, 1000}, {0.1, 1e-6, 0.05, 60}, {8, 1e-5, 0.3, 20}, {100, 1e-6, 0.05, 60},
		{1, 1e-6, 1, 60}, {1e-3, 1e-10, 1e-3, 10},
	} {
		built := 0
		build := func(noise float64) ([]Event, error) {
			built++
			p, err := Gaussian(x.rate, noise)
			return []Event{{p, x.rounds}}, err
		}
		upper := func(noise float64) float64 {
			d := distribution(t, Event{pair(Gaussian(x.rate, noise)), x.rounds})
			upper, err := d.UpperEpsilon(x.delta)
			if err != nil {
				t.Fatal(err)
			}
			return upper
		}
		noise, err := LeastNoise(x.epsilon, x.delta, 0.02, 1e8, Options{}, build)
		if err != nil || upper(noise) > x.epsilon || upper(noise*(1-5e-6)) <= x.epsilon || built > 30 {
			t.Errorf("%+v: noise %v of ε %v, with %d distributions (%v)", x, noise, upper(noise), built, err)
		}
	}
}

// TestLeastNoiseOfAllocation: rough pairs only guess. The exact pair proves the returned noise, and not a little less.
// Few exact pairs are worked out: they take long.
func TestLeastNoiseOfAllocation(t *testing.T) {
	for _, x := range []struct {
		epsilon, delta float64
		rounds, epochs int
	}{{1, 1e-6, 20, 1}, {0.2, 1e-8, 3, 2}, {6, 1e-4, 50, 1}} {
		var exact int
		counted := func(p *Pair) *Pair {
			counting := *p
			counting.exact = func() *Pair { exact++; return p.exact() }
			return &counting
		}
		build := func(noise float64) ([]Event, error) {
			p, err := GaussianAllocation(x.rounds, noise)
			return []Event{{counted(p), x.epochs}}, err
		}
		upper := func(noise float64) float64 {
			d := distribution(t, Event{pair(GaussianAllocation(x.rounds, noise)), x.epochs})
			upper, err := d.UpperEpsilon(x.delta)
			if err != nil {
				t.Fatal(err)
			}
			return upper
		}
		noise, err := LeastNoise(x.epsilon, x.delta, 0.1, 1e6, Options{}, build)
		// Grids change with noise, and ε with them by some millionths.
		if err != nil || upper(noise) > x.epsilon || upper(noise*(1-2e-5)) <= x.epsilon || exact > 9 {
			t.Errorf("%+v: noise %v of ε %v, with %d exact pairs (%v)", x, noise, upper(noise), exact, err)
		}
	}
	if _, err := LeastNoise(1e-3, 1e-6, 0.1, 0.5, Options{}, func(noise float64) ([]Event, error) {
		p, err := GaussianAllocation(20, noise)
		return []Event{{p, 1}}, err
	}); !errors.Is(err, ErrNoise) {
		t.Errorf("high is not enough: %v", err)
	}
}

// TestLeastNoiseEnds: the ends of the range, and errors.
func TestLeastNoiseEnds(t *testing.T) {
	build := func(noise float64) ([]Event, error) {
		p, err := Laplace(1, noise)
		return []Event{{p, 1}}, err
	}
	if noise, err := LeastNoise(1, 1e-6, 5, 10, Options{}, build); noise != 5 || err != nil {
		t.Errorf("low is enough: %v, %v", noise, err)
	}
	if _, err := LeastNoise(1, 1e-6, 0.1, 0.5, Options{}, build); !errors.Is(err, ErrNoise) {
		t.Errorf("high is not enough: %v", err)
	}
	if noise, err := LeastNoise(1, 1e-9, 0.1, 10, Options{}, build); err != nil || math.Abs(noise-1) > 1e-3 {
		t.Errorf("Laplace noise of ε = 1: %v, %v", noise, err)
	}
	failure := errors.New("failure")
	failing := func(float64) ([]Event, error) { return nil, failure }
	if _, err := LeastNoise(1, 1e-6, 1, 2, Options{}, failing); !errors.Is(err, failure) {
		t.Errorf("a builder's error: %v", err)
	}
	for _, x := range [][4]float64{
		{0, 1e-6, 1, 2}, {1, 0, 1, 2}, {1, 1, 1, 2}, {1, 1e-6, 2, 1}, {1, 1e-6, 0, 1},
		{math.NaN(), 1e-6, 1, 2},
	} {
		if _, err := LeastNoise(x[0], x[1], x[2], x[3], Options{}, build); err == nil {
			t.Errorf("%v: no error", x)
		}
	}
}

// TestNoNoiseIsEnough: where even the most noise has no finite ε, or no number, the search ends.
func TestNoNoiseIsEnough(t *testing.T) {
	told := pair(Approximate(0, 1e-5)) // more than δ
	build := func(noise float64) ([]Event, error) {
		p, err := Gaussian(1, noise)
		return []Event{{p, 1}, {told, 1}}, err
	}
	for _, high := range []float64{2, 5, 50, 1e5, 1e7, 1e8} {
		if _, err := LeastNoise(1, 1e-6, 0.02, high, Options{}, build); !errors.Is(err, ErrNoise) {
			t.Errorf("up to noise %v: %v", high, err)
		}
	}
	nan := func(float64) (float64, error) { return math.NaN(), nil }
	if x, _, err := crossing(0, 1, 0, -1.5, 1e-6, nan); err == nil {
		t.Errorf("no number crosses at %v", x)
	}
}

// TestNoNoiseIsNeeded: where all noise in range has an ε of 0, as the units hardly ever take part, the least is
// returned, and soon.
func TestNoNoiseIsNeeded(t *testing.T) {
	for _, low := range []float64{0.02, 0.025, 1. / 3, 1} {
		built := 0
		build := func(noise float64) ([]Event, error) {
			built++
			p, err := Gaussian(0.01, noise)
			return []Event{{p, 1}}, err
		}
		if noise, err := LeastNoise(1e-6, 0.05, low, 1e8, Options{}, build); noise != low || err != nil || built > 10 {
			t.Errorf("noise %v, of at least %v, with %d distributions (%v)", noise, low, built, err)
		}
	}
	// A step next to either end.
	for _, step := range []float64{1e-9, 1 - 1e-9} {
		asked := 0
		f := func(x float64) (float64, error) {
			asked++
			if asked > 200 {
				t.Fatalf("a step at %v is not found", step)
			}
			return 1 - 2*math.Round(x+0.5-step), nil
		}
		if x, _, err := crossing(0, 1, 0.5, -1.5, 1e-6, f); !(x >= step && x <= step+1e-6) || err != nil {
			t.Errorf("a step at %v: %v (%v)", step, x, err)
		}
	}
}
