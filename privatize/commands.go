package main

import (
	"crypto/rand"
	"strings"

	"privpipe/pipelines/endpoint"
	"privpipe/pipelines/event"
	"privpipe/pipelines/exit"
	"privpipe/pipelines/filter"
)

// leave is the grant that a mechanism needs.
type leave struct {
	Grant string `required:"" placeholder:"FILE" help:"Grant from account plan: mechanism, bound, noise, sampling scheme, number of releases."`
}

// read returns the grant, which must be for a mechanism.
func (l *leave) read(mechanism string) (*event.Grant, error) {
	b, err := endpoint.ReadFile(l.Grant, 1<<20)
	if err != nil {
		return nil, err
	}
	grant, err := event.ParseGrant(b)
	if err != nil {
		return nil, exit.Errorf(exit.Malformed, "%s: %w", l.Grant, err)
	}
	if mechanism != "" && grant.Mechanism != mechanism {
		return nil, exit.Errorf(exit.Refused, "refused: %s is a grant for %s, not for %s", l.Grant, grant.Mechanism, mechanism)
	}
	return grant, nil
}

// charged are the flags of all that is charged to a ledger.
type charged struct {
	Ledger  string `required:"" placeholder:"FILE" help:"Ledger that every release is charged to; made if it is not there."`
	Run_    string `name:"run" help:"Name of the training run, under which its rounds are charged and stored. By default the stream's, else the grant's."`
	Dataset string `default:"default" help:"Name of the data set, for the ledger."`
}

// name returns the name of the run: the flag's, else the stream's, else what otherwise says.
func (c *charged) name(stream, otherwise string) (string, error) {
	run := otherwise
	for _, name := range []string{stream, c.Run_} {
		if name != "" {
			run = name
		}
	}
	if err := event.CheckName(run); err != nil {
		return "", exit.Errorf(exit.Usage, "name of the run: %w", err)
	}
	return run, nil
}

// keeps refuses outputs that would take the ledger's name at the end, and replace all that was charged. The ledger must be
// there.
func (c *charged) keeps(outputs ...string) error {
	for _, name := range append(outputs, cli.Summary) {
		if endpoint.Distinct(name, c.Ledger) != nil {
			return exit.Errorf(exit.Usage, "output %s is also the ledger", name)
		}
	}
	return nil
}

type gaussianCommand struct {
	leave
	sumsCommand
}

// Run is kong's hook.
func (c *gaussianCommand) Run(r *filter.Run) error { return c.granted(r, c.leave, event.Gaussian) }

type laplaceCommand struct {
	leave
	sumsCommand
}

// Run is kong's hook.
func (c *laplaceCommand) Run(r *filter.Run) error { return c.granted(r, c.leave, event.Laplace) }

type noneCommand struct{ sumsCommand }

// Run is kong's hook.
func (c *noneCommand) Run(r *filter.Run) error {
	// Without a grant nothing names a run but the caller; a new name never meets an old run's stored releases.
	return c.privatize(r, nil, "none-"+strings.ToLower(rand.Text()[:12]))
}
