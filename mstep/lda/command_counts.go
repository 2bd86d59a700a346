package lda

import (
	"errors"

	"privpipe/pipelines/filter"
)

// CountsCommand is mstep counts.
type CountsCommand struct {
	Flags
	Statistic    string  `enum:"increments,counts" default:"increments" help:"Learn from ${enum}, as estep gibbs --keep and estep collapsed contribute them. increments: add up the releases, S ← S + R from 0 on, of rounds that all documents answer; the parameters and the model then hold S as counts. counts: take the last release alone."`
	Denoise      string  `enum:"shrink,floor" default:"shrink" help:"Estimate topics from the noisy sum by ${enum}. shrink: empirical Bayes; floor: negative cells count as 0."`
	Ceiling      float64 `placeholder:"C" help:"Count each cell as at most C, and send C to the E-step. It bounds the ratio of the weights of two words in a topic by C/η + 1. Needs --denoise floor; by default there is no ceiling."`
	WordMarginal string  `placeholder:"FILE" help:"Read separately released word frequencies from FILE, a model of mstep words, whose vocabulary may have more words; by default estimate them from the topics."`
	Counts       string  `name:"initial-counts" placeholder:"FILE" help:"Begin increments with the counts of FILE instead of 0, a model of mstep counts."`
}

// Validate is kong's hook.
func (c *CountsCommand) Validate() error {
	if err := c.Flags.check(); err != nil {
		return err
	}
	if err := notNegative(map[string]float64{"--ceiling": c.Ceiling}); err != nil {
		return err
	}
	switch {
	case c.Ceiling > 0 && c.Denoise != "floor":
		return errors.New("--ceiling needs --denoise floor: empirical Bayes has no ceiling")
	case c.Counts != "" && c.Statistic != "increments":
		return errors.New("--initial-counts belongs to --statistic increments")
	}
	return nil
}

// Run is kong's hook.
func (c *CountsCommand) Run(r *filter.Run) error {
	o := Options{
		AverageFrom: 1, Accumulate: c.Statistic == "increments",
		Estimate: Estimate{Shrink: c.Denoise == "shrink", Ceiling: c.Ceiling},
	}
	if o.Accumulate {
		o.Kappa = unusedKappa
	} else {
		o.ZeroNegatives = !o.Estimate.Shrink // floor takes them for 0 in any case
	}
	vocab, err := c.begin(r, &o, c.WordMarginal, c.Counts)
	if err != nil {
		return err
	}
	if err := c.readPrior(r, &o, c.WordMarginal, "", vocab); err != nil {
		return err
	}
	return c.learnCounts(r, o, c.Counts, vocab)
}
