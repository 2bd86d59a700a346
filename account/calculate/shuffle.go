package calculate

import (
	"bytes"
	"errors"
	"fmt"
	"text/tabwriter"

	"privpipe/account/internal/loss"
	"privpipe/account/internal/print"
	"privpipe/pipelines/event"
	"privpipe/pipelines/exit"
	"privpipe/pipelines/filter"
)

// ShuffleCommand is account shuffle, amplification by shuffling. It reads no ledger, and no report counts the
// amplification: a ledger cannot know what a shuffler does.
type ShuffleCommand struct {
	LocalEpsilon float64 `required:"" placeholder:"X" help:"Pure ε of one author's report, for the exchange of her whole document: account report prints it of a ledger of randomized-response."`
	Reports      int     `required:"" placeholder:"N" help:"State how many reports the shuffler mixes, each of another author. Reports of authors who work with the adversary do not count."`
	Delta        float64 `required:"" placeholder:"X" help:"δ of the guarantee."`
	print.Flags
}

// Help is the text that --help adds for this command.
func (ShuffleCommand) Help() string {
	return `
The (ε, δ) of N local reports, where a trusted shuffler is stated: it mixes them, and drops their names, their order
and their times. Whoever sees the reports before it has only the local ε. Neighbours differ by the exchange of one
author's document.

  account shuffle --local-epsilon 4 --reports 100000 --delta 1e-6

The authors have one mechanism with one set of flags, and each reports once.`
}

// Validate is kong's hook.
func (c *ShuffleCommand) Validate() error {
	var wrong []error
	if !(c.LocalEpsilon > 0 && c.LocalEpsilon <= 1e9) {
		wrong = append(wrong, fmt.Errorf("--local-epsilon must be above 0 and at most 1e9, is %v", c.LocalEpsilon))
	}
	if c.Reports < 1 || c.Reports > loss.MostShuffled {
		wrong = append(wrong, fmt.Errorf("--reports must be in [1, %d], is %d", loss.MostShuffled, c.Reports))
	}
	if !(c.Delta >= 1e-20 && c.Delta < 1) {
		wrong = append(wrong, fmt.Errorf("--delta must be in [1e-20, 1), is %v", c.Delta))
	}
	if len(wrong) > 0 {
		return exit.Errorf(exit.Usage, "%w", errors.Join(wrong...))
	}
	return nil
}

// A shuffledRow is one bound. Trusts says what the bound relies on. Epsilon is missing where the theorem does not hold.
type shuffledRow struct {
	Bound     string        `json:"bound"`
	Epsilon   *print.Number `json:"epsilon,omitempty"`
	Delta     float64       `json:"delta"`
	Adjacency string        `json:"adjacency"`
	Trusts    string        `json:"trusts"`
	Theorem   string        `json:"theorem"`
}

type shuffledRows []shuffledRow

// Run is kong's hook.
func (c *ShuffleCommand) Run(r *filter.Run) error { return c.Print(r, c.rows()) }

func (c *ShuffleCommand) rows() shuffledRows {
	trusts := fmt.Sprintf("a trusted shuffler of %d reports", c.Reports)
	local := print.Number(c.LocalEpsilon)
	clones, theorem := local, "clones (Feldman, McMillan, Talwar 2021, thm. 3.2)"
	if c.LocalEpsilon <= loss.MostLocalEpsilon {
		clones = print.Number(loss.NewClones(c.LocalEpsilon, c.Reports).Epsilon(c.Delta))
	}
	if clones > 0.99*local {
		theorem += ": nothing is gained"
	}
	rows := shuffledRows{
		{"local", &local, 0, event.ReplaceOne, "nobody", "each report for itself"},
		{"shuffled", &clones, c.Delta, event.ReplaceOne, trusts, theorem},
		{"closed form", nil, c.Delta, event.ReplaceOne, trusts, "the same, thm. 3.1"},
	}
	if most := loss.MostClosedShuffle(c.Reports, c.Delta); c.LocalEpsilon <= most {
		closed := print.Number(loss.ClosedShuffle(c.LocalEpsilon, c.Reports, c.Delta))
		rows[2].Epsilon = &closed
	} else {
		rows[2].Theorem += fmt.Sprintf(", which needs a local ε of at most %.4g", max(0, most))
	}
	return rows
}

// Table prints the bounds for people.
func (rows shuffledRows) Table(b *bytes.Buffer) {
	w := tabwriter.NewWriter(b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "bound\tε\tδ\tneighbours\ttrusts\trests on")
	for _, row := range rows {
		epsilon := "-"
		if row.Epsilon != nil {
			epsilon = row.Epsilon.String()
		}
		fmt.Fprintf(w, "%s\t%s\t%v\t%s\t%s\t%s\n", row.Bound, epsilon, row.Delta, row.Adjacency, row.Trusts,
			row.Theorem)
	}
	w.Flush()
	fmt.Fprintln(b, "\nshuffled and closed form hold only where the shuffler drops the names, the order and the "+
		"times of the reports")
}
