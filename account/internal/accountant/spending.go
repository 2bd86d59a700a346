package accountant

import (
	"privpipe/account/internal/loss"
	"privpipe/pipelines/event"
)

// EpsilonAt asks for ε at δ.
func EpsilonAt(delta float64) func(loss.Profile) (epsilon, at loss.Bound, err error) {
	return func(p loss.Profile) (loss.Bound, loss.Bound, error) {
		epsilon, err := p.Epsilon(delta)
		return epsilon, loss.Bound{Upper: delta}, err
	}
}

// DeltaAt asks for δ at ε.
func DeltaAt(epsilon float64) func(loss.Profile) (at, delta loss.Bound, err error) {
	return func(p loss.Profile) (loss.Bound, loss.Bound, error) {
		delta, err := p.Delta(epsilon)
		return loss.Bound{Upper: epsilon}, delta, err
	}
}

// An UpperProfile has the upper bounds for the joint loss of charges. Without a bound ε is ∞ and δ is 1.
type UpperProfile interface {
	Epsilon(delta float64) (float64, error) // at δ in [0, 1)
	Delta(epsilon float64) (float64, error) // at ε ≥ 0
}

// A Spending function returns the profile of some of the ledger's charges, in the ledger's order.
type Spending func(charges []*event.Charge) (UpperProfile, error)

// Spending returns the profile of charges. Their losses must add up.
func (a *Accountant) Spending(charges []*event.Charge) (UpperProfile, error) {
	composition, err := Compose(charges)
	if err != nil {
		return nil, err
	}
	return a.Upper(composition.List())
}

// Upper returns the upper bounds for a list of releases.
func (a *Accountant) Upper(l *loss.List) (UpperProfile, error) {
	p, _, err := a.Profile(l)
	if err != nil {
		return nil, a.Refuses(err)
	}
	return UpperOf(p), nil
}

// UpperOf keeps only a profile's upper bounds.
func UpperOf(p loss.Profile) UpperProfile { return upper{p} }

// upper hides all but the upper bounds.
type upper struct{ loss.Profile }

func (p upper) Epsilon(delta float64) (float64, error) {
	bound, err := p.Profile.Epsilon(delta)
	return bound.Upper, err
}

func (p upper) Delta(epsilon float64) (float64, error) {
	bound, err := p.Profile.Delta(epsilon)
	return bound.Upper, err
}
