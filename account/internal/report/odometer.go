package report

import (
	"bytes"
	"cmp"
	"fmt"
	"math"
	"slices"
	"text/tabwriter"
	"time"

	"privpipe/account/internal/accountant"
	"privpipe/account/internal/print"
	"privpipe/pipelines/event"
)

// Odometer is what account odometer prints, and its JSON form.
type Odometer struct {
	Ledger     string       `json:"ledger"`
	Accountant string       `json:"accountant"`
	Delta      print.Number `json:"delta"`
	Adjacency  string       `json:"adjacency,omitempty"`
	Unit       string       `json:"unit,omitempty"`
	// DisjointDatasets says, on trust, that data sets share no unit. Each ε is the largest over the data sets.
	DisjointDatasets bool      `json:"disjoint_datasets,omitempty"`
	Torn             bool      `json:"torn_last_line,omitempty"`
	Runs             []reading `json:"runs"`
}

// A reading says how much a ledger had spent, and had left, after the last release of one run.
type reading struct {
	Dataset     string       `json:"dataset"`
	Run         string       `json:"run"`
	Releases    int          `json:"releases"`
	LastRelease time.Time    `json:"last_release"`
	Epsilon     print.Number `json:"epsilon"`
	// Added is absent if ε was ∞ without the run.
	Added  *print.Number `json:"epsilon_added,omitempty"`
	Budget *budgetReport `json:"budget,omitempty"` // the total budget at that time

	first, charges int // index of the run's first charge; number of charges up to its last
	lines          int // number of lines up to the run's last charge
}

// Odometer returns the readings for the ledger's last runs. If last is 0, it returns all of them.
func (q *Query) Odometer(ledger *event.Ledger, last int) (*Odometer, error) {
	composition, err := accountant.ComposeLedger(q.Ledger, ledger)
	if err != nil {
		return nil, err
	}
	delta, err := q.DeltaOf(ledger)
	if err != nil {
		return nil, err
	}
	o := &Odometer{
		Ledger: q.Ledger, Accountant: q.Chosen().Name, Delta: print.Number(delta), Adjacency: composition.Adjacency,
		Unit: composition.Unit, Torn: ledger.Torn, DisjointDatasets: accountant.DisjointDatasets(ledger),
	}
	o.Runs, err = readings(ledger, q.Spending(ledger), delta, last)
	return o, err
}

// readings returns the readings for the last runs, or for all, in the order of their last releases.
func readings(ledger *event.Ledger, spent accountant.Spending, delta float64, last int) ([]reading, error) {
	charges := ledger.Charges()
	readings := lastReleases(ledger)
	readings = readings[firstOf(len(readings), last):]
	var before reading // the previous run's reading: its ε, and where it ended
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
		r.Epsilon = print.Number(epsilon)
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
			added := print.Number(math.Max(0, epsilon-without))
			r.Added = &added
		}
		if r.Budget, err = NewBudget(&event.Ledger{Lines: ledger.Lines[:r.lines]}, after); err != nil {
			return nil, err
		}
		before = *r
	}
	return readings, nil
}

// firstOf returns the index of the first of the last few of n runs. If last is 0, it returns 0.
func firstOf(n, last int) int {
	if last == 0 {
		return 0
	}
	return max(0, n-last)
}

// lastReleases returns a reading for each run, without losses.
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

// Table prints the readings for people.
func (o *Odometer) Table(b *bytes.Buffer) {
	w := tabwriter.NewWriter(b, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "accountant\tδ\tneighbours\tunit\n%s\t%s\t%s\t%s\n", o.Accountant, o.Delta, cmp.Or(o.Adjacency, "-"),
		cmp.Or(o.Unit, "-"))
	w.Flush()
	if o.DisjointDatasets {
		fmt.Fprintf(b, "\n%s; ε is the largest of theirs\n", accountant.DisjointNote)
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
		fmt.Fprintf(w, "%s\t%s\t%d\t%s\t%s\t%s\t%s\t%s\n", print.Quoted(r.Run), print.Quoted(r.Dataset), r.Releases,
			r.LastRelease.Format(time.RFC3339), r.Epsilon, added, budget, left)
	}
	w.Flush()
	if o.Torn {
		fmt.Fprint(b, "\n"+tornNote)
	}
}
