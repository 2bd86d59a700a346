package main

import (
	"privpipe/account/internal/calculator"
	"privpipe/account/internal/print"
	"privpipe/pipelines/filter"
)

type noiseCommand struct {
	calculator.NoiseQuery
	print.Flags
}

func (noiseCommand) Help() string {
	return calculator.WhichAccountant + `

The output is that of "account epsilon" for the printed noise, with the same flags: its ε is never above --epsilon. If no noise over
sensitivity up to 1e8 is enough, the exit code is 83, and the message says which ε can be reached.`
}

func (c *noiseCommand) Run(r *filter.Run) error {
	found, err := c.Find(!c.JSON)
	return printAnswer(r, c.Flags, found, err)
}
