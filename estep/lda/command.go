package lda

import (
	"errors"
	"fmt"
	"math"

	"privpipe/estep/job"
	"privpipe/estep/latent"
	"privpipe/pipelines/filter"
	"privpipe/pipelines/model"
	"privpipe/pipelines/model/lda"
	"privpipe/pipelines/wire"
)

// Command is estep lda.
type Command struct {
	job.Job
	job.Compared
	job.Sharing
	Tolerance  float64 `placeholder:"X" help:"Stop iterating over a document when the mean absolute change of γ over the topics is below X (default 0.001 in training, else 0.00001)."`
	Iterations int     `placeholder:"N" help:"Stop after N iterations over a document (default 6 in training, where more do not pay; else 1000)."`
	latent.Flags
	Length   int  `placeholder:"N" group:"Contribution" help:"Truncate each document to at most N words, drawn without replacement; by default do not truncate. A document's words and counts seed the draw, so it is the same in every round."`
	Resample bool `group:"Contribution" help:"With --length: bring each document to exactly N words, drawn with replacement."`
}

// Validate is kong's hook.
func (c *Command) Validate() error {
	if !(c.Tolerance >= 0) || math.IsInf(c.Tolerance, 0) {
		return fmt.Errorf("--tolerance must not be negative, is %v", c.Tolerance)
	}
	if err := c.Flags.Check(); err != nil {
		return err
	}
	if c.Iterations < 0 || c.Length < 0 || c.Length > wire.MaxTokens {
		return errors.New("--iterations and --length must not be negative, nor a length beyond the wire's limit")
	}
	if c.Resample && c.Length == 0 {
		return errors.New("--resample needs --length")
	}
	if c.Length > 0 && c.Score {
		return errors.New("--length does not go with --score: whole documents are scored")
	}
	return c.Compared.Check(&c.Job)
}

// Training reports whether the command trains topics. Then an inexact inference will do.
func (c *Command) Training() bool { return c.Job.Training() && !c.Shares }

// Run is kong's hook.
func (c *Command) Run(r *filter.Run) error {
	o := Options{
		Tolerance: c.Tolerance, Iterations: c.Iterations,
		Shape:  c.Flags.Shape(),
		Length: Length{Words: c.Length, Resample: c.Resample},
	}
	if o.Tolerance == 0 {
		o.Tolerance = 1e-5
		if c.Training() {
			o.Tolerance = 1e-3
		}
	}
	if o.Iterations == 0 {
		o.Iterations = 1000
		if c.Training() {
			o.Iterations = 6
		}
	}
	work := job.Work{
		Family: lda.Family, New: func() model.EStep { return New(o) }, Sharing: &c.Sharing,
		Scaled: o.Shape.Norm > 0, // without a norm the counts of a paper's statistic stay as they are
	}
	var err error
	if o.Unigram, work.Baseline, err = c.Baseline(r, &c.Job); err != nil {
		return err
	}
	return c.Do(r, work)
}
