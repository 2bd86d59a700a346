package main

import (
	"errors"

	"privpipe/account/internal/accountant"
	"privpipe/account/internal/calculator"
	"privpipe/account/internal/print"
	"privpipe/pipelines/filter"
)

type epsilonCommand struct {
	calculator.Released
	Delta float64 `required:"" placeholder:"X" help:"δ of the guarantee."`
	accountant.Choice
	print.Flags
}

func (epsilonCommand) Help() string { return calculator.WhichAccountant }

func (c *epsilonCommand) Validate() error {
	return errors.Join(c.Check(), accountant.CheckPureDelta(c.Delta))
}

func (c *epsilonCommand) Run(r *filter.Run) error {
	q, err := ask(&c.Released, c.Output)
	if err != nil {
		return err
	}
	found, err := calculator.Best(c.Choice, q.By(accountant.EpsilonAt(c.Delta)))
	return printAnswer(r, c.Flags, found, err)
}

// ask returns the question of flags, whose answer goes to output.
func ask(c *calculator.Released, output string) (*calculator.Question, error) {
	if c.Events != "" {
		if err := keeps(output, c.Events); err != nil {
			return nil, err
		}
	}
	return c.Question()
}

func printAnswer(r *filter.Run, p print.Flags, found *calculator.Answer, err error) error {
	if err != nil {
		return err
	}
	return p.Print(r, found, found.Table)
}
