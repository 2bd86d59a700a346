package main

import (
	"bytes"

	"privpipe/account/internal/papers"
	"privpipe/account/internal/print"
	"privpipe/pipelines/exit"
	"privpipe/pipelines/filter"
)

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
