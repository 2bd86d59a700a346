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
	InPlace bool `help:"Count the clusters of a round on the way."`
}

// Run is kong's hook.
func (c *Command) Run(r *filter.Run) error {
	step := func() model.EStep { return new(Model) }
	if c.InPlace {
		step = func() model.EStep { return new(whole) }
	}
	return c.Do(r, job.Work{Family: mixture.Family, New: step, Keyed: c.Coins(), Kept: c.Documents()})
}
