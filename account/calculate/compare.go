package calculate

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"text/tabwriter"

	"privpipe/account/internal/accountant"
	"privpipe/account/internal/calculator"
	"privpipe/account/internal/papers"
	"privpipe/account/internal/print"
	"privpipe/pipelines/event"
	"privpipe/pipelines/filter"
)

// CompareCommand is account compare.
type CompareCommand struct {
	calculator.Released
	Delta float64 `zero:"" required:"" placeholder:"X" help:"δ of the guarantee."`
	print.Flags
}

// Help is the text that --help adds for this command.
func (CompareCommand) Help() string {
	return `
Prints every accountant with the neighbours and the sampling for which it is proved, or why it has no proof. With
--fixed the same rate by Poisson sampling follows, under add-remove: it is the cost of another way to sample, not of
this one. A claim is an ε that a paper computes with the clip for the sensitivity, or without a theorem. It is no
bound.`
}

// Validate is kong's hook.
func (c *CompareCommand) Validate() error {
	return errors.Join(c.Check(), accountant.CheckPureDelta(c.Delta))
}

// Run is kong's hook.
func (c *CompareCommand) Run(r *filter.Run) error {
	return answer(r, c.Flags, func() (comparisons, error) { return c.compare(r) })
}

// A comparison is a row of compare, and its JSON form.
type comparison struct {
	calculator.Answer
	Epsilon *print.Number `json:"epsilon"` // null: none
	Claim   bool          `json:"claim"`   // a paper claims it; it is no bound
	Reason  string        `json:"reason,omitempty"`
}

type comparisons []*comparison

func (c *CompareCommand) compare(ctx context.Context) (comparisons, error) {
	q, err := c.Question(ctx)
	if err != nil {
		return nil, err
	}
	rows := bounds(q, c.Delta)
	if c.Events == "" {
		rows = append(rows, others(c.Setting(), c.NoiseMultiplier, c.Delta)...)
	}
	return rows, nil
}

// others are two kinds of rows: the claims of papers, and for sampling without replacement the bounds for Poisson
// sampling at the same rate.
func others(s *calculator.Setting, noise, delta float64) []*comparison {
	rows := paperRows(s, noise, delta)
	if s.Scheme.Method == event.Fixed {
		other := *s
		other.Scheme = event.Scheme{Method: event.Poisson, Rate: s.Scheme.Rate, Rounds: s.Scheme.Rounds, Secret: true}
		other.Adjacency, other.Sensitivity = event.AddRemove, 1
		for _, row := range bounds(other.Asked(noise), delta) {
			if row.Epsilon != nil {
				rows = append(rows, row)
			}
		}
	}
	return rows
}

// bounds are the rows of the accountants that have theorems.
func bounds(q *calculator.Question, delta float64) (rows []*comparison) {
	for _, a := range accountant.All {
		row := &comparison{Answer: q.About}
		if found, err := q.Answer(a, accountant.EpsilonAt(delta)); err != nil {
			row.Accountant, row.Delta, row.Reason = a.Name, print.Number(delta), err.Error()
		} else {
			row.Answer, row.Epsilon = *found, &found.Epsilon
		}
		rows = append(rows, row)
	}
	return rows
}

// paperRows are the rows of the papers, which take the clip for the sensitivity.
func paperRows(s *calculator.Setting, noise, delta float64) (rows []*comparison) {
	clip := *s
	clip.Sensitivity = 1
	for _, c := range papers.Claims(s.Scheme, noise, delta, calculator.Clips(print.Number(s.Sensitivity))) {
		row := &comparison{Answer: clip.Asked(noise).About, Claim: true}
		value := print.Number(c.Epsilon)
		row.Accountant, row.Delta, row.Epsilon, row.Theorem = c.Name, print.Number(delta), &value, c.Theorem
		rows = append(rows, row)
	}
	return rows
}

// Table prints the rows for people.
func (rows comparisons) Table(b *bytes.Buffer) {
	w := tabwriter.NewWriter(b, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "accountant\tε\tis a\tneighbours\tsensitivity\tsampling\trests on\n")
	for _, row := range rows {
		epsilon, kind, why := "-", "-", row.Reason
		if row.Epsilon != nil {
			epsilon, kind, why = row.Epsilon.String(), "bound", row.Theorem
		}
		if row.Claim {
			kind = "claim"
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\t%s\n", row.Accountant, epsilon, kind, row.Adjacency,
			calculator.Clips(row.Sensitivity),
			row.Sampling, why)
	}
	w.Flush()
}
