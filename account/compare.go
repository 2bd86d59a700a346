package main

import (
	"bytes"
	"errors"
	"fmt"
	"text/tabwriter"

	"privpipe/account/internal/classic"
	"privpipe/account/internal/wor"
	"privpipe/pipelines/event"
	"privpipe/pipelines/filter"
)

type compareCommand struct {
	settingFlags
	NoiseMultiplier float64 `required:"" placeholder:"X" help:"Standard deviation of the noise over the clip C."`
	Delta           float64 `required:"" placeholder:"X" help:"δ of the guarantee."`
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
	return errors.Join(c.check(), c.problem(c.NoiseMultiplier).checkNoise(), checkCalculatedDelta(c.Delta))
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
	p := c.problem(c.NoiseMultiplier)
	rows := append(p.bounds(c.Delta), p.claims(c.Delta)...)
	if p.scheme.Method == event.Fixed {
		other := *p
		other.scheme = event.Scheme{Method: event.Poisson, Rate: p.scheme.Rate, Rounds: p.scheme.Rounds, Secret: true}
		other.adjacency, other.sensitivity = event.AddRemove, 1
		for _, row := range other.bounds(c.Delta) {
			if row.Epsilon != nil {
				rows = append(rows, row)
			}
		}
	}
	return c.print(r, rows, func(b *bytes.Buffer) { comparisons(b, rows) })
}

func (p *problem) comparison(name string, delta float64) *comparison {
	return &comparison{answer: answer{
		Delta: number(delta), NoiseMultiplier: number(p.noise), Sensitivity: number(p.sensitivity),
		Accountant: name, Adjacency: p.adjacency, Sampling: p.scheme.String(),
	}}
}

// bounds are the rows of the accountants with theorems.
func (p *problem) bounds(delta float64) (rows []*comparison) {
	for _, a := range accountants {
		row := p.comparison(a.name, delta)
		if theorem, err := a.proves(p); err != nil {
			row.Reason = err.Error()
		} else {
			epsilon := number(a.epsilon(p, delta))
			row.Epsilon, row.Theorem = &epsilon, theorem
		}
		rows = append(rows, row)
	}
	return rows
}

// claims are the rows of the papers, which take the clip for the sensitivity.
func (p *problem) claims(delta float64) (rows []*comparison) {
	if p.scheme.Method == event.All {
		return nil
	}
	clip := *p
	clip.sensitivity = 1
	claim := func(name string, epsilon float64, theorem string) {
		row := clip.comparison(name, delta)
		value := number(epsilon)
		row.Epsilon, row.Theorem, row.Claim = &value, theorem, true
		rows = append(rows, row)
	}
	if p.scheme.Method == event.Fixed {
		epsilon, _ := classic.MomentsEpsilon(wor.Gaussian(clip.rate(), clip.sigma()), p.rounds(), delta, vipsLambdas)
		claim("vips20", epsilon, "moments accountant (Wang, Balle, Kasiviswanathan 2019, thm. 9) with noise over the clip: "+
			"an exchange moves the sum by up to "+clips(number(p.sensitivity)))
	}
	// δ_iter of a release is 1e-6 in the authors' code.
	recipe := classic.Recipe{Rate: clip.rate(), Rounds: p.rounds(), Delta: delta, RoundDelta: 1e-6}
	const rounds = "rounds by the classical Gaussian (Dwork, Roth 2014, thm. A.1, proven for ε < 1), amplified: "
	claim("zcdp16", recipe.ZCDP(clip.sigma()), rounds+"taken for zCDP, which has no proof")
	claim("zcdp16-strong", recipe.Strong(clip.sigma()), rounds+"strong composition (ibid., thm. 3.20)")
	claim("zcdp16-linear", recipe.Linear(clip.sigma()), rounds+"linear composition (ibid., thm. 3.16)")
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
