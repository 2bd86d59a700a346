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

// warnOfBudgets warns if a grant with given noise will exceed one of the ledger's budgets. Such a grant does not know
// the budgets.
func (p *Problem) warnOfBudgets(log *slog.Logger, g *event.Grant) error {
	if p.Name == "" || filterOf(p.Ledger) != nil {
		return nil
	}
	before, err := accountant.ComposeDataset(p.Name, p.Ledger, g.Dataset)
	if err != nil {
		return err
	}
	all, err := before.Plan(g)
	if err != nil {
		return exit.Errorf(exit.Usage, "%s: %w", p.Name, err)
	}
	for _, b := range ledgers.Standing(p.Ledger) {
		spent, err := p.Accountant.Upper(all)
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
