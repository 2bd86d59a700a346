package dpvi

import (
	"privpipe/estep/job"
	"privpipe/estep/row"
	"privpipe/pipelines/filter"
	"privpipe/pipelines/model"
	"privpipe/pipelines/model/families"
)

// Command is estep dpvi.
type Command struct {
	job.Job
	row.Positive
}

// Validate is kong's hook.
func (c *Command) Validate() error { return c.Positive.Check() }

// Run is kong's hook.
func (c *Command) Run(r *filter.Run) error {
	labels := c.Labels()
	return c.Do(r, job.Work{
		Family: families.DPVI, New: func() model.EStep { return New(labels) }, Columns: c.Columns(),
	})
}
