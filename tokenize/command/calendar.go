package command

import (
	"bytes"
	"encoding/json"
	"fmt"
	"time"

	"privpipe/pipelines/endpoint"
	"privpipe/pipelines/exit"
	"privpipe/pipelines/filter"
	"privpipe/pipelines/wire"
	"privpipe/tokenize/internal/date"
)

// Calendar prints the windows of a calendar.
type Calendar struct {
	Every    string `enum:"day,week,month" default:"week" help:"Cut time into windows of this length, ${enum} (default week)."`
	For      int    `required:"" placeholder:"N" help:"Print N windows."`
	From     string `required:"" placeholder:"DATE" help:"Begin the first window on this date, its first day."`
	Zone     string `default:"UTC" placeholder:"ZONE" help:"Cut days in this time zone of the IANA, such as Europe/Berlin (default UTC)."`
	FirstDay string `default:"monday" placeholder:"DAY" help:"Begin weeks on this day (default monday)."`
	OverBy   string `placeholder:"TIME" help:"Print only windows that have ended at this date or time (ISO 8601), or now."`
	JSON     bool   `name:"json" help:"Print an object for each window: name, from and until."`
	Output   string `short:"o" placeholder:"FILE" help:"Write the windows to FILE; standard output by default."`
}

// Help is kong's hook.
func (Calendar) Help() string {
	return "A line has a window's name, its begin and its end, with tabs between, for --from and --until of tokenize " +
		"text. A week that begins on a Monday is called as in ISO 8601, 2026-W10, and another one by its first day."
}

// Run is kong's hook.
func (c *Calendar) Run(r *filter.Run) error {
	if c.For < 1 || c.For > 100_000 {
		return exit.Errorf(exit.Usage, "--for must be in [1, 100000], is %d", c.For)
	}
	zone, err := time.LoadLocation(c.Zone)
	if err != nil || c.Zone == "Local" {
		return exit.Errorf(exit.Usage, "--zone: no zone of the IANA: %q", c.Zone)
	}
	day, err := date.Weekday(c.FirstDay)
	if err != nil {
		return exit.Errorf(exit.Usage, "--first-day: %v", err)
	}
	windows, err := date.Calendar{Every: c.Every, FirstDay: day, Zone: zone}.Windows(c.From, c.For)
	if err != nil {
		return exit.Errorf(exit.Usage, "%v", err)
	}
	over := func(date.Window) bool { return true }
	if c.OverBy != "" {
		now := time.Now()
		if c.OverBy != "now" {
			if now, err = date.Time(c.OverBy, zone); err != nil {
				return exit.Errorf(exit.Usage, "--over-by must be a date, a time or now, is %q", c.OverBy)
			}
		}
		over = func(w date.Window) bool { return !w.End.After(now) }
	}
	if r.DryRun() {
		return nil
	}
	var lines bytes.Buffer
	for _, w := range windows {
		if !over(w) {
			break
		}
		from, until := w.Begin.Format(time.RFC3339), w.End.Format(time.RFC3339)
		if !c.JSON {
			fmt.Fprintf(&lines, "%s\t%s\t%s\n", w.Name, from, until)
			continue
		}
		b, err := json.Marshal(map[string]string{"name": w.Name, "from": from, "until": until})
		if err != nil {
			return err
		}
		lines.Write(append(b, '\n'))
	}
	return endpoint.WriteFile(r, c.Output, wire.Side_PUBLIC, lines.Bytes())
}
