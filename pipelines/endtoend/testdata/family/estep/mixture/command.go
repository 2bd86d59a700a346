package mixture

import (
	"privpipe/estep/job"
	"privpipe/pipelines/filter"
	"privpipe/pipelines/model"
	"privpipe/pipelines/model/mixture"
)

// Command is estep mixture.
type Command struct {
	job.Job
	job.Keyed
	job.Kept
}

// Run is kong's hook.
func (c *Command) Run(r *filter.Run) error {
	return c.Do(r, job.Work{
		Family: mixture.Family, New: func() model.EStep { return new(Model) }, Keyed: c.Coins(), Kept: c.Documents(),
	})
}
