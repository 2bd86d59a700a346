// Package plan completes a grant. It solves for noise, rounds, rate, ε or δ such that a ledger stays within its budget.
package plan

import (
	"fmt"
	"log/slog"

	"privpipe/account/internal/accountant"
	"privpipe/account/internal/ledgers"
	"privpipe/pipelines/event"
	"privpipe/pipelines/exit"
	"privpipe/pipelines/rounded"
)

// Make returns the grant that the flags ask for.
func (c *Flags) Make(log *slog.Logger) (*event.Grant, error) {
	if err := c.readStatistics(); err != nil {
		return nil, err
	}
	if err := c.readBefore(); err != nil {
		return nil, err
	}
	if err := c.check(); err != nil {
		return nil, exit.Errorf(exit.Usage, "%w", err)
	}
	grant := c.grant()
	var err error
	if grant.Subject, err = c.subject(log, grant.Mechanism); err != nil {
		return nil, err
	}
	switch {
	case c.filter() != nil:
		err = c.solveFiltered(grant)
	case c.unknown() != "":
		err = c.solve(grant)
	}
	if err != nil {
		return nil, err
	}
	if c.unknown() != "" {
		warnOfNoise(log, grant)
	}
	if err := c.warnOfBudgets(log, grant); err != nil {
		return nil, err
	}
	if weak := event.ProtectsLittle(grant.Budget.Epsilon); weak != "" {
		log.Warn(weak)
	}
	if c.Delta > 1e-3 {
		log.Warn("δ is large: a mechanism with this δ may reveal a unit completely with probability δ", "delta",
			c.Delta)
	}
	if err := grant.Check(); err != nil {
		return nil, exit.Errorf(exit.Usage, "%w", err)
	}
	if err := grant.Usable(); err != nil {
		log.Warn(fmt.Sprintf("privatize will refuse this grant: %v", err))
	}
	return grant, nil
}

// warnOfBudgets warns if a grant with given noise will exceed one of the ledger's budgets. Such a grant does not know
// the budgets.
func (c *Flags) warnOfBudgets(log *slog.Logger, g *event.Grant) error {
	if c.Ledger == "" || c.unknown() != "" || c.filter() != nil {
		return nil
	}
	before, err := accountant.ComposeDataset(c.Ledger, &c.ledger, c.Dataset)
	if err != nil {
		return err
	}
	all, err := before.Plan(g)
	if err != nil {
		return exit.Errorf(exit.Usage, "%s: %w", c.Ledger, err)
	}
	for _, b := range ledgers.Standing(&c.ledger) {
		spent, err := c.accountant().Upper(all)
		if err != nil {
			return err
		}
		epsilon, err := spent.Epsilon(b.Delta)
		if err != nil {
			return err
		}
		if epsilon > b.Epsilon {
			log.Warn(fmt.Sprintf("this grant takes the ledger to ε %s at δ %v, past its budget of %v",
				rounded.Up(epsilon), b.Delta, b.Epsilon))
		}
	}
	return nil
}

// warnOfNoise warns that a budget is almost spent.
func warnOfNoise(log *slog.Logger, g *event.Grant) {
	const message = "hardly anything is left of ε: the noise will drown the data"
	switch {
	case g.NoiseMultiplier > 200:
		log.Warn(message, "noise multiplier", fmt.Sprintf("%.0f", g.NoiseMultiplier))
	case g.Flip > 0.499:
		log.Warn(message, "flip", fmt.Sprintf("%.6f", g.Flip))
	}
}
