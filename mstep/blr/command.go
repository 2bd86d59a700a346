// Package blr is the M-step of Bayesian logistic regression. It averages releases of the statistics of Park et al.
// (2020, §6), and computes the posterior of the weights from the averages.
package blr

import (
	"cmp"

	"privpipe/mstep/learn"
	"privpipe/pipelines/exit"
	"privpipe/pipelines/filter"
	"privpipe/pipelines/wire"
)

// Command is mstep blr. --vocab is the list of features.
type Command struct {
	learn.Job
	A0 float64 `name:"a0" default:"1" placeholder:"X" group:"Prior" help:"Set the shape of the Gamma prior of the precision α of the weights, w ~ N(0, I/α) (default 1)."`
	B0 float64 `name:"b0" default:"1" placeholder:"X" group:"Prior" help:"Set the rate of the Gamma prior of α (default 1)."`
	learn.Rate
	Negative *float64 `zero:"" placeholder:"X" group:"Estimate" help:"Set negative eigenvalues of the released s2 to X, as published; by default raise all to at least half the norm of their noise. X is in units of the sum over all rows."`
	Estimate string   `enum:"bayes,map" default:"bayes" group:"Estimate" help:"Estimate the weights by ${enum}. bayes: their posterior, by variational Bayes; map: the mode alone, which is expectation maximisation at the same privacy."`
}

// Validate is kong's hook.
func (c *Command) Validate() error {
	negative := 0.0
	if c.Negative != nil {
		negative = *c.Negative
	}
	return cmp.Or(learn.Positive("--a0", c.A0), learn.Positive("--b0", c.B0), c.Rate.Check(),
		learn.NotNegative("--negative", negative))
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
	return c.Learn(r, New(Options{
		Words: len(vocab), A0: c.A0, B0: c.B0, Rate: c.Rate.Rate(), Negative: c.Negative,
		Point: c.Estimate == "map",
	}), vocab)
}
