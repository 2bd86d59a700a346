package ledger

import (
	"cmp"
	"fmt"

	"privpipe/account/internal/accountant"
	"privpipe/account/internal/ledgers"
	"privpipe/account/internal/print"
	"privpipe/account/internal/report"
	"privpipe/pipelines/event"
	"privpipe/pipelines/filter"
)

// OdometerCommand is account odometer.
type OdometerCommand struct {
	Delta *float64 `zero:"" placeholder:"X" help:"Print ε at this δ; 0 is for a ledger of pure mechanisms only. By default the δ of the ledger's budget, else of its first grant with one, else 0."`
	Last  int      `placeholder:"N" help:"Print only the N runs that released last. By default all; each costs a composition."`
	ledgers.AlarmFlags
	accountant.LedgerChoice
	print.Flags
	Ledger string `arg:"" help:"Ledger of privatize."`
}

// Help is the text that --help adds for this command.
func (OdometerCommand) Help() string {
	return "Prints what the whole ledger had spent after the last release of each run, and what was left of the " +
		"budget at that time: the ledger's own, or the latest planned one. What a run added is the ε with the run " +
		"less the ε without it. If runs took turns, these do not add up. If data sets share no unit, ε is the " +
		"largest of theirs, and a run may add 0."
}

// Validate is kong's hook.
func (c *OdometerCommand) Validate() error {
	if c.Last < 0 {
		return fmt.Errorf("--last must be positive, is %d", c.Last)
	}
	if c.Delta != nil && *c.Delta != 0 {
		if err := event.CheckDelta(*c.Delta); err != nil {
			return err
		}
	}
	return c.CheckAlarms(nil)
}

// Run is kong's hook.
func (c *OdometerCommand) Run(r *filter.Run) error {
	ledger, err := ledgers.Read(r, c.Ledger)
	if err != nil {
		return err
	}
	q := report.Query{Delta: c.Delta, LedgerChoice: c.LedgerChoice, Ledger: c.Ledger}
	o, err := q.Odometer(ledger, c.Last)
	if err != nil {
		return err
	}
	alarm, err := c.Watch(c.Ledger, ledger, c.Spending(ledger), float64(o.Delta))
	if err != nil || r.DryRun() {
		return err
	}
	overspent, err := ledgers.CheckOverspent(c.Ledger, ledger)
	if err != nil {
		return err
	}
	if err := c.Indented(r, o); err != nil {
		return err
	}
	return cmp.Or(overspent, alarm)
}
