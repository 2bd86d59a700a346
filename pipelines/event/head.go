package event

import (
	"errors"
	"fmt"
)

// A Head is the first line in a ledger: the ledger's identity and its limits. Ledgers that are older than heads have
// none.
type Head struct {
	// ID is 128 bits in hexadecimal, drawn at random when the ledger is created. A grant names its ledger by ID, so
	// that one budget is never spent from two ledgers.
	ID string `json:"id"`
	// Budget is the most that all charges together may cost. If it is nil, only the grants limit the cost.
	Budget *Limit `json:"budget,omitempty"`
	// Filter bounds the cost of charges, so that their settings may depend on earlier releases. If it is nil, settings
	// must not.
	Filter *Filter `json:"filter,omitempty"`
	// DisjointDatasets says that data sets with different names share no unit, and that a unit's data set does not
	// depend on other units. It is taken on trust. Only releases from a unit's own data set then add to its loss: see
	// claim.md.
	DisjointDatasets bool `json:"disjoint_datasets,omitempty"`
}

// A Limit is a pair (ε, δ).
type Limit struct {
	Epsilon float64 `json:"epsilon"`
	Delta   float64 `json:"delta,omitempty"` // 0: only pure mechanisms may be charged
}

// headIDBytes is the number of bytes in a ledger's identity.
const headIDBytes = 16

// Check reports the first rule that h breaks.
func (h *Head) Check() error {
	if err := checkHex("id of the ledger", h.ID, headIDBytes); err != nil {
		return err
	}
	if h.Budget != nil {
		if err := h.Budget.Check(); err != nil {
			return fmt.Errorf("budget of the ledger: %w", err)
		}
	}
	if h.DisjointDatasets && (h.Budget == nil || h.Filter != nil) {
		// Grants without a budget may release a batch again, and no plan counts that. A filter adds up the costs of all
		// data sets.
		return errors.New("data sets that share no unit need a budget of the ledger, and no filter")
	}
	if h.Filter != nil {
		if h.Budget == nil {
			return errors.New("a filter needs the budget that its limit was worked out for")
		}
		return h.Filter.Check()
	}
	return nil
}

// Check reports the first rule that l breaks.
func (l Limit) Check() error {
	if err := CheckEpsilon(l.Epsilon); err != nil {
		return err
	}
	if l.Delta == 0 {
		return nil
	}
	return CheckDelta(l.Delta)
}

// Head returns the head of l, nil for a ledger without one.
func (l *Ledger) Head() *Head {
	if len(l.Lines) == 0 {
		return nil
	}
	return l.Lines[0].Head
}

// CheckBegun refuses a ledger without a line: only `account ledger new` creates ledgers.
func (l *Ledger) CheckBegun() error {
	if len(l.Lines) == 0 {
		return errors.New("empty, so it is no ledger: if no run has charged it, remove it, and account ledger new " +
			"makes one")
	}
	return nil
}
