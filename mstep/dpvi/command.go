// Package dpvi is the M-step of logistic regression with stochastic gradients of the evidence lower bound (Jälkö,
// Dikmen and Honkela 2017).
package dpvi

import (
	"fmt"

	"privpipe/mstep/learn"
	"privpipe/pipelines/filter"
)

// Command is mstep dpvi. --vocab is the list of features.
type Command struct {
	learn.Job
	Rate           float64 `default:"0.2" placeholder:"X" group:"Learning rate" help:"Set the rate of Adagrad, the length of each weight's first step (default 0.2)."`
	PriorDeviation float64 `default:"1" placeholder:"X" group:"Prior" help:"Set the standard deviation of each weight under the prior (default 1)."`
	FirstDeviation float64 `default:"0.1" placeholder:"X" group:"Prior" help:"Begin with this standard deviation of each weight (default 0.1)."`
	Seed           uint64  `zero:"" default:"1" help:"Seed the draw of the weights in each round. The seed is public: privacy does not depend on it."`
}

// Validate is kong's hook.
func (c *Command) Validate() error {
	for _, f := range []struct {
		name  string
		value float64
	}{{"--rate", c.Rate}, {"--prior-deviation", c.PriorDeviation}, {"--first-deviation", c.FirstDeviation}} {
		if !(f.value >= 1e-9 && f.value <= 1e9) {
			return fmt.Errorf("%s must be in [1e-9, 1e9], is %v", f.name, f.value)
		}
	}
	return nil
}

// Run is kong's hook.
func (c *Command) Run(r *filter.Run) error {
	vocab, err := c.Words(r)
	if err != nil {
		return err
	}
	o := Options{Words: len(vocab), Prior: c.PriorDeviation, Deviation: c.FirstDeviation, Rate: c.Rate, Seed: c.Seed}
	return c.Learn(r, New(o), vocab)
}
