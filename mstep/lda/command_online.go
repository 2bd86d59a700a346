package lda

import (
	"fmt"
	"strconv"

	"privpipe/pipelines/filter"
)

// OnlineCommand is mstep online.
type OnlineCommand struct {
	Flags
	Correlation string `default:"0.5" placeholder:"λ" help:"Send estep collapsed the prior β + λN of the batch, where β was the prior of the batch before and N its counts (default ${default}). λ is in (0, 1], or auto: it is drawn after each batch."`
	Counts      string `name:"initial-counts" placeholder:"FILE" help:"Begin with the counts of FILE instead of 0: those of a model of mstep counts, or λ − η of any other model of topics."`
}

// Help is what --help adds for this command.
func (*OnlineCommand) Help() string {
	return "Each round is a batch of its own documents, whose counts estep collapsed --statistic counts contributes " +
		"(SUB-LDA, LP-LDA)."
}

// Validate is kong's hook.
func (c *OnlineCommand) Validate() error {
	if l := c.online().Lambda; !(l > 0 && l <= 1) {
		return fmt.Errorf("--correlation must be a number in (0, 1] or auto, is %s", c.Correlation)
	}
	return c.Flags.check()
}

// usualCorrelation is λ in the paper's experiments, and the first λ where λ is learned.
const usualCorrelation = 0.5

// online returns the settings of --correlation. A wrong number gives 0.
func (c *OnlineCommand) online() Online {
	if c.Correlation == "auto" {
		return Online{usualCorrelation, true}
	}
	lambda, _ := strconv.ParseFloat(c.Correlation, 64)
	return Online{Lambda: lambda}
}

// Run is kong's hook.
func (c *OnlineCommand) Run(r *filter.Run) error {
	o := Options{AverageFrom: 1, Kappa: unusedKappa, Online: c.online()}
	vocab, err := c.begin(r, &o, c.Counts)
	if err != nil {
		return err
	}
	return c.learnCounts(r, o, c.Counts, vocab)
}
