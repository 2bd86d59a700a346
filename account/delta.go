package main

import (
	"errors"

	"privpipe/account/internal/accountant"
	"privpipe/account/internal/calculator"
	"privpipe/account/internal/print"
	"privpipe/pipelines/event"
	"privpipe/pipelines/filter"
)

type deltaCommand struct {
	calculator.Released
	Epsilon float64 `required:"" placeholder:"X" help:"ε of the guarantee."`
	accountant.Choice
	print.Flags
}

func (deltaCommand) Help() string { return calculator.WhichAccountant }

func (c *deltaCommand) Validate() error {
	return errors.Join(c.Check(), event.CheckEpsilon(c.Epsilon))
}

func (c *deltaCommand) Run(r *filter.Run) error {
	q, err := ask(&c.Released, c.Output)
	if err != nil {
		return err
	}
	found, err := calculator.Best(c.Choice, q.By(accountant.DeltaAt(c.Epsilon)))
	return printAnswer(r, c.Flags, found, err)
}
