package main

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"text/tabwriter"

	"privpipe/account/internal/classic"
	"privpipe/account/internal/wor"
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
	rows := q.bounds(c.Delta)
	if c.Events == "" {
		rows = append(rows, c.setting().others(c.NoiseMultiplier, c.Delta)...)
	}
	return c.print(r, rows, func(b *bytes.Buffer) { comparisons(b, rows) })
}

// others are the rows of the papers and, for sampling without replacement, of the same rate by Poisson sampling.
func (s *setting) others(noise, delta float64) []*comparison {
	rows := s.claims(noise, delta)
	if s.scheme.Method == event.Fixed {
		other := *s
		other.scheme = event.Scheme{Method: event.Poisson, Rate: s.scheme.Rate, Rounds: s.scheme.Rounds, Secret: true}
		other.adjacency, other.sensitivity = event.AddRemove, 1
		for _, row := range other.asked(noise).bounds(delta) {
			if row.Epsilon != nil {
				rows = append(rows, row)
			}
		}
	}
	return rows
}

// bounds are the rows of the accountants with theorems.
func (q *question) bounds(delta float64) (rows []*comparison) {
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

// claims are the rows of the papers, which take the clip for the sensitivity.
func (s *setting) claims(noise, delta float64) (rows []*comparison) {
	if s.scheme.Method == event.All {
		return nil
	}
	clip := *s
	clip.sensitivity = 1
	rate, sigma, rounds := clip.scheme.Rate, math.Nextafter(noise, 0), uint64(clip.scheme.Rounds)
	claim := func(name string, epsilon float64, theorem string) {
		row := &comparison{answer: clip.asked(noise).about, Claim: true}
		value := number(epsilon)
		row.Accountant, row.Delta, row.Epsilon, row.Theorem = name, number(delta), &value, theorem
		rows = append(rows, row)
	}
	if s.scheme.Method == event.Fixed {
		epsilon, _ := classic.MomentsEpsilon(wor.Gaussian(rate, sigma), rounds, delta, vipsLambdas)
		claim("vips20", epsilon, "moments accountant (Wang, Balle, Kasiviswanathan 2019, thm. 9) with noise over the clip: "+
			"an exchange moves the sum by up to "+clips(number(s.sensitivity)))
	}
	// δ_iter of a release is 1e-6 in the authors' code.
	recipe := classic.Recipe{Rate: rate, Rounds: rounds, Delta: delta, RoundDelta: 1e-6}
	const by = "rounds by the classical Gaussian (Dwork, Roth 2014, thm. A.1, proven for ε < 1), amplified: "
	claim("zcdp16", recipe.ZCDP(sigma), by+"taken for zCDP, which has no proof")
	claim("zcdp16-strong", recipe.Strong(sigma), by+"strong composition (ibid., thm. 3.20)")
	claim("zcdp16-linear", recipe.Linear(sigma), by+"linear composition (ibid., thm. 3.16)")
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
