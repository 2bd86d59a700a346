package plan

import (
	"context"
	"errors"
	"io/fs"

	"privpipe/account/internal/ledgers"
	"privpipe/pipelines/exit"
)

// readBefore reads the ledger, if one is named. The budget in its head is the default for --epsilon and --delta.
func (c *Flags) readBefore(ctx context.Context) error {
	if c.Ledger == "" {
		return nil
	}
	ledger, err := ledgers.Read(ctx, c.Ledger)
	if errors.Is(err, fs.ErrNotExist) {
		return exit.Errorf(exit.Missing, "%w", err).WithHint("account ledger new makes a ledger")
	}
	if err != nil {
		return err
	}
	for _, line := range ledger.Lines {
		if line.Grant != nil && line.Grant.ID == c.ID {
			return exit.Errorf(exit.Usage, "--id %s: %s has a grant of this name", c.ID, c.Ledger)
		}
	}
	c.ledger = *ledger
	c.assumeBudget()
	return nil
}

// assumeBudget takes missing flags from the ledger's own budget. With --more, a planned budget can give the δ, too.
func (c *Flags) assumeBudget() {
	b := ledgers.Total(&c.ledger)
	own := b != nil && b.Grant == ""
	given := c.NoiseMultiplier != nil || c.Flip != nil
	if b == nil || b.Filter != nil || c.More == 0 && (!own || c.Solve != "") {
		return
	}
	if c.Epsilon == 0 && own && (c.More != 0 || !given) {
		c.Epsilon = b.Epsilon
	}
	if c.Delta == 0 && (c.More != 0 || !(c.Epsilon != 0 && given)) {
		c.Delta = b.Delta
	}
}
