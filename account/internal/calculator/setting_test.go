package calculator

import (
	"math"
	"testing"

	"privpipe/account/internal/accountant"
	"privpipe/account/internal/loss"
	"privpipe/account/internal/pld"
	"privpipe/account/internal/renyi"
	"privpipe/pipelines/event"
	"privpipe/pipelines/testkit"
)

// settings are of each sampling and adjacency that has a theorem.
func settings(rate float64, rounds int) []*Setting {
	size, of := uint64(math.Ceil(rate*1e9)), uint64(1e9)
	fixed := event.Scheme{
		Method: event.Fixed, Size: size, Population: of, Rate: float64(size) / float64(of), Rounds: rounds,
		Secret: true,
	}
	poisson := event.Scheme{Method: event.Poisson, Rate: rate, Rounds: rounds, Secret: true}
	all := event.Scheme{Method: event.All, Rate: 1, Rounds: rounds}
	return []*Setting{
		{Scheme: all, Adjacency: event.AddRemove, Sensitivity: 1},
		{Scheme: all, Adjacency: event.ReplaceOne, Sensitivity: 2},
		{Scheme: fixed, Adjacency: event.ReplaceOne, Sensitivity: math.Sqrt2, nonNegative: true},
		{Scheme: poisson, Adjacency: event.AddRemove, Sensitivity: 1},
		{Scheme: poisson, Adjacency: event.ReplaceOne, Sensitivity: math.Sqrt2, nonNegative: true},
		{Scheme: poisson, Adjacency: event.ReplaceOne, Sensitivity: 2},
	}
}

// epsilonOf is what an accountant says of a setting; false where it has no theorem.
func epsilonOf(t *testing.T, a *accountant.Accountant, s *Setting, noise, delta float64) (float64, bool) {
	t.Helper()
	p, _, err := a.Profile(s.list(noise))
	if err != nil {
		return 0, false
	}
	bound, err := p.Epsilon(delta)
	if err != nil {
		t.Fatal(err)
	}
	return bound.Upper, true
}

// TestExtremes: a number that is none never comes out, and no bound is below the exact ε of a single round.
func TestExtremes(t *testing.T) {
	noises := []float64{0.1, 2, 1e4}[:testkit.Repeats(t, "accounting", 1, 3)]
	for _, rate := range []float64{1e-8, 0.05, 1} {
		for _, rounds := range []int{1, 1e7} {
			for _, noise := range noises {
				for _, s := range settings(rate, rounds) {
					extremes(t, s, noise)
				}
			}
		}
	}
}

func extremes(t *testing.T, s *Setting, noise float64) {
	for _, a := range accountant.All {
		if a.Name == "pld" { // package pld has such a test of its own
			a = accountant.Distributions(pld.Options{Tolerance: 1e-2, Cells: 1 << 14})
		}
		last := math.Inf(1)
		for _, delta := range []float64{1e-300, 1e-5} {
			epsilon, ok := epsilonOf(t, a, s, noise, delta)
			if !ok {
				break
			}
			if !(epsilon >= 0) || epsilon > last*(1+1e-3)+1e-12 {
				t.Fatalf("%s of %+v, %v: ε %v at δ %v, %v at a smaller δ", a.Name, *s, noise, epsilon, delta, last)
			}
			if least := round(s, noise, delta); epsilon < least*(1-1e-9)-1e-12 {
				t.Fatalf("%s of %+v, %v: ε %v at δ %v is below the %v of a round", a.Name, *s, noise, epsilon, delta,
					least)
			}
			last = epsilon
		}
	}
}

// round is the exact ε of one round: amplification is exact (Balle, Barthe, Gaboardi 2018, thm. 8 and 9). A unit
// exchanged by a coin is the exception: its ε is not less than the ε of a removed unit.
func round(s *Setting, noise, delta float64) float64 {
	sensitivity := s.Sensitivity
	if s.Scheme.Method == event.Poisson {
		sensitivity = 1
	}
	g := renyi.Guarantee{Delta: min(1, delta/s.Scheme.Rate)}
	g.Epsilon = renyi.GaussianEpsilon(noise/sensitivity, g.Delta)
	return g.Amplified(s.Scheme.Rate).Epsilon
}

// TestInverses: the noise for (ε, δ) has at most ε at δ, and a thousandth less has more; the δ at ε has at most ε.
func TestInverses(t *testing.T) {
	wants := []float64{0.5, 4}[:testkit.Repeats(t, "accounting", 1, 2)]
	for _, s := range settings(0.02, 50) {
		for _, a := range accountant.All {
			if _, ok := epsilonOf(t, a, s, 5, 1e-6); !ok {
				continue
			}
			for _, want := range wants {
				noise, err := s.leastNoise(a, want, 1e-6)
				if err != nil {
					t.Errorf("%s of %+v at ε %v: %v", a.Name, *s, want, err)
					continue
				}
				epsilon, _ := epsilonOf(t, a, s, noise, 1e-6)
				if less, _ := epsilonOf(t, a, s, 0.998*noise, 1e-6); epsilon > want || less <= want {
					t.Errorf("%s of %+v, %v: ε %v, and with less noise %v, want about %v", a.Name, *s, noise, epsilon,
						less, want)
				}
				p, _, err := a.Profile(s.list(noise))
				if err != nil {
					t.Fatal(err)
				}
				delta, err := p.Delta(want)
				if !(delta.Upper > 0 && delta.Upper < 1.01e-6) || err != nil {
					t.Errorf("%s of %+v: δ %v, want at most 1e-6 (%v)", a.Name, *s, delta, err)
				}
				if epsilon, _ := epsilonOf(t, a, s, noise, delta.Upper); epsilon > want*(1+1e-3) {
					t.Errorf("%s of %+v: ε %v at the δ %v of %v", a.Name, *s, epsilon, delta.Upper, want)
				}
			}
		}
	}
}

// TestOrderOfAccountants: what rests on more is not more; nor is any bound below pld's lower one.
func TestOrderOfAccountants(t *testing.T) {
	for _, s := range settings(0.02, 50) {
		for _, noise := range []float64{2, 5, 40} {
			epsilons := make(map[string]float64)
			for _, a := range accountant.All {
				if epsilon, ok := epsilonOf(t, a, s, noise, 1e-6); ok {
					epsilons[a.Name] = epsilon
				}
			}
			for _, pair := range [][2]string{
				{"analytic", "renyi"}, {"analytic", "zcdp"}, {"renyi", "moments"}, {"renyi", "strong"},
				{"pld", "renyi"},
				{"renyi", "zcdp"},
			} {
				better, ok := epsilons[pair[0]]
				if worse, both := epsilons[pair[1]]; ok && both && better > worse*(1+1e-6) {
					t.Errorf("%+v: ε %v by %s, %v by %s", *s, better, pair[0], worse, pair[1])
				}
			}
			p, err := s.list(noise).Distribution(accountant.Precise)
			if err != nil {
				t.Fatal(err)
			}
			bound, err := p.Epsilon(1e-6)
			for name, epsilon := range epsilons {
				if epsilon < bound.Lower || err != nil {
					t.Errorf("%+v: ε %v by %s is below %v (%v)", *s, epsilon, name, bound.Lower, err)
				}
			}
		}
	}
}

// TestMonotone: ε falls with noise and δ, and grows with rounds and rate, by pld and by renyi.
func TestMonotone(t *testing.T) {
	for _, a := range []*accountant.Accountant{accountant.Named("pld"), accountant.Named("renyi")} {
		at := func(s Setting, noise, delta float64) float64 {
			epsilon, ok := epsilonOf(t, a, &s, noise, delta)
			if !ok {
				t.Fatalf("%s has no theorem for %+v", a.Name, s)
			}
			return epsilon
		}
		for _, s := range settings(0.02, 50) {
			if _, ok := epsilonOf(t, a, s, 2, 1e-6); !ok {
				continue
			}
			of, rounds := *s, *s
			rounds.Scheme.Rounds = 60
			base := at(of, 2, 1e-6)
			more := map[string]float64{"less noise": at(of, 1.8, 1e-6), "a smaller δ": at(of, 2, 1e-7),
				"more rounds": at(rounds, 2, 1e-6)}
			if s.Scheme.Method == event.Poisson {
				of.Scheme.Rate = 0.022
				more["a higher rate"] = at(of, 2, 1e-6)
			}
			for what, epsilon := range more {
				if !(epsilon > base) {
					t.Errorf("%s of %+v with %s: ε %v, %v without", a.Name, *s, what, epsilon, base)
				}
			}
		}
	}
}

// TestTheoremsAreNamed: each accountant says what an answer rests on.
func TestTheoremsAreNamed(t *testing.T) {
	for _, s := range settings(0.02, 50) {
		for _, a := range accountant.All {
			if _, theorem, err := a.Profile(s.list(3)); err == nil && theorem == "" {
				t.Errorf("%s of %+v rests on nothing", a.Name, *s)
			}
		}
	}
	bare := &loss.List{Adjacency: event.AddRemove, NoNoise: true}
	for _, a := range []*accountant.Accountant{accountant.Named("pld"), accountant.Named("renyi")} {
		p, theorem, err := a.Profile(bare)
		if err != nil || theorem != "nothing: a release without noise has no bound" {
			t.Errorf("%s: %q, %v", a.Name, theorem, err)
			continue
		}
		if bound, err := p.Epsilon(0.1); !math.IsInf(bound.Upper, 1) || err != nil {
			t.Errorf("%s: ε %v (%v)", a.Name, bound.Upper, err)
		}
	}
}
