package calculate

import (
	"privpipe/account/internal/papers"
	"privpipe/account/internal/print"
	"privpipe/pipelines/exit"
	"privpipe/pipelines/filter"
)

// EfficiencyCommand is account efficiency.
type EfficiencyCommand struct {
	papers.Efficiency
	print.Flags
}

// Run is kong's hook.
func (c *EfficiencyCommand) Run(r *filter.Run) error {
	return answer(r, c.Flags, refusing("efficiency", c.Answer))
}

// GibbsCommand is account gibbs.
type GibbsCommand struct {
	papers.Gibbs
	print.Flags
}

// Run is kong's hook.
func (c *GibbsCommand) Run(r *filter.Run) error { return answer(r, c.Flags, refusing("gibbs", c.Rows)) }

// refusing makes an error of find one of wrong usage, since no other errors can arise.
func refusing[A any](command string, find func() (A, error)) func() (A, error) {
	return func() (A, error) {
		found, err := find()
		if err != nil {
			err = exit.Errorf(exit.Usage, "%s: %w", command, err)
		}
		return found, err
	}
}
