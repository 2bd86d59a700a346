package calculate

import (
	"errors"

	"privpipe/account/internal/accountant"
	"privpipe/account/internal/calculator"
	"privpipe/account/internal/loss"
	"privpipe/account/internal/print"
	"privpipe/pipelines/event"
	"privpipe/pipelines/filter"
)

// asking has the flags of commands that ask one accountant, or the best one, about what was released.
type asking struct {
	accountant.Choice
	print.Flags
}

func (asking) Help() string { return calculator.WhichAccountant }

func (c *asking) ask(r *filter.Run, about *calculator.Released,
	at func(loss.Profile) (epsilon, delta loss.Bound, err error)) error {
	return answer(r, c.Flags, func() (*calculator.Answer, error) {
		q, err := about.Question(r)
		if err != nil {
			return nil, err
		}
		return calculator.Best(c.Choice, q.By(at))
	})
}

// EpsilonCommand is account epsilon.
type EpsilonCommand struct {
	calculator.Released
	Delta float64 `zero:"" required:"" placeholder:"X" help:"δ of the guarantee."`
	asking
}

// Validate is kong's hook.
func (c *EpsilonCommand) Validate() error {
	return errors.Join(c.Check(), accountant.CheckPureDelta(c.Delta))
}

// Run is kong's hook.
func (c *EpsilonCommand) Run(r *filter.Run) error {
	return c.ask(r, &c.Released, accountant.EpsilonAt(c.Delta))
}

// DeltaCommand is account delta.
type DeltaCommand struct {
	calculator.Released
	Epsilon float64 `required:"" placeholder:"X" help:"ε of the guarantee. Above 10 it protects little."`
	asking
}

// Validate is kong's hook.
func (c *DeltaCommand) Validate() error {
	return errors.Join(c.Check(), event.CheckEpsilon(c.Epsilon))
}

// Run is kong's hook.
func (c *DeltaCommand) Run(r *filter.Run) error {
	return c.ask(r, &c.Released, accountant.DeltaAt(c.Epsilon))
}
