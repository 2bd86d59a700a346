package words

import (
	"privpipe/estep/job"
	"privpipe/pipelines/filter"
	"privpipe/pipelines/model"
	"privpipe/pipelines/model/words"
)

// Command is estep words.
type Command struct{ job.Job }

// Run is kong's hook.
func (c *Command) Run(r *filter.Run) error {
	return c.Do(r, job.Work{Family: words.Family, New: func() model.EStep { return New() }})
}
