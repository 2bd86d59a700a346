// Package linear is the M-step of Bayesian linear regression. It averages releases of the sums, and computes the
// normal-gamma posterior of the weights and of the noise from the averages.
package linear

import (
	"fmt"
	"math"

	"privpipe/mstep/learn"
	"privpipe/pipelines/exit"
	"privpipe/pipelines/filter"
	"privpipe/pipelines/wire"
)

// Command is mstep linear. --vocab is the list of features.
type Command struct {
	learn.Job
	Precision float64 `default:"1" placeholder:"X" group:"Prior" help:"Set λ0 of the prior of the weights, w ~ N(0, I/(λ0·τ)), where 1/τ is the variance of the noise (default 1)."`
	A0        float64 `name:"a0" default:"2" placeholder:"X" group:"Prior" help:"Set the shape of the Gamma prior of τ, above 1 (default 2)."`
	B0        float64 `name:"b0" default:"1" placeholder:"X" group:"Prior" help:"Set the rate of the Gamma prior of τ (default 1). Responses are in [-1, 1]."`
	Estimate  string  `enum:"bayes,map" default:"bayes" group:"Estimate" help:"Estimate the weights by ${enum}. bayes: their posterior; map: the mode of weights and noise alone, without a covariance."`
}

// Validate is kong's hook.
func (c *Command) Validate() error {
	for _, flag := range []struct {
		name         string
		value, above float64
	}{{"--precision", c.Precision, 0}, {"--a0", c.A0, 1}, {"--b0", c.B0, 0}} {
		if !(flag.value > flag.above && flag.value <= math.MaxFloat32) {
			return fmt.Errorf("%s must be finite and above %v, is %v", flag.name, flag.above, flag.value)
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
	if uint64(len(vocab))*uint64(len(vocab)) > wire.MaxCells {
		return exit.Errorf(exit.Usage, "%d features have a matrix of more than %d cells", len(vocab), wire.MaxCells)
	}
	return c.Learn(r, New(Options{Words: len(vocab), Precision: c.Precision, A0: c.A0, B0: c.B0,
		Point: c.Estimate == "map"}), vocab)
}
