package ledger

import (
	"cmp"
	"errors"
	"fmt"

	"privpipe/account/internal/ledgers"
	"privpipe/account/internal/print"
	"privpipe/account/internal/report"
	"privpipe/pipelines/event"
	"privpipe/pipelines/filter"
)

// ReportCommand is account report.
type ReportCommand struct {
	report.Query
	ledgers.AlarmFlags
	Curve report.CurveFile `output:"" placeholder:"FILE" help:"Also draw ε over the releases and δ over ε as FILE.svg, or write both to FILE.csv or FILE.json."`
	print.Flags
}

// Validate is kong's hook.
func (c *ReportCommand) Validate() error {
	if err := errors.Join(c.CheckAlarms(c.Epsilon), c.Curve.Check(c.Epsilon, c.Output)); err != nil {
		return err
	}
	if c.Group < 0 || c.Group > report.MostUnits {
		return fmt.Errorf("--group must be in [1, %d], is %d", report.MostUnits, c.Group)
	}
	switch {
	case c.Delta != nil && *c.Delta != 0:
		return event.CheckDelta(*c.Delta)
	case c.Epsilon != nil:
		return event.CheckEpsilon(*c.Epsilon)
	}
	return nil
}

// Run is kong's hook.
func (c *ReportCommand) Run(r *filter.Run) error {
	ledger, err := ledgers.Read(r, c.Ledger)
	if err != nil {
		return err
	}
	rep, err := c.Report(ledger)
	if err != nil {
		return err
	}
	if c.Epsilon == nil {
		rep.Papers = paperClaims(rep, ledger.Charges())
	}
	drawn, err := c.Curve.Draw(r, rep, ledger, c.Spending(ledger))
	if err != nil {
		return err
	}
	alarm, err := c.Watch(c.Ledger, ledger, c.Spending(ledger), float64(rep.Delta))
	if err != nil || r.DryRun() {
		return err
	}
	if rep.OverspentBudget, err = ledgers.Overspent(ledger); err != nil {
		return err
	}
	overfull, err := ledgers.Overfull(c.Ledger, ledger)
	if err != nil {
		return err
	}
	rep.Overspent = rep.OverspentBudget != nil || overfull != nil
	if err := c.Curve.Write(r, drawn); err != nil {
		return err
	}
	if err := c.Indented(r, rep); err != nil {
		return err
	}
	return cmp.Or(rep.OverspentBudget.Refusal(c.Ledger), overfull, alarm)
}
