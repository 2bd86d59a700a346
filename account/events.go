package main

import (
	"errors"
	"fmt"

	"privpipe/account/internal/dpevents"
	"privpipe/pipelines/endpoint"
	"privpipe/pipelines/exit"
	"privpipe/pipelines/filter"
	"privpipe/pipelines/wire"
)

// releasedFlags are what was released: Gaussian noise in a setting, or a list of events.
type releasedFlags struct {
	settingFlags
	NoiseMultiplier float64 `xor:"released" placeholder:"X" help:"Standard deviation of the noise over the clip C."`
	Events          string  `xor:"released" placeholder:"FILE" help:"JSON of what was released, as in EVENTS.md: a list of events, or a tree of dp_accounting's DpEvents; - is standard input. In place of a setting."`
}

// mostEvents is the size of a file of events, in bytes.
const mostEvents = 16 << 20

func (c *releasedFlags) check() error {
	switch {
	case c.Events == "" && c.NoiseMultiplier == 0:
		return errors.New("--noise-multiplier above 0, or --events, must be given")
	case c.Events == "":
		return errors.Join(c.settingFlags.check(), c.setting().checkNoise(c.NoiseMultiplier))
	case c.Poisson != nil || c.Fixed.of > 0 || c.All || c.Rounds != 1 || c.Sensitivity != nil:
		return errors.New("--poisson, --fixed, --all, --rounds and --sensitivity do not go with --events")
	}
	return nil
}

// question returns the question about what was released.
func (c *releasedFlags) question() (*question, error) {
	if c.Events == "" {
		return c.setting().asked(c.NoiseMultiplier), nil
	}
	b, err := endpoint.ReadFile(c.Events, mostEvents)
	if err != nil {
		return nil, err
	}
	name := c.Events
	if name == endpoint.Stdio {
		name = "standard input"
	}
	list, err := dpevents.Read(b, dpevents.Relation{Adjacency: c.Adjacency, NonNegative: c.NonNegative})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return &question{list, answer{Adjacency: list.Adjacency, Sampling: "each event's own"}}, nil
}

type exportCommand struct {
	Format  string `enum:"dp-events,list" default:"dp-events" help:"A tree of dp_accounting's DpEvents (dp-events), or a list of events (list)."`
	Dataset string `placeholder:"NAME" help:"The data set to write, of a ledger whose data sets share no unit: events cannot say that they do not add up."`
	Output  string `short:"o" placeholder:"FILE" help:"Where the events go; standard output by default."`
	Ledger  string `arg:"" help:"Ledger of privatize."`
}

// Help is kong's hook.
func (exportCommand) Help() string {
	return `
Writes what a ledger was charged for as JSON that other accountants can read, and that epsilon, delta and compare read with
--events. What the other side has no words for is written as something that loses no less, or refused: EVENTS.md says what.
Charges are merged, and no names of data sets and runs are written.

  account export night.ledger | account epsilon --events - --delta 1e-6`
}

// Run is kong's hook.
func (c *exportCommand) Run(r *filter.Run) error {
	if err := keeps(c.Output, c.Ledger); err != nil {
		return err
	}
	ledger, err := readLedger(c.Ledger)
	if err != nil {
		return err
	}
	switch disjoint := disjointDatasets(ledger); {
	case disjoint && c.Dataset == "":
		return exit.Errorf(exit.Usage, "the data sets of %s share no unit, which events cannot say: give --dataset", c.Ledger)
	case !disjoint && c.Dataset != "":
		return exit.Errorf(exit.Usage, "--dataset is for a ledger whose data sets share no unit, which %s does not say", c.Ledger)
	}
	composition, err := composedWith(c.Ledger, ledger, c.Dataset)
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
	return endpoint.WriteFile(c.Output, wire.Side_PUBLIC, b)
}
