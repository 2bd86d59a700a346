// Package plan completes a grant. It solves for noise, rounds, rate, ε or δ such that a ledger stays within its budget.
package plan

import (
	"context"
	"fmt"
	"log/slog"

	"privpipe/pipelines/event"
	"privpipe/pipelines/exit"
)

// Make returns the grant that the flags ask for.
func (c *Flags) Make(ctx context.Context, log *slog.Logger) (*event.Grant, error) {
	if err := c.readStatistics(ctx); err != nil {
		return nil, err
	}
	if err := c.readBefore(ctx); err != nil {
		return nil, err
	}
	if err := c.check(); err != nil {
		return nil, exit.Errorf(exit.Usage, "%w", err)
	}
	described := c.grant()
	var err error
	if described.Subject, err = c.subject(ctx, log, described.Mechanism); err != nil {
		return nil, err
	}
	p, err := c.problem(ctx, described)
	if err != nil {
		return nil, err
	}
	grant, err := p.Solve()
	if err != nil {
		return nil, err
	}
	if p.Unknown != "" {
		warnOfNoise(log, grant)
	} else if err := p.warnOfBudgets(log, grant); err != nil {
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
