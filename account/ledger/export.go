package ledger

import (
	"privpipe/account/internal/accountant"
	"privpipe/account/internal/dpevents"
	"privpipe/account/internal/ledgers"
	"privpipe/pipelines/endpoint"
	"privpipe/pipelines/exit"
	"privpipe/pipelines/filter"
	"privpipe/pipelines/wire"
)

// ExportCommand is account export.
type ExportCommand struct {
	Format  string `enum:"dp-events,list" default:"dp-events" help:"Write a tree of dp_accounting's DpEvents (dp-events), or an array of DpEvents with events of our own where dp_accounting has none (list)."`
	Dataset string `placeholder:"NAME" help:"Write this data set, for a ledger whose data sets share no unit: events cannot say that their losses do not add up."`
	Output  string `short:"o" placeholder:"FILE" help:"Write the events here; standard output by default."`
	Ledger  string `arg:"" help:"Ledger of privatize."`
}

// Help is the text that --help adds for this command.
func (ExportCommand) Help() string {
	return `
Writes the charges of a ledger as JSON for other accountants. epsilon, delta and compare read it with --events. A
charge that dp_accounting cannot express is written as an event with at least the same loss, or refused: see
EVENTS.md. Equal charges are merged, and no names of data sets and runs are written.

  account export night.ledger | account epsilon --events - --delta 1e-6`
}

// Run is kong's hook.
func (c *ExportCommand) Run(r *filter.Run) error {
	ledger, err := ledgers.Read(r, c.Ledger)
	if err != nil {
		return err
	}
	switch disjoint := accountant.DisjointDatasets(ledger); {
	case disjoint && c.Dataset == "":
		return exit.Errorf(exit.Usage, "the data sets of %s share no unit, which events cannot say: give --dataset",
			c.Ledger)
	case !disjoint && c.Dataset != "":
		return exit.Errorf(exit.Usage, "--dataset is for a ledger whose data sets share no unit, which %s does not say",
			c.Ledger)
	}
	composition, err := accountant.ComposeDataset(c.Ledger, ledger, c.Dataset)
	if err != nil {
		return err
	}
	if c.Dataset != "" && composition.Releases == 0 {
		return exit.Errorf(exit.Usage, "%s has no release from data set %q", c.Ledger, c.Dataset)
	}
	write := dpevents.Tree
	if c.Format == "list" {
		write = dpevents.List
	}
	b, err := write(composition.List())
	if err != nil {
		return exit.Errorf(exit.Usage, "%s: %w", c.Ledger, err).WithHint("--format list has words for more")
	}
	if r.DryRun() {
		return nil
	}
	return endpoint.WriteFile(r, c.Output, wire.Side_PUBLIC, b)
}
