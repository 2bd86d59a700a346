package main

import (
	"crypto/rand"
	"strings"

	"privpipe/pipelines/endpoint"
	"privpipe/pipelines/event"
	"privpipe/pipelines/exit"
	"privpipe/pipelines/filter"
)

// wall are the flags that all mechanisms share.
type wall struct {
	Ledger  string `required:"" placeholder:"FILE" help:"Ledger that every release is charged to; made if it is not there."`
	Run_    string `name:"run" help:"Name of the training run, under which its rounds are charged and stored. By default the stream's, else the grant's."`
	Dataset string `default:"default" help:"Name of the data set, for the ledger."`
	Output  string `short:"o" placeholder:"FILE" help:"Where the releases go; standard output by default."`
	Input   string `arg:"" optional:"" default:"-" help:"Stream of contributions; standard input by default."`
	filter.Compress
}

type gaussianCommand struct {
	Grant string `required:"" placeholder:"FILE" help:"Grant from account plan: clip bound, noise, sampling scheme, number of releases."`
	wall
}

// Run is kong's hook.
func (c *gaussianCommand) Run(r *filter.Run) error {
	b, err := endpoint.ReadFile(c.Grant, 1<<20)
	if err != nil {
		return err
	}
	grant, err := event.ParseGrant(b)
	if err != nil {
		return exit.Errorf(exit.Malformed, "%s: %w", c.Grant, err)
	}
	return c.wall.privatize(r, grant, grant.ID)
}

type noneCommand struct{ wall }

// Run is kong's hook.
func (c *noneCommand) Run(r *filter.Run) error {
	// Without a grant nothing names a run but the caller; a new name never meets an old run's stored releases.
	return c.wall.privatize(r, nil, "none-"+strings.ToLower(rand.Text()[:12]))
}
