package event

import (
	"errors"
	"fmt"
	"math"
)

// The measures of a filter: what the cost of a charge is counted in. Each adds up over releases.
const (
	ZCDP  = "zcdp"  // ρ of zero-concentrated differential privacy
	GDP   = "gdp"   // μ² of Gaussian differential privacy
	Renyi = "renyi" // ε of the Rényi divergence of one order
)

// A Filter is a bound on the sum of the costs of all charges, in a measure that is fixed before the first charge. Settings
// of a charge may then be chosen after earlier releases have been seen, since the sum of the costs is a bound for that too:
//
//   - Rényi divergence of one order: Feldman and Zrnic, Individual Privacy Accounting via a Rényi Filter, NeurIPS 2021,
//     theorem 4.3 (with the same parameters for all units);
//   - zCDP, which is a bound at every order: the same theorem at each of them;
//   - Gaussian differential privacy: Smith and Thakurta, Fully Adaptive Composition for Gaussian Differential Privacy, 2022,
//     theorem 3.1.
//
// No such theorem is known for the best order chosen afterwards, nor for privacy loss distributions. `account plan` works
// the cost of a release out and writes it into the grant; the privatizer only adds up and compares; `account verify` works
// the costs out again.
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

// Spent returns the sum of the costs of all charges of l in the measure of its filter, rounded up; 0 without a filter.
func (l *Ledger) Spent() float64 { return l.tally().spent }

// filtered refuses a charge that would take the sum of all costs above the limit of the ledger's filter. Each release of a
// batch that coins chose is counted by itself, which is a bound only if no other release is of the same batch.
func (t *tally) filtered(g *Grant, c *Charge) error {
	f := t.head.Filter
	if g.Cost == 0 {
		return errors.New("the ledger has a filter, and the grant states no cost: plan it with --ledger")
	}
	if err := t.newBatch(g, c); err != nil {
		return err
	}
	if err := f.covers(g, c); err != nil {
		return err
	}
	if after := spend(t.spent, g.Cost); !(after <= f.Limit) {
		return fmt.Errorf("the charge takes the ledger's filter to %v, its limit is %v", after, f.Limit)
	}
	return nil
}

// covers refuses a cost that is below what the release costs, where that is arithmetic on its noise; and mechanisms that the
// measure does not know. For amplified Rényi divergences and randomized response the grant is trusted, and account verify
// works them out.
func (f *Filter) covers(g *Grant, c *Charge) error {
	least := 0.0
	noise := c.NoiseMultiplier()
	switch {
	case c.Draws != 0:
		return errors.New("a filter does not count draws")
	case c.Mechanism == Select || f.Measure == GDP && c.Mechanism != Gaussian:
		return fmt.Errorf("the filter %s cannot count %s", f.Measure, c.Mechanism)
	case c.Mechanism == Gaussian && f.Measure == ZCDP, c.Mechanism == Laplace && f.Measure == ZCDP:
		// Gaussian noise: Bun and Steinke, Concentrated Differential Privacy, 2016, proposition 1.6. Laplace noise is pure with
		// ε = 1/noise, and ε²/2-zCDP by proposition 1.4.
		least = 1 / (2 * noise * noise)
	case f.Measure == GDP:
		least = 1 / (noise * noise) // Dong, Roth and Su, Gaussian Differential Privacy, 2022, theorem 2.7
	case c.Mechanism == Gaussian && !(sampled(c) && c.Scheme.Secret):
		least = f.Order / (2 * noise * noise) // Mironov, Rényi Differential Privacy, 2017, proposition 7
	}
	if g.Cost < least*(1-1e-9) {
		return fmt.Errorf("the grant says that a release costs %v of the ledger's filter, it costs %v", g.Cost, least)
	}
	return nil
}

// sampled says that coins chose the units of a charge's round anew.
func sampled(c *Charge) bool { return c.Scheme.Method == Poisson || c.Scheme.Method == Fixed }
