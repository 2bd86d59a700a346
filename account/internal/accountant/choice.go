package accountant

import (
	"fmt"

	"privpipe/account/internal/loss"
	"privpipe/pipelines/event"
)

// Choice is the flag that chooses an accountant.
type Choice struct {
	Accountant string `enum:"tightest,pld,renyi,rdp,analytic,zcdp,moments,moments-32,strong,linear" default:"tightest" help:"Use this accountant, one of ${enum}. rdp is renyi."`
}

// Chosen returns the chosen accountant, or all of them.
func (c Choice) Chosen() []*Accountant {
	if c.Accountant == "tightest" {
		return All
	}
	return []*Accountant{Named(c.Accountant)}
}

// LedgerChoice is the flag that chooses an accountant for a ledger.
type LedgerChoice struct {
	Accountant string `enum:"pld,renyi,rdp,analytic,zcdp,moments,moments-32" default:"pld" help:"Use this accountant, one of ${enum}. It must have a theorem for the ledger. rdp is renyi."`
}

func (c LedgerChoice) Chosen() *Accountant { return Named(c.Accountant).OfLedger() }

// Spending returns the function that bounds the loss of some charges of the ledger, by the chosen accountant.
func (c LedgerChoice) Spending(ledger *event.Ledger) Spending {
	return func(charges []*event.Charge) (UpperProfile, error) {
		p, err := c.Largest(SplitByDataset(ledger, charges))
		return UpperOf(p), err
	}
}

// Largest returns the chosen accountant's bound on a unit's loss, if each unit is in one group only: the largest over
// the groups.
func (c LedgerChoice) Largest(groups []DatasetCharges) (loss.Profile, error) {
	var of []loss.Profile
	for _, group := range groups {
		composition, err := Compose(group.Charges)
		if err != nil {
			return nil, err
		}
		p, _, err := c.Profile(composition.List())
		if err != nil {
			return nil, err
		}
		of = append(of, p)
	}
	return loss.Largest(of), nil
}

// Profile returns the chosen accountant's bound, and the theorem behind it.
func (c LedgerChoice) Profile(l *loss.List) (loss.Profile, string, error) {
	a := c.Chosen()
	p, theorem, err := a.Profile(l)
	if err != nil {
		err = a.Refuses(err)
	}
	return p, theorem, err
}

// CheckDelta also refuses subnormal numbers, below 2^-1022.
func CheckDelta(delta float64) error {
	if delta > 0 && delta < LeastDelta {
		return fmt.Errorf("delta must be at least %.4g, is %v", LeastDelta, delta)
	}
	return event.CheckDelta(delta)
}

// CheckPureDelta accepts 0, too, which asks for a pure ε.
func CheckPureDelta(delta float64) error {
	if delta == 0 {
		return nil
	}
	return CheckDelta(delta)
}

// LeastDelta is the smallest normal float64. Smaller numbers have fewer digits.
const LeastDelta = 0x1p-1022
