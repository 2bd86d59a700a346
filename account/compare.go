package main

import (
	"bytes"
	"errors"
	"fmt"
	"text/tabwriter"

	"privpipe/pipelines/event"
	"privpipe/pipelines/filter"
)

type compareCommand struct {
	releasedFlags
	Delta float64 `required:"" placeholder:"X" help:"δ of the guarantee."`
	printing
}

// Help is kong's hook.
func (compareCommand) Help() string {
	return `
Every accountant, with the neighbours and the sampling for which it is proved, or why it is not. Under --fixed
the same rate by Poisson sampling follows, under add-remove: what another way to sample costs, not what this one
does. A claim is what a paper computes with the clip for the sensitivity or without a theorem; it is no bound.`
}

// Validate is kong's hook.
func (c *compareCommand) Validate() error {
	return errors.Join(c.check(), checkPureDelta(c.Delta))
}

// A comparison is a row of compare, and its JSON form.
type comparison struct {
	answer
	Epsilon *number `json:"epsilon"` // null: none
	Claim   bool    `json:"claim"`   // of a paper: no bound
	Reason  string  `json:"reason,omitempty"`
}

// Run is kong's hook.
func (c *compareCommand) Run(r *filter.Run) error {
	q, err := ask(&c.releasedFlags, c.Output)
	if err != nil {
		return err
	}
	rows := bounds(q, c.Delta)
	if c.Events == "" {
		rows = append(rows, others(c.setting(), c.NoiseMultiplier, c.Delta)...)
	}
	return c.print(r, rows, func(b *bytes.Buffer) { comparisons(b, rows) })
}

// others are the rows of the papers and, for sampling without replacement, of the same rate by Poisson sampling.
func others(s *setting, noise, delta float64) []*comparison {
	rows := paperRows(s, noise, delta)
	if s.scheme.Method == event.Fixed {
		other := *s
		other.scheme = event.Scheme{Method: event.Poisson, Rate: s.scheme.Rate, Rounds: s.scheme.Rounds, Secret: true}
		other.adjacency, other.sensitivity = event.AddRemove, 1
		for _, row := range bounds(other.asked(noise), delta) {
			if row.Epsilon != nil {
				rows = append(rows, row)
			}
		}
	}
	return rows
}

// bounds are the rows of the accountants with theorems.
func bounds(q *question, delta float64) (rows []*comparison) {
	for _, a := range accountants {
		row := &comparison{answer: q.about}
		if found, err := q.answer(a, epsilonAt(delta)); err != nil {
			row.Accountant, row.Delta, row.Reason = a.name, number(delta), err.Error()
		} else {
			row.answer, row.Epsilon = *found, &found.Epsilon
		}
		rows = append(rows, row)
	}
	return rows
}

// paperRows are the rows of the papers, which take the clip for the sensitivity.
func paperRows(s *setting, noise, delta float64) (rows []*comparison) {
	clip := *s
	clip.sensitivity = 1
	for _, c := range claims(s.scheme, noise, delta, clips(number(s.sensitivity))) {
		row := &comparison{answer: clip.asked(noise).about, Claim: true}
		value := number(c.epsilon)
		row.Accountant, row.Delta, row.Epsilon, row.Theorem = c.name, number(delta), &value, c.theorem
		rows = append(rows, row)
	}
	return rows
}

func comparisons(b *bytes.Buffer, rows []*comparison) {
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
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\t%s\n", row.Accountant, epsilon, kind, row.Adjacency, clips(row.Sensitivity),
			row.Sampling, why)
	}
	w.Flush()
}
