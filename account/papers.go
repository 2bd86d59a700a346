package main

import (
	"bytes"

	"privpipe/account/internal/papers"
	"privpipe/account/internal/print"
	"privpipe/pipelines/exit"
	"privpipe/pipelines/filter"
)

type efficiencyCommand struct {
	papers.Efficiency
	print.Flags
}

func (c *efficiencyCommand) Run(r *filter.Run) error {
	answer, err := c.Answer()
	if err != nil {
		return exit.Errorf(exit.Usage, "efficiency: %w", err)
	}
	table := answer.Table
	if c.Table3 {
		table = answer.Table3
	}
	return c.Print(r, answer, table)
}

type gibbsCommand struct {
	papers.Gibbs
	print.Flags
}

func (c *gibbsCommand) Run(r *filter.Run) error {
	rows, err := c.Rows()
	if err != nil {
		return exit.Errorf(exit.Usage, "gibbs: %w", err)
	}
	return c.Print(r, rows, func(b *bytes.Buffer) { papers.GibbsTable(b, rows) })
}
