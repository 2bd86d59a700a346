package blr

import (
	"errors"
	"fmt"

	"privpipe/estep/job"
	"privpipe/estep/row"
	"privpipe/pipelines/filter"
	"privpipe/pipelines/model"
	"privpipe/pipelines/model/families"
)

// Command is estep blr.
type Command struct {
	job.Job
	row.Bounded
	row.Positive
	Trials *int `placeholder:"N" group:"Row" help:"Take each label as SUCCESSES or SUCCESSES/TRIALS of at most N binomial trials, not as a class. Contributions are then up to N times as large. N is public."`
	PlugIn bool `group:"Row" help:"With --score: predict by the mean weights alone; by default by their distribution, so that probabilities are nearer to one half where weights are uncertain."`
}

// maxTrials keeps sums far from overflow.
const maxTrials = 1 << 20

// Validate is kong's hook.
func (c *Command) Validate() error {
	if err := c.Bounded.Check(); err != nil {
		return err
	}
	switch {
	case c.Trials != nil && (*c.Trials < 1 || *c.Trials > maxTrials):
		return fmt.Errorf("--trials must be in [1, %d], is %d", maxTrials, *c.Trials)
	case c.Trials != nil && c.Score:
		return errors.New("--trials does not go with --score: rows are scored by their class")
	case c.Trials != nil && c.Positive.Positive != nil:
		return errors.New("--positive does not go with --trials: labels of counts have no class")
	case c.PlugIn && !c.Score:
		return errors.New("--plug-in belongs to --score")
	}
	return c.Positive.Check()
}

// Run is kong's hook.
func (c *Command) Run(r *filter.Run) error {
	o := Options{RowNorm: c.RowNorm, Labels: c.Labels(), PlugIn: c.PlugIn}
	if c.Trials != nil {
		o.Labels.Trials = *c.Trials
	}
	return c.Do(r, job.Work{Family: families.BLR, New: func() model.EStep { return New(o) }, Columns: c.Columns()})
}
