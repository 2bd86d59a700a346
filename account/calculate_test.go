package main

import (
	"math"
	"testing"

	"privpipe/pipelines/event"
)

// settings are problems without noise, of each sampling and adjacency that has a theorem.
func settings(rate float64, rounds int) []*problem {
	size, of := uint64(math.Ceil(rate*1e9)), uint64(1e9)
	fixed := event.Scheme{
		Method: event.Fixed, Size: size, Population: of, Rate: float64(size) / float64(of), Rounds: rounds, Secret: true,
	}
	all := event.Scheme{Method: event.All, Rate: 1, Rounds: rounds}
	return []*problem{
		{scheme: all, adjacency: event.AddRemove, sensitivity: 1},
		{scheme: all, adjacency: event.ReplaceOne, sensitivity: 2},
		{scheme: fixed, adjacency: event.ReplaceOne, sensitivity: math.Sqrt2},
		{
			scheme:    event.Scheme{Method: event.Poisson, Rate: rate, Rounds: rounds, Secret: true},
			adjacency: event.AddRemove, sensitivity: 1,
		},
	}
}

// TestExtremes: a number that is none never comes out, and no bound is below the exact ε of a single round.
func TestExtremes(t *testing.T) {
	for _, rate := range []float64{1e-8, 0.05, 1} {
		for _, rounds := range []int{1, 1e7} {
			for _, noise := range []float64{0.1, 2, 1e4} {
				for _, p := range settings(rate, rounds) {
					p.noise = noise
					p.extremes(t)
				}
			}
		}
	}
}

func (p *problem) extremes(t *testing.T) {
	once := *p
	once.scheme.Rounds = 1
	for _, a := range accountants {
		if _, err := a.proves(p); err != nil {
			continue
		}
		last := math.Inf(1)
		for _, delta := range []float64{1e-300, 1e-5} {
			epsilon := a.epsilon(p, delta)
			if !(epsilon >= 0) || epsilon > last*(1+1e-9)+1e-12 {
				t.Fatalf("%s of %+v: ε %v at δ %v, %v at a smaller δ", a.name, *p, epsilon, delta, last)
			}
			// Amplification is exact for one round (Balle, Barthe, Gaboardi 2018, thm. 8 and 9).
			if least := once.amplifiedRound(delta).Epsilon; epsilon < least*(1-1e-9)-1e-12 {
				t.Fatalf("%s of %+v: ε %v at δ %v is below the %v of a round", a.name, *p, epsilon, delta, least)
			}
			last = epsilon
		}
	}
	for _, row := range p.claims(1e-5) {
		if !(*row.Epsilon >= 0) {
			t.Fatalf("%s of %+v: ε %v", row.Accountant, *p, *row.Epsilon)
		}
	}
}

// TestInverses: the noise for (ε, δ) has at most ε at δ, and a thousandth less has more; the δ at ε has at most ε.
func TestInverses(t *testing.T) {
	for _, p := range settings(0.02, 50) {
		for _, a := range accountants {
			if _, err := a.proves(p); err != nil {
				continue
			}
			for _, want := range []float64{0.5, 4} {
				solved, err := p.solve(a, want, 1e-6)
				if err != nil {
					t.Errorf("%s of %+v at ε %v: %v", a.name, *p, want, err)
					continue
				}
				if epsilon := a.epsilon(solved, 1e-6); epsilon > want {
					t.Errorf("%s of %+v: ε %v, want at most %v", a.name, *solved, epsilon, want)
				}
				less := *solved
				less.noise *= 0.999
				if epsilon := a.epsilon(&less, 1e-6); epsilon <= want {
					t.Errorf("%s of %+v: ε %v with less noise, want more than %v", a.name, less, epsilon, want)
				}
				delta := a.deltaAt(solved, want)
				if !(delta > 0 && delta < 1.0001e-6) {
					t.Errorf("%s of %+v: δ %v, want at most 1e-6", a.name, *solved, delta)
				}
				if epsilon := a.epsilon(solved, delta); epsilon > want*(1+1e-6) {
					t.Errorf("%s of %+v: ε %v at the δ %v of %v", a.name, *solved, epsilon, delta, want)
				}
			}
		}
	}
}

// TestOrderOfAccountants: what rests on more is not more.
func TestOrderOfAccountants(t *testing.T) {
	for _, p := range settings(0.02, 50) {
		for _, p.noise = range []float64{2, 5, 40} {
			epsilons := make(map[string]float64)
			for _, a := range accountants {
				if _, err := a.proves(p); err == nil {
					epsilons[a.name] = a.epsilon(p, 1e-6)
				}
			}
			for _, pair := range [][2]string{
				{"analytic", "renyi"}, {"analytic", "zcdp"}, {"renyi", "moments"}, {"renyi", "strong"},
			} {
				better, ok := epsilons[pair[0]]
				if worse, both := epsilons[pair[1]]; ok && both && better > worse*(1+1e-6) {
					t.Errorf("%+v: ε %v by %s, %v by %s", *p, better, pair[0], worse, pair[1])
				}
			}
		}
	}
}
