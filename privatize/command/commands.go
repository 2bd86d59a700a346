// Package command has the commands of privatize. They carry records to and from privatize/internal.
package command

import (
	"context"
	"crypto/rand"
	"strings"

	"privpipe/pipelines/endpoint"
	"privpipe/pipelines/event"
	"privpipe/pipelines/exit"
	"privpipe/pipelines/filter"
)

// grantFlag is the flag that names the grant, for the commands that require one.
type grantFlag struct {
	Grant string `required:"" placeholder:"FILE" help:"Read the grant from account plan, plan-words or plan-paper: mechanism, bound, noise, sampling scheme, number of releases."`
}

// read returns the grant. The grant must be for the given mechanism; "" allows any mechanism.
func (f *grantFlag) read(ctx context.Context, mechanism string) (*event.Grant, error) {
	b, err := endpoint.ReadFile(ctx, f.Grant, 1<<20)
	if err != nil {
		return nil, err
	}
	grant, err := event.ParseGrant(b)
	if err != nil {
		return nil, exit.Errorf(exit.Malformed, "%s: %w", f.Grant, err)
	}
	if grant.Version < event.OldestGrantVersion {
		return nil, exit.Errorf(exit.Refused,
			"refused: %s is a grant of version %d, which names no model and no ledger", f.Grant,
			grant.Version).WithHint("plan it again, with account plan")
	}
	if mechanism != "" && grant.Mechanism != mechanism {
		return nil, exit.Errorf(exit.Refused, "refused: %s is a grant for %s, not for %s", f.Grant, grant.Mechanism,
			mechanism)
	}
	return grant, nil
}

// charged holds the flags of the commands that charge a ledger.
type charged struct {
	Ledger  string `placeholder:"FILE" help:"Charge every release to this ledger, which account ledger new makes. Required, except for privatize none with a public stream."`
	RunName string `name:"run" help:"Charge, store and release the rounds under this name of the training run. Default: the id of the grant; for privatize none, a random name. A stream that names another run is refused."`
	Dataset string `default:"default" help:"Name the data set in the ledger. Where the data sets of the ledger share no unit, it must be the grant's data set."`
}

// name returns the run's name: the flag's name or, without the flag, the given name otherwise. The name is published,
// so a stream from behind the wall does not choose it: a stream that names another run is refused.
func (c *charged) name(stream, otherwise string) (string, error) {
	run := otherwise
	if c.RunName != "" {
		run = c.RunName
	}
	if err := event.CheckName(run); err != nil {
		return "", exit.Errorf(exit.Usage, "name of the run: %w", err)
	}
	if stream != "" && stream != run {
		return "", exit.Errorf(exit.Refused, "refused: the stream is of another run than %s", run).
			WithHint("give --run here the name that sample --run was given")
	}
	return run, nil
}

// need refuses to release anything private without a ledger.
func (c *charged) need() error {
	if c.Ledger == "" {
		return exit.Errorf(exit.Usage, "missing flags: --ledger=FILE").
			WithHint("account ledger new makes one; every release is charged to it")
	}
	return endpoint.CheckKept("--ledger", c.Ledger) // CheckKept refuses a FIFO: reading it would block
}

// nothingToProtect is the error for a public stream. Noise on public contributions would protect nobody.
func nothingToProtect(name string) error {
	return exit.Errorf(exit.Usage, "%s: a public stream: there is nothing to protect", name).
		WithHint("privatize none passes public contributions on, without a charge")
}

// Gaussian is privatize gaussian.
type Gaussian struct {
	grantFlag
	sumFlags
}

// Run is kong's hook.
func (c *Gaussian) Run(r *filter.Run) error { return c.granted(r, c.grantFlag, event.Gaussian) }

// Laplace is privatize laplace.
type Laplace struct {
	grantFlag
	sumFlags
}

// Run is kong's hook.
func (c *Laplace) Run(r *filter.Run) error { return c.granted(r, c.grantFlag, event.Laplace) }

// None is privatize none.
type None struct {
	sumFlags
	filter.Cells
}

// Run is kong's hook.
func (c *None) Run(r *filter.Run) error {
	// Without a grant only the caller names a run. A random name never meets the stored releases of an old run.
	return c.privatize(r, nil, "none-"+strings.ToLower(rand.Text()[:12]), c.MaxCells)
}
