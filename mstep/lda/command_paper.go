package lda

import (
	"errors"

	"privpipe/pipelines/filter"
)

// PaperCommand is mstep lda-paper.
type PaperCommand struct {
	Flags
	Schedule
	Mode      string `name:"estimate" enum:"bayes,map" default:"bayes" group:"Estimate" help:"Estimate topics by ${enum}. bayes: their Dirichlet posterior, by variational Bayes; map: its mode alone, which is expectation maximisation at the same privacy. map needs --eta above 1."`
	Beta      string `enum:"mean,expected-log" default:"mean" group:"Estimate" help:"Send this estimate of β under λ to the E-step: ${enum}."`
	Negatives string `enum:"keep,zero" default:"keep" group:"Estimate" help:"Keep negative cells of a release or set them to zero: ${enum}. The papers do zero; it biases all cells upwards."`
	Beginning
}

// Help is what --help adds for this command.
func (*PaperCommand) Help() string {
	return "Topics are estimated as papers print it: negative cells of the noisy sum count as 0, which biases all " +
		"cells upwards. mstep lda estimates them better at the same privacy."
}

// Validate is kong's hook.
func (c *PaperCommand) Validate() error {
	if err := c.Flags.check(); err != nil {
		return err
	}
	switch {
	case c.Mode == "map" && !(c.Eta > 1):
		return errors.New("--estimate map needs --eta above 1: with a smaller prior a topic's mode has no weight at " +
			"words without counts")
	case c.Mode == "map" && c.Beta != "mean":
		return errors.New("--estimate map does not go with --beta: a point mass has one β")
	}
	return c.Schedule.check()
}

// Run is kong's hook.
func (c *PaperCommand) Run(r *filter.Run) error {
	o := Options{
		Tau0: c.Tau0, Kappa: c.Kappa, AverageFrom: c.AverageFrom, ZeroNegatives: c.Negatives == "zero",
		Estimate: Estimate{ExpectedLog: c.Beta == "expected-log", Point: c.Mode == "map"},
	}
	vocab, err := c.begin(r, &o, c.Initial)
	if err != nil {
		return err
	}
	return c.Beginning.learn(r, &c.Job, o, vocab)
}
