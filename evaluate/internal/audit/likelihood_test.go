package audit

import (
	"math"
	"math/rand/v2"
	"testing"

	"privpipe/pipelines/event"
)

// A simulated is a privatizer in memory. It draws noise of one scale around the exact sums at its place. The canary
// moves each cell by factor times the exact difference.
type simulated struct {
	terms  Terms
	place  place
	places []place // of its kind
	random *rand.Rand
	scale  float64 // of the noise, in clips
	factor float64 // of what the canary moves
	spoil  func(cell int, noise float64) float64
}

const simulatedClip = 1 << 20

func (s *simulated) draw(n int) []sample {
	with, without := s.terms.exact(s.place.with), s.terms.exact(s.place.without)
	all := make([]sample, n)
	for i := range all {
		all[i] = sample{with: s.random.Uint64()&1 == 1, cells: make([]int64, len(with))}
		for c, at := range s.terms.layout.cells() {
			noise := s.random.NormFloat64()
			if s.terms.l1() {
				if noise = s.random.ExpFloat64(); s.random.Uint64()&1 == 1 {
					noise = -noise
				}
			} else if at.offDiagonal {
				noise /= math.Sqrt2
			}
			if s.spoil != nil {
				noise = s.spoil(c, noise)
			}
			middle := without[c]
			if all[i].with {
				middle += s.factor * (with[c] - without[c])
			}
			all[i].cells[c] = int64(math.Round(simulatedClip * (middle + s.scale*noise)))
		}
	}
	return all
}

// simulate returns a simulated privatizer that is sound, for a kind and a place of it.
func simulate(t *testing.T, name string, place int, seed uint64) *simulated {
	t.Helper()
	for _, k := range kinds(asked) {
		if k.name == name {
			return &simulated{terms: k.terms, place: k.places[place], places: k.places,
				random: rand.New(rand.NewPCG(seed, 1)), scale: 1, factor: 1}
		}
	}
	t.Fatalf("no case %s", name)
	return nil
}

// errors is the share of wrong guesses of the best threshold of a ratio.
func wrong(samples []sample, ratio func([]int64) float64) float64 {
	r, _ := choose(trials(samples, []reading{{"", ratio}}), []claim{{gaussian: true, loss: 1}}, learningLevel)
	g := r.guess(trials(samples, []reading{{"", ratio}}))
	return float64(g.missed+g.alarms) / float64(len(samples))
}

// TestRatio: under Gaussian noise the likelihood ratio over all cells has the error rate Φ(−1/2). A test with one cell
// that moves by the whole clip has as few errors. Under Laplace noise spread over 23 cells the ratio has about as few
// errors, except for the errors that a bound ε allows. The samples come from a fixed stream. On some other streams the
// rule that proves most takes a threshold far out, and errs more often.
func TestRatio(t *testing.T) {
	const n = 20_000
	gaussian := cumulative(-0.5)
	for _, c := range []struct {
		kind  string
		place int
		want  float64
	}{{"sums", 0, gaussian}, {"sums", 1, gaussian}, {"sums", 2, gaussian}, {"sums", 3, gaussian},
		{"exchanged", 1, cumulative(-1)}} {
		s := simulate(t, c.kind, c.place, 1)
		claimed := s.terms.claimed(s.place, simulatedClip, simulatedClip*s.scale)
		seen := learnt(s.terms.Mechanism, s.draw(n))
		for _, m := range []struct { // in this order, or the stream would not be a fixed one
			name  string
			ratio func([]int64) float64
		}{{"claimed", claimed.ratio}, {"seen", seen.ratio}} {
			if got := wrong(s.draw(n), m.ratio); math.Abs(got-c.want) > 0.02 {
				t.Errorf("%s, canary %s: the ratio that is %s errs in %.4f, want %.4f", c.kind, s.place.name, m.name,
					got, c.want)
			}
		}
	}
	// One cell that moves by the scale: the best guess of Laplace noise errs in exp(−1/2)/2.
	s := simulate(t, "laplace", 0, 2)
	claimed := s.terms.claimed(s.place, simulatedClip, simulatedClip)
	if got, want := wrong(s.draw(n), claimed.ratio), math.Exp(-0.5)/2; math.Abs(got-want) > 0.02 {
		t.Errorf("laplace: errs in %.4f, want %.4f", got, want)
	}
}

// TestLearnt: if a privatizer is not as claimed, its samples tell more than its claim. Here one cell has no noise. A
// side without samples is taken as 0.
func TestLearnt(t *testing.T) {
	for _, name := range []string{"sums", "laplace"} {
		s := simulate(t, name, 1, 3)
		s.spoil = func(cell int, noise float64) float64 {
			if cell == 22 {
				return 0
			}
			return noise
		}
		seen := learnt(s.terms.Mechanism, s.draw(500))
		if got := wrong(s.draw(500), seen.ratio); got != 0 {
			t.Errorf("%s: with a cell without noise the ratio errs in %v", name, got)
		}
	}
	one := learnt(event.Laplace, []sample{{true, []int64{5, -7}}, {true, []int64{5, -7}}})
	if one.with[1] != -7 || one.without[1] != 0 || one.spread[0] != leastSpread {
		t.Errorf("learnt %+v", one)
	}
}

// TestChecks: noise that is a little too small, and sums that are not what is contributed, are seen; a sound privatizer
// passes. At these levels that fails with a probability below 1e-6, and the streams are fixed.
func TestChecks(t *testing.T) {
	const n, alpha = 5000, 1e-6
	for _, c := range []struct {
		name        string
		kind        string
		place       int
		change      func(*simulated)
		noise, sums bool // which check must fail
	}{
		{"sound", "sums", 4, nil, false, false},
		{"sound", "sums", 5, nil, false, false},
		{"sound", "laplace", 3, nil, false, false},
		{"sound", "users", 2, nil, false, false},
		{"noise of 95 %", "sums", 4, func(s *simulated) { s.scale = 0.95 }, true, false},
		{"Laplace noise of 95 %", "laplace", 3, func(s *simulated) { s.scale = 0.95 }, true, false},
		{"more noise", "sums", 4, func(s *simulated) { s.scale = 1.2 }, false, false},
		{"a fourth of the sum", "sums", 5, func(s *simulated) { s.factor = 0.25 }, false, true},
		{"twice the sum", "laplace", 3, func(s *simulated) { s.factor = 2 }, false, true},
		{"an L2 norm in place of L1", "laplace", 1, func(s *simulated) { s.factor = math.Sqrt(23) }, false, true},
		{"√2 of the bound", "sums", 2, func(s *simulated) { s.factor = math.Sqrt2 }, false, true},
		{"less than the bound", "sums", 2, func(s *simulated) { s.factor = 0.5 }, false, false},
		{"no noise in one cell", "sums", 4, func(s *simulated) {
			s.spoil = func(cell int, noise float64) float64 { return noise * float64(min(1, cell)) }
		}, true, false},
	} {
		s := simulate(t, c.kind, c.place, 4)
		m := s.terms.claimed(s.place, simulatedClip, simulatedClip)
		if c.change != nil {
			c.change(s)
		}
		samples := s.draw(n)
		err := checkNoise([]*model{m}, [][]sample{samples}, s.terms.layout.all(), "all cells", alpha)
		if (err != nil) != c.noise {
			t.Errorf("%s, %s: noise: %v", c.name, c.kind, err)
		}
		if err := checkSums(m, samples, s.place.within, alpha); (err != nil) != c.sums {
			t.Errorf("%s, %s: sums: %v", c.name, c.kind, err)
		}
	}
}
