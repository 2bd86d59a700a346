package main

import (
	"privpipe/account/internal/compose"
	"privpipe/account/internal/loss"
	"privpipe/pipelines/event"
)

// A profile is what charges have cost together: upper bounds, ∞ and 1 where there are none.
type profile interface {
	Epsilon(delta float64) (float64, error) // at δ in [0, 1)
	Delta(epsilon float64) (float64, error) // at ε > 0
}

// spending returns the profile of some charges of a ledger, in its order.
type spending func(charges []*event.Charge) (profile, error)

// spending returns the profile of charges whose losses add up.
func (a *accountant) spending(charges []*event.Charge) (profile, error) {
	composition, err := compose.New(charges)
	if err != nil {
		return nil, err
	}
	return a.upper(composition.List())
}

// upper returns the upper bounds of a list.
func (a *accountant) upper(l *loss.List) (profile, error) {
	p, _, err := a.profile(l)
	if err != nil {
		return nil, a.refuses(err)
	}
	return upperOf(p), nil
}

// upperOf returns the upper bounds of a profile.
func upperOf(p loss.Profile) profile { return upper{p} }

// upper leaves out all but the upper bounds of a profile.
type upper struct{ loss.Profile }

func (p upper) Epsilon(delta float64) (float64, error) {
	bound, err := p.Profile.Epsilon(delta)
	return bound.Upper, err
}

func (p upper) Delta(epsilon float64) (float64, error) {
	bound, err := p.Profile.Delta(epsilon)
	return bound.Upper, err
}
