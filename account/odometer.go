package main

import (
	"bytes"
	"cmp"
	"fmt"
	"math"
	"slices"
	"text/tabwriter"
	"time"

	"privpipe/account/internal/compose"
	"privpipe/pipelines/event"
	"privpipe/pipelines/filter"
)

type odometerCommand struct {
	Delta *float64 `placeholder:"X" help:"Say ε at this δ; 0 where all mechanisms are pure. By default the δ of the ledger's budget, else of its first grant that has one, else 0."`
	Last  int      `placeholder:"N" help:"Only the N runs that released last; by default all, of which each costs a composition."`
	alarmFlags
	ledgerChoice
	printing
	Ledger string `arg:"" help:"Ledger of privatize."`
}

// Help is kong's hook.
func (odometerCommand) Help() string {
	return "What the whole ledger had spent when each run had made its last release, and what was left of the budget that stood " +
		"then: the ledger's own, or the latest that was planned. What a run added is what was spent, less what it would be without " +
		"the run: of runs that took turns this is not a sum. Where data sets share no unit, ε is the largest of theirs, and a run may add 0."
}

// Validate is kong's hook.
func (c *odometerCommand) Validate() error {
	if c.Last < 0 {
		return fmt.Errorf("--last must be positive, is %d", c.Last)
	}
	if c.Delta != nil && *c.Delta != 0 {
		if err := event.CheckDelta(*c.Delta); err != nil {
			return err
		}
	}
	return c.checkAlarms(nil)
}

// odometer is what account odometer prints, and its JSON form.
type odometer struct {
	Ledger     string `json:"ledger"`
	Accountant string `json:"accountant"`
	Delta      number `json:"delta"`
	Adjacency  string `json:"adjacency,omitempty"`
	Unit       string `json:"unit,omitempty"`
	// DisjointDatasets says, on trust, that data sets share no unit: each ε is the largest of theirs.
	DisjointDatasets bool      `json:"disjoint_datasets,omitempty"`
	Torn             bool      `json:"torn_last_line,omitempty"`
	Runs             []reading `json:"runs"`
}

// A reading is what a ledger had spent and had left after the last release of a run.
type reading struct {
	Dataset     string    `json:"dataset"`
	Run         string    `json:"run"`
	Releases    int       `json:"releases"`
	LastRelease time.Time `json:"last_release"`
	Epsilon     number    `json:"epsilon"`
	// Added is absent where ε was ∞ without the run.
	Added  *number       `json:"epsilon_added,omitempty"`
	Budget *budgetReport `json:"budget,omitempty"` // the total budget that stood by then

	first, charges int // the run's first charge; how many charges the ledger has up to its last
	lines          int // of the ledger up to that
}

// Run is kong's hook.
func (c *odometerCommand) Run(r *filter.Run) error {
	if err := keeps(c.Output, c.Ledger); err != nil {
		return err
	}
	ledger, composition, err := readComposed(c.Ledger)
	if err != nil {
		return err
	}
	q := query{Delta: c.Delta, ledgerChoice: c.ledgerChoice, Ledger: c.Ledger}
	o, err := q.odometer(ledger, composition, c.Last)
	if err != nil {
		return err
	}
	alarm, err := c.watch(c.Ledger, ledger, c.spending(ledger), float64(o.Delta))
	if err != nil || r.DryRun() {
		return err
	}
	overspent, err := checkOverspent(c.Ledger, ledger)
	if err != nil {
		return err
	}
	if err := c.printIndented(r, o, o.table); err != nil {
		return err
	}
	return cmp.Or(overspent, alarm)
}

// odometer returns the readings of the last runs of a ledger that is composed, of all for 0.
func (q *query) odometer(ledger *event.Ledger, composition *compose.Composition, last int) (*odometer, error) {
	delta, err := q.delta(ledger)
	if err != nil {
		return nil, err
	}
	o := &odometer{
		Ledger: q.Ledger, Accountant: q.accountant().name, Delta: number(delta), Adjacency: composition.Adjacency,
		Unit: composition.Unit, Torn: ledger.Torn, DisjointDatasets: disjointDatasets(ledger),
	}
	o.Runs, err = readings(ledger, q.spending(ledger), delta, last)
	return o, err
}

// readings returns those of all runs or the last, in the order of their last releases.
func readings(ledger *event.Ledger, spent spending, delta float64, last int) ([]reading, error) {
	charges := ledger.Charges()
	readings := lastReleases(ledger)
	readings = readings[firstOf(len(readings), last):]
	var before reading // of the run before, for its ε and where it ended
	for i := range readings {
		r := &readings[i]
		after, err := spent(charges[:r.charges])
		if err != nil {
			return nil, err
		}
		epsilon, err := after.Epsilon(delta)
		if err != nil {
			return nil, err
		}
		r.Epsilon = number(epsilon)
		without := float64(before.Epsilon)
		if r.first != before.charges || r.charges-r.first != r.Releases { // the runs took turns
			others := slices.DeleteFunc(slices.Clone(charges[:r.charges]), func(c *event.Charge) bool {
				return c.Run == r.Run && c.Dataset == r.Dataset
			})
			p, err := spent(others)
			if err != nil {
				return nil, err
			}
			if without, err = p.Epsilon(delta); err != nil {
				return nil, err
			}
		}
		if !math.IsInf(without, 1) {
			added := number(math.Max(0, epsilon-without))
			r.Added = &added
		}
		if r.Budget, err = reportBudget(&event.Ledger{Lines: ledger.Lines[:r.lines]}, after); err != nil {
			return nil, err
		}
		before = *r
	}
	return readings, nil
}

// firstOf is the index of the first of the last few of n, of all for 0.
func firstOf(n, last int) int {
	if last == 0 {
		return 0
	}
	return max(0, n-last)
}

// lastReleases returns the readings of all runs, without losses.
func lastReleases(ledger *event.Ledger) []reading {
	type key struct{ dataset, run string }
	at := make(map[key]*reading)
	charges := 0
	for i, line := range ledger.Lines {
		c := line.Charge
		if c == nil {
			continue
		}
		k := key{c.Dataset, c.Run}
		if at[k] == nil {
			at[k] = &reading{Dataset: c.Dataset, Run: c.Run, first: charges}
		}
		charges++
		at[k].Releases, at[k].LastRelease, at[k].charges, at[k].lines = at[k].Releases+1, line.Time, charges, i+1
	}
	readings := []reading{}
	for _, r := range at {
		readings = append(readings, *r)
	}
	slices.SortFunc(readings, func(a, b reading) int { return a.charges - b.charges })
	return readings
}

// table prints the readings for people.
func (o *odometer) table(b *bytes.Buffer) {
	w := tabwriter.NewWriter(b, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "accountant\tδ\tneighbours\tunit\n%s\t%s\t%s\t%s\n", o.Accountant, o.Delta, dash(o.Adjacency), dash(o.Unit))
	w.Flush()
	if o.DisjointDatasets {
		fmt.Fprintf(b, "\n%s; ε is the largest of theirs\n", disjointNote)
	}
	fmt.Fprint(w, "\nrun\tdata set\treleases\tlast release\tε\tε added\tbudget\tleft\n")
	for _, r := range o.Runs {
		added := "-"
		if r.Added != nil {
			added = r.Added.String()
		}
		budget, left := "-", "-"
		if r.Budget != nil {
			budget, left = r.Budget.text, r.Budget.left()
		}
		fmt.Fprintf(w, "%s\t%s\t%d\t%s\t%s\t%s\t%s\t%s\n", quoted(r.Run), quoted(r.Dataset), r.Releases,
			r.LastRelease.Format(time.RFC3339), r.Epsilon, added, budget, left)
	}
	w.Flush()
	if o.Torn {
		fmt.Fprint(b, "\n"+tornNote)
	}
}
