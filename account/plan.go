package main

import (
	"encoding/json"

	"privpipe/account/internal/plan"
	"privpipe/pipelines/endpoint"
	"privpipe/pipelines/filter"
	"privpipe/pipelines/wire"
)

type planCommand struct {
	plan.Flags
	Output string `short:"o" placeholder:"FILE" help:"Write the grant here; standard output by default."`
}

func (c *planCommand) Run(r *filter.Run) error {
	if c.Ledger != "" {
		if err := keeps(c.Output, c.Ledger); err != nil {
			return err
		}
	}
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
