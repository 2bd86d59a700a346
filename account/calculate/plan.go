package calculate

import (
	"encoding/json"

	"privpipe/account/internal/plan"
	"privpipe/pipelines/endpoint"
	"privpipe/pipelines/filter"
	"privpipe/pipelines/wire"
)

// PlanCommand is account plan.
type PlanCommand struct {
	plan.Flags
	Output string `short:"o" group:"Grant" placeholder:"FILE" help:"Write the grant here; standard output by default."`
}

// Run is kong's hook.
func (c *PlanCommand) Run(r *filter.Run) error {
	stop := saySlow(r.Log, usual)
	grant, err := c.Make(r.Log)
	stop()
	if err != nil || r.DryRun() {
		return err
	}
	b, err := json.MarshalIndent(grant, "", "  ")
	if err != nil {
		return err
	}
	return endpoint.WriteFile(c.Output, wire.Side_PUBLIC, append(b, '\n'))
}
