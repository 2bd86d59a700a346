package main

import (
	"math"

	"privpipe/account/internal/compose"
	"privpipe/account/internal/loss"
	"privpipe/pipelines/event"
)

// A profile is what charges have cost together: upper bounds, ∞ and 1 where there are none.
type profile interface {
	Epsilon(delta float64) (float64, error) // at δ in [0, 1)
	Delta(epsilon float64) (float64, error) // at ε > 0
}

// spending returns the profile of the first charges of a ledger, some of them left out perhaps.
type spending func(charges []*event.Charge) (profile, error)

// spending returns that of an accountant.
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
	return upper{p}, nil
}

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

// A budget is what one or several grants of a ledger were planned for.
type budget struct {
	epsilon, delta float64
	from           int // how many charges stand before the first of these grants
}

// budgets returns the budgets of a ledger's grants, each once, in their order.
func budgets(ledger *event.Ledger) (found []budget) {
	known := make(map[event.Limit]bool)
	charges := 0
	for _, line := range ledger.Lines {
		if line.Charge != nil {
			charges++
		}
		if line.Grant == nil {
			continue
		}
		of := event.Limit{Epsilon: line.Grant.Budget.Epsilon, Delta: line.Grant.Budget.Delta}
		if of.Epsilon > 0 && !known[of] {
			known[of] = true
			found = append(found, budget{of.Epsilon, of.Delta, charges})
		}
	}
	return found
}

// shownBudgets is how many budgets a table or a figure has room for: the latest.
const shownBudgets = 4

// left is what is left of a budget.
func (b budget) left(spent profile) (float64, error) {
	epsilon, err := spent.Epsilon(b.delta)
	return math.Max(0, b.epsilon-epsilon), err
}
