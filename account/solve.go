package main

import (
	"errors"
	"io/fs"
	"math"
	"slices"

	"privpipe/account/internal/compose"
	"privpipe/account/internal/renyi"
	"privpipe/pipelines/endpoint"
	"privpipe/pipelines/event"
	"privpipe/pipelines/exit"
)

// thresholdShare is the part of δ that pays for the threshold of event.Select; the noise has the rest.
const thresholdShare = 0.1

// solve sets the least noise that keeps the ledger and this plan within the budget, and the budget.
func (c *planCommand) solve(grant *event.Grant) error {
	ledger, before, err := c.spentBefore()
	if err != nil {
		return err
	}
	low, high, err := c.extent(grant)
	if err != nil {
		return err
	}
	// spent is the ε of all with noise x. It is that of the integers that the releases will be charged, so many x have one.
	known := make(map[float64]float64)
	spent := func(x float64) (float64, error) {
		c.set(grant, x)
		onGrid := max(grant.NoiseMultiplier, grant.Flip)
		if epsilon, ok := known[onGrid]; ok {
			return epsilon, nil
		}
		all, err := before.Plan(grant)
		if err != nil {
			return 0, exit.Errorf(exit.Usage, "%s is of adjacency %s and unit %s: %w",
				c.Ledger, before.Adjacency, before.Unit, err)
		}
		epsilon, _ := all.Epsilon(c.Delta)
		known[onGrid] = epsilon
		return epsilon, nil
	}
	epsilon, err := spent(high)
	if err != nil {
		return err
	}
	if epsilon > c.Epsilon {
		return c.tooMuch(before, grant, epsilon)
	}
	// Bisection on a scale of logarithms, with the budget kept at high.
	for high/low > 1+1e-9 {
		middle := math.Sqrt(low * high)
		if epsilon, err = spent(middle); err != nil {
			return err
		}
		if epsilon <= c.Epsilon {
			high = middle
		} else {
			low = middle
		}
	}
	c.set(grant, high)
	grant.Budget = event.Budget{Epsilon: c.Epsilon, Delta: c.Delta, Accountant: "renyi", After: ledger.LastHash()}
	return nil
}

// tooMuch says why even with the most noise, which grant has, ε is above what it may be.
func (c *planCommand) tooMuch(before *compose.Composition, grant *event.Grant, epsilon float64) error {
	already, _ := before.Loss().Epsilon(c.Delta)
	switch {
	case c.Delta == 0 && math.IsInf(already, 1) && !before.None:
		return exit.Errorf(exit.Usage, "--delta is needed: not all mechanisms of %s are pure", c.Ledger)
	case already >= c.Epsilon:
		return exit.Errorf(exit.Refused, "the ledger has spent ε %s: no noise keeps it within %v", roundUp(already), c.Epsilon)
	case c.Threshold != 0:
		return exit.Errorf(exit.Usage, "--threshold %v is too low: more noise than %.4g lifts words of one unit over it, "+
			"and with that much ε is %s", c.Threshold, grant.NoiseMultiplier, roundUp(epsilon))
	}
	return exit.Errorf(exit.Refused, "the largest noise of %s does not reach ε %v at δ %v: with it ε is %s, "+
		"and %s without this plan", grant.Mechanism, c.Epsilon, c.Delta, roundUp(epsilon), roundUp(already))
}

// spentBefore reads the ledger, if there is one.
func (c *planCommand) spentBefore() (*event.Ledger, *compose.Composition, error) {
	ledger := new(event.Ledger)
	if c.Ledger != "" {
		read, err := readLedger(c.Ledger)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, nil, err
		}
		if read != nil {
			ledger = read
		}
	}
	before, err := composed(c.Ledger, ledger)
	return ledger, before, err
}

// extent returns the least and the most noise to try.
func (c *planCommand) extent(g *event.Grant) (low, high float64, err error) {
	if g.Mechanism == event.RandomizedResponse {
		return 1.0 / event.FlipSteps, 0.5, nil
	}
	low, high = 1.0/1024, 1<<20 // the privatizer's largest multiplier
	if c.Threshold == 0 {
		return low, high, nil
	}
	// More noise lifts more words over a given threshold: the most that its share of δ allows.
	pays := func(x float64) bool {
		c.set(g, x)
		return compose.StrayWord(g.Charge(1, g.Scheme)) <= thresholdShare*c.Delta
	}
	if !pays(low) {
		return 0, 0, exit.Errorf(exit.Usage, "--threshold %v is too low: with any noise it releases a unit's own word with a "+
			"probability above a tenth of δ", c.Threshold)
	}
	enough := low
	for high/enough > 1+1e-9 {
		if middle := math.Sqrt(enough * high); pays(middle) {
			enough = middle
		} else {
			high = middle
		}
	}
	return low, enough, nil
}

// set gives a grant noise x, rounded up to the grid: the noise multiplier, or the probability that a bit is reported
// wrong. For event.Select the threshold follows from it, if it is not given.
func (c *planCommand) set(g *event.Grant, x float64) {
	if g.Mechanism == event.RandomizedResponse {
		g.Flip = math.Ceil(x*event.FlipSteps) / event.FlipSteps
		return
	}
	g.NoiseMultiplier = x
	bound, scale := g.Steps()
	g.NoiseMultiplier = float64(scale) / float64(bound)
	if g.Mechanism == event.Select && c.Threshold == 0 {
		bound, scale = g.Steps()
		g.Threshold = float64(leastThreshold(bound, scale, g.MaxWords, thresholdShare*c.Delta)) / float64(bound)
	}
}

// leastThreshold returns the least threshold, in steps, that a unit's own words reach with a probability of at most
// share; for a share below 1e-290 one that they reach with less than that.
func leastThreshold(bound, scale uint64, words int, share float64) uint64 {
	low, high := uint64(0), bound+40*scale+2 // beyond 40σ every tail is 0 but for its rounding up
	for high-low > 1 {
		middle := low + (high-low)/2
		if renyi.StrayWord(bound, scale, middle, words) <= share {
			high = middle
		} else {
			low = middle
		}
	}
	return high
}

// readLedger reads and verifies a ledger.
func readLedger(name string) (*event.Ledger, error) {
	in, err := endpoint.Open(name)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	return event.ReadLedger(in, in.Name)
}

// composed composes the charges of a ledger. The error for one that does not fit those before it names its line.
func composed(name string, ledger *event.Ledger) (*compose.Composition, error) {
	composition, err := compose.New(ledger.Charges())
	var misfit *compose.ChargeError
	if errors.As(err, &misfit) {
		line := slices.IndexFunc(ledger.Lines, func(l *event.Line) bool { return l.Charge == misfit.Charge })
		return nil, &event.LedgerError{Name: name, Line: line + 1, Err: err}
	}
	return composition, err
}
