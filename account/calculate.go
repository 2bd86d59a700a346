package main

import (
	"errors"

	"privpipe/account/internal/accountant"
	"privpipe/account/internal/calculator"
	"privpipe/account/internal/loss"
	"privpipe/account/internal/print"
	"privpipe/pipelines/event"
	"privpipe/pipelines/filter"
)

// answering has the flags of commands that give one answer, by the chosen accountant or by the best one.
type answering struct {
	accountant.Choice
	print.Flags
}

func (answering) Help() string { return calculator.WhichAccountant }

// answer prints the answer about what was released.
func (c *answering) answer(r *filter.Run, released *calculator.Released,
	at func(loss.Profile) (epsilon, delta loss.Bound, err error)) error {
	defer saySlow(r.Log, usual)()
	q, err := ask(released, c.Output)
	if err != nil {
		return err
	}
	found, err := calculator.Best(c.Choice, q.By(at))
	if err != nil {
		return err
	}
	return c.Print(r, found, found.Table)
}

// ask returns the question that the flags pose. It refuses an output that is also the input.
func ask(c *calculator.Released, output string) (*calculator.Question, error) {
	if c.Events != "" {
		if err := keeps(output, c.Events); err != nil {
			return nil, err
		}
	}
	return c.Question()
}

type epsilonCommand struct {
	calculator.Released
	Delta float64 `zero:"" required:"" placeholder:"X" help:"δ of the guarantee."`
	answering
}

func (c *epsilonCommand) Validate() error {
	return errors.Join(c.Check(), accountant.CheckPureDelta(c.Delta))
}

func (c *epsilonCommand) Run(r *filter.Run) error {
	return c.answer(r, &c.Released, accountant.EpsilonAt(c.Delta))
}

type deltaCommand struct {
	calculator.Released
	Epsilon float64 `required:"" placeholder:"X" help:"ε of the guarantee. Above 10 it protects little."`
	answering
}

func (c *deltaCommand) Validate() error {
	return errors.Join(c.Check(), event.CheckEpsilon(c.Epsilon))
}

func (c *deltaCommand) Run(r *filter.Run) error {
	return c.answer(r, &c.Released, accountant.DeltaAt(c.Epsilon))
}
