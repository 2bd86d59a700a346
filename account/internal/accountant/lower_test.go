package accountant

import (
	"math"
	"testing"

	"privpipe/account/internal/loss"
	"privpipe/account/internal/pld"
	"privpipe/pipelines/event"
)

// A lowered is a list of releases, and what is known of the lower bound of its ε.
type lowered struct {
	list *loss.List
	// share is how much of the upper bound the lower one must be at δ of 1e-6; 0: there is none.
	share float64
	// most is what the lower bound must be below, too: a bound for only this list, or the pair that it is of. nil:
	// none.
	most []pld.Event
}

func listed(adjacency string, nonNegative bool, events ...loss.Release) *loss.List {
	l := &loss.List{Adjacency: adjacency, NonNegative: nonNegative}
	for _, e := range events {
		l.Add(e)
	}
	return l
}

// lists are of every mechanism and sampling.
func lists(t *testing.T) map[string]lowered {
	pair := func(p *pld.Pair, err error) *pld.Pair {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	releases := func(sampling loss.Sampling, rate float64, count int,
		released ...loss.Mechanism) loss.Release {
		return loss.Release{Sampling: sampling, Rate: rate, Released: released, Count: count}
	}
	all := func(count int, released ...loss.Mechanism) loss.Release {
		return releases(loss.All, 0, count, released...)
	}
	gaussian, laplace := loss.Gaussian{Noise: 3, Sensitivity: 1}, loss.Laplace{Scale: 4, Sensitivity: 1}
	apart := releases(loss.Poisson, 0.05, 5, gaussian, gaussian)
	apart.Apart = true
	apartFixed := releases(loss.Fixed, 0.05, 5, gaussian, gaussian)
	apartFixed.Apart = true
	response := loss.RandomizedResponse{Noise: 0.95, Buckets: 1000}
	const add, replace = event.AddRemove, event.ReplaceOne
	disjoint := loss.Release{Released: []loss.Mechanism{gaussian}, Instead: [][]loss.Mechanism{{laplace}},
		Disjoint: true, Count: 1}
	return map[string]lowered{
		"nothing":  {list: listed(add, false)},
		"gaussian": {listed(add, false, all(10, gaussian)), 0.999, nil},
		"laplace":  {listed(add, false, all(10, laplace)), 0.999, nil},
		"pure":     {listed(add, false, all(10, loss.Pure{Epsilon: 0.2})), 0.999, nil},
		"approximate": {listed(add, false,
			all(10, loss.Approximate{Epsilon: 0.2, Delta: 1e-8})), 0.999, nil},
		"concentrated": {listed(add, false, all(10, loss.Concentrated{Rho: 0.01})), 0, nil},
		"discrete gaussian on a number": {listed(add, false,
			all(10, loss.DiscreteGaussian{Variance: 90, Sensitivity: 3})), 0.999, nil},
		"discrete laplace on a number": {listed(add, false,
			all(10, loss.DiscreteLaplace{Scale: 12, Sensitivity: 3})), 0.999, nil},
		"discrete gaussian on cells": {listed(add, false,
			all(10, loss.Gaussian{Noise: 30, Sensitivity: 10, Discrete: true})), 0, nil},
		"discrete laplace on cells": {listed(add, false,
			all(10, loss.Laplace{Scale: 40, Sensitivity: 10, Discrete: true})), 0, nil},
		"gaussian of privatize": {listed(add, false,
			all(10, loss.Gaussian{Noise: 3 << 20, Sensitivity: 1 << 20, Discrete: true})), 0.999, nil},
		"laplace of privatize": {listed(add, false,
			all(10, loss.Laplace{Scale: 4 << 20, Sensitivity: 1 << 20, Discrete: true})), 0.999, nil},
		"randomized response": {listed(replace, false, all(100, response)), 0.999, nil},
		"randomized response of a bit": {listed(replace, false,
			all(10, loss.RandomizedResponse{Noise: 0.8, Buckets: 2})), 0.999, nil},
		"poisson gaussian": {listed(add, false, releases(loss.Poisson, 0.05, 50, gaussian)), 0.999,
			nil},
		"poisson gaussians of one batch": {listed(add, false,
			releases(loss.Poisson, 0.05, 50, gaussian, gaussian)), 0.999, nil},
		"poisson laplace":     {listed(add, false, releases(loss.Poisson, 0.05, 50, laplace)), 0.999, nil},
		"poisson mixed batch": {listed(add, false, releases(loss.Poisson, 0.05, 5, gaussian, laplace)), 0, nil},
		"poisson pure": {listed(add, false, releases(loss.Poisson, 0.05, 50, loss.Pure{Epsilon: 1})),
			0, nil},
		"poisson approximate": {listed(add, false,
			releases(loss.Poisson, 0.05, 50, loss.Approximate{Epsilon: 1, Delta: 1e-9})), 0, nil},
		"poisson apart":   {listed(add, false, apart), 0, nil},
		"disjoint rounds": {listed(add, false, disjoint), 0, nil},
		"fixed gaussian": { // a unit among equal ones
			listed(replace, false, releases(loss.Fixed, 0.05, 50, loss.Gaussian{Noise: 3, Sensitivity: 2})),
			0.8,
			[]pld.Event{{Pair: pair(pld.Gaussian(0.05, 1.5)), Count: 50}},
		},
		"fixed laplace": {listed(replace, false, releases(loss.Fixed, 0.05, 50, laplace)), 0, nil},
		"fixed pure": {listed(replace, false,
			releases(loss.Fixed, 0.05, 50, loss.Pure{Epsilon: 1})), 0, nil},
		"fixed apart": {listed(replace, false, apartFixed), 0, nil},
		"exchanged by a coin": {listed(replace, false,
			releases(loss.Poisson, 0.05, 20, loss.Gaussian{Noise: 2, Sensitivity: 2})), 0.999, nil},
		"orthogonal by a coin": {listed(replace, true,
			releases(loss.Poisson, 0.05, 20, loss.Gaussian{Noise: 2, Sensitivity: math.Sqrt2})), 0.999, nil},
		"exchanged laplace": {listed(replace, false, all(10, loss.Laplace{Scale: 4, Sensitivity: 2})), 0.999,
			nil},
		"laplace, coin, replace": {listed(replace, false, releases(loss.Poisson, 0.05, 5, laplace)), 0, nil},
		"non-negative laplace": { // one coordinate falls, another grows
			listed(replace, true, all(10, loss.Laplace{Scale: 4, Sensitivity: 2})), 0,
			[]pld.Event{{Pair: pair(pld.Laplace(1, 4)), Count: 20}},
		},
		"non-negative gaussian": {listed(replace, true, all(10, loss.Gaussian{Noise: 4, Sensitivity: math.Sqrt2})),
			0.999, nil},
		"non-negative, too far": {
			listed(replace, true, all(10, loss.Gaussian{Noise: 4, Sensitivity: 2})), 0,
			[]pld.Event{{Pair: pair(pld.Gaussian(1, 4/math.Sqrt2)), Count: 10}},
		},
		"some of a list": { // with the whole of what is attained of it
			listed(add, false, all(100, gaussian), releases(loss.Poisson, 0.001, 1, loss.Pure{Epsilon: 0.1})),
			0.9, nil,
		},
		"everything": {
			listed(add, false, all(3, gaussian), all(2, laplace), all(2, loss.Pure{Epsilon: 0.1}),
				releases(loss.Poisson, 0.05, 20, gaussian), releases(loss.Poisson, 0.1, 20, laplace)), 0.999,
			nil,
		},
	}
}

// TestLowerIsBelowAll: the lower bounds of ε and of δ are below the upper bounds of every accountant. A list with a
// known worst case has a lower bound.
func TestLowerIsBelowAll(t *testing.T) {
	for name, c := range lists(t) {
		p, err := c.list.Distribution(Precise)
		if name == "concentrated" {
			if err == nil {
				t.Error("a pair of zCDP")
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		for _, delta := range []float64{1e-2, 1e-6, 1e-10} {
			bound, err := p.Epsilon(delta)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			below(t, name, delta, bound.Lower,
				c.uppers(t, func(p loss.Profile) (loss.Bound, error) { return p.Epsilon(delta) }))
			if delta == 1e-6 && !(bound.Lower >= c.share*bound.Upper && (c.share > 0 || bound.Lower == 0)) {
				t.Errorf("%s: ε from %v to %v, want from %v of it", name, bound.Lower, bound.Upper, c.share)
			}
			if math.IsInf(bound.Upper, 1) {
				continue
			}
			at := bound.Upper * 0.7
			least, err := p.Delta(at)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			below(t, name, at, least.Lower,
				c.uppers(t, func(p loss.Profile) (loss.Bound, error) { return p.Delta(at) }))
		}
	}
}

func below(t *testing.T, name string, at, lower float64, uppers map[string]float64) {
	t.Helper()
	for by, upper := range uppers {
		if !(lower <= upper) {
			t.Errorf("%s at %v: from %v, above the %v of %s", name, at, lower, upper, by)
		}
	}
}

// uppers are the upper bounds of a list by all who have one.
func (c lowered) uppers(t *testing.T, ask func(loss.Profile) (loss.Bound, error)) map[string]float64 {
	t.Helper()
	uppers := make(map[string]float64)
	for _, a := range All {
		p, _, err := a.Profile(c.list)
		if err != nil {
			continue
		}
		bound, err := ask(p)
		if err != nil {
			t.Fatal(err)
		}
		uppers[a.Name] = bound.Upper
	}
	if c.most != nil {
		d, err := pld.New(c.most, Precise)
		if err != nil {
			t.Fatal(err)
		}
		bound, err := ask(only{d})
		if err != nil {
			t.Fatal(err)
		}
		uppers["a pair of its own"] = bound.Upper
	}
	return uppers
}

// only is the profile of a distribution.
type only struct{ *pld.Distribution }

func (p only) Epsilon(delta float64) (loss.Bound, error) {
	upper, _, err := p.Distribution.Epsilon(delta)
	return loss.Bound{Upper: upper}, err
}

func (p only) Delta(epsilon float64) (loss.Bound, error) {
	upper, _, err := p.Distribution.Delta(epsilon)
	return loss.Bound{Upper: upper}, err
}
