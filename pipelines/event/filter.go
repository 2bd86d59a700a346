package event

import (
	"errors"
	"fmt"
	"math"
)

// The measures that a filter may use. A charge's cost is a number in one measure, and costs add up over releases.
const (
	ZCDP  = "zcdp"  // ρ of zero-concentrated differential privacy
	GDP   = "gdp"   // μ² of Gaussian differential privacy
	Renyi = "renyi" // ε of the Rényi divergence of one order
)

// A Filter bounds the sum of the costs of all charges, in a measure that is fixed before the first charge. A charge's
// settings may then depend on earlier releases, because the sum of the costs is also a bound under such a choice:
//
//   - Rényi divergence of one order: Feldman and Zrnic, Individual Privacy Accounting via a Rényi Filter, NeurIPS 2021,
//     theorem 4.3 (with the same parameters for all units);
//   - zCDP, which is a bound at every order: the same theorem at each of them;
//   - Gaussian differential privacy: Smith and Thakurta, Fully Adaptive Composition for Gaussian Differential Privacy,
//     2022, theorem 3.1.
//
// No such theorem is known for an order chosen afterwards, or for privacy loss distributions. `account plan` computes
// the cost of one release and writes it into the grant. The privatizer adds costs and compares the sum with the limit.
// It refuses a grant that states less than leastCost. `account verify` recomputes the costs.
type Filter struct {
	Measure string  `json:"measure"`
	Order   float64 `json:"order,omitempty"` // Renyi only: above 1
	Limit   float64 `json:"limit"`           // the sum of all costs stays at or below it
}

// Check reports the first rule that f breaks.
func (f *Filter) Check() error {
	if err := oneOf("measure of the filter", f.Measure, ZCDP, GDP, Renyi); err != nil {
		return err
	}
	if f.Measure == Renyi && !(f.Order > 1 && f.Order <= math.MaxFloat64) {
		return fmt.Errorf("order of the filter must be above 1, is %v", f.Order)
	}
	if f.Measure != Renyi && f.Order != 0 {
		return errors.New("an order belongs to the filter of measure renyi only")
	}
	return positive("limit of the filter", f.Limit)
}

// spend returns spent + cost, rounded up.
func spend(spent, cost float64) float64 { return math.Nextafter(spent+cost, math.Inf(1)) }

// Spent returns the sum of the costs of all charges in l, in the measure of the ledger's filter, rounded up. It is 0
// without a filter. If a grant states less than leastCost, leastCost counts.
func (l *Ledger) Spent() float64 { return l.Tally(nil).spent }

// filtered refuses a charge that would take the sum of all costs above the filter's limit, and a grant that states less
// than its release costs: see leastCost. It also refuses a second release of a sampled batch, because a release's cost
// is a bound only if the batch has no other release. A ledger that is only read may hold grants that state too little,
// and charges that exceed the limit, and its reader says so.
func (t *Tally) filtered(u *use, c *Charge) error {
	f, g := t.head.Filter, u.grant
	if g.Cost == 0 {
		return errors.New("the ledger has a filter, and the grant states no cost: plan it with --ledger")
	}
	if err := t.newBatch(g, c); err != nil {
		return err
	}
	if err := f.covers(c); err != nil || t.reading {
		return err
	}
	if least := t.leastCost(u, c); g.Cost < least*(1-1e-9) {
		return fmt.Errorf("the grant says that a release costs %v of the ledger's filter, it costs %v", g.Cost, least)
	}
	if after := spend(t.spent, g.Cost); !(after <= f.Limit) {
		return fmt.Errorf("the charge takes the ledger's filter to %v, its limit is %v", after, f.Limit)
	}
	return nil
}

// covers refuses charges that the measure cannot count.
func (f *Filter) covers(c *Charge) error {
	switch {
	case c.Draws != 0:
		return errors.New("a filter does not count draws")
	case c.Mechanism == Select || f.Measure == GDP && c.Mechanism != Gaussian:
		return fmt.Errorf("the filter %s cannot count %s", f.Measure, c.Mechanism)
	}
	return nil
}

// sampled says that fresh coins chose the units for the charge's round.
func sampled(c *Charge) bool { return c.Scheme.Method == Poisson || c.Scheme.Method == Fixed }

// leastCost returns the least that a grant's release costs by the ledger's filter, 0 without one. All charges of one
// grant cost the same.
func (t *Tally) leastCost(u *use, c *Charge) float64 {
	if u.least == 0 && t.head != nil && t.head.Filter != nil && u.grant.Cost > 0 && t.head.Filter.covers(c) == nil {
		u.least = t.head.Filter.leastCost(c)
	}
	return u.least
}
