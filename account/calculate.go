package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"text/tabwriter"

	"privpipe/pipelines/endpoint"
	"privpipe/pipelines/event"
	"privpipe/pipelines/exit"
	"privpipe/pipelines/filter"
	"privpipe/pipelines/wire"
)

// printing is how an answer of the calculator leaves it.
type printing struct {
	JSON   bool   `name:"json" help:"Print JSON, not a table."`
	Output string `short:"o" placeholder:"FILE" help:"Where the answer goes; standard output by default."`
}

type epsilonCommand struct {
	settingFlags
	NoiseMultiplier float64 `required:"" placeholder:"X" help:"Standard deviation of the noise over the clip C."`
	Delta           float64 `required:"" placeholder:"X" help:"δ of the guarantee."`
	choice
	printing
}

type deltaCommand struct {
	settingFlags
	NoiseMultiplier float64 `required:"" placeholder:"X" help:"Standard deviation of the noise over the clip C."`
	Epsilon         float64 `required:"" placeholder:"X" help:"ε of the guarantee."`
	choice
	printing
}

type noiseCommand struct {
	settingFlags
	Epsilon float64 `required:"" placeholder:"X" help:"ε of the guarantee."`
	Delta   float64 `required:"" placeholder:"X" help:"δ of the guarantee."`
	choice
	printing
}

// An answer is what the calculator prints, and its JSON form. Losses and noise are upper bounds as they were computed; a
// table rounds them further up.
type answer struct {
	Epsilon         number `json:"epsilon"`
	Delta           number `json:"delta"`
	NoiseMultiplier number `json:"noise_multiplier"` // over the clip
	Sensitivity     number `json:"sensitivity"`      // over the clip
	Accountant      string `json:"accountant"`
	Adjacency       string `json:"adjacency"`
	Sampling        string `json:"sampling"`
	Theorem         string `json:"theorem"`
}

// answer returns what an accountant says, or why it does not: compute is asked where it has a theorem.
func (p *problem) answer(a *accountant, compute func() (epsilon, delta float64)) (*answer, error) {
	theorem, err := a.proves(p)
	if err != nil {
		return nil, a.refuses(err)
	}
	epsilon, delta := compute()
	if math.IsInf(epsilon, 1) {
		return nil, a.refuses(errNoBound)
	}
	return &answer{
		Epsilon: number(epsilon), Delta: number(delta), NoiseMultiplier: number(p.noise), Sensitivity: number(p.sensitivity),
		Accountant: a.name, Adjacency: p.adjacency, Sampling: p.scheme.String(), Theorem: theorem,
	}, nil
}

func (a *accountant) refuses(reason error) error {
	return exit.Errorf(exit.Usage, "accountant %s: %w", a.name, reason)
}

// Help is kong's hook.
func (epsilonCommand) Help() string { return whichAccountant }

// Help is kong's hook.
func (deltaCommand) Help() string { return whichAccountant }

// Help is kong's hook.
func (noiseCommand) Help() string { return whichAccountant }

// Validate is kong's hook.
func (c *epsilonCommand) Validate() error {
	p := c.problem(c.NoiseMultiplier)
	return errors.Join(c.check(), p.checkNoise(), checkCalculatedDelta(c.Delta))
}

// Validate is kong's hook.
func (c *deltaCommand) Validate() error {
	p := c.problem(c.NoiseMultiplier)
	return errors.Join(c.check(), p.checkNoise(), event.CheckEpsilon(c.Epsilon))
}

// Validate is kong's hook.
func (c *noiseCommand) Validate() error {
	return errors.Join(c.check(), event.CheckEpsilon(c.Epsilon), checkCalculatedDelta(c.Delta))
}

// Run is kong's hook.
func (c *epsilonCommand) Run(r *filter.Run) error {
	p := c.problem(c.NoiseMultiplier)
	return c.least(r, c.printing, func(a *accountant) (*answer, error) {
		return p.answer(a, func() (epsilon, delta float64) { return a.epsilon(p, c.Delta), c.Delta })
	})
}

// Run is kong's hook.
func (c *deltaCommand) Run(r *filter.Run) error {
	p := c.problem(c.NoiseMultiplier)
	return c.least(r, c.printing, func(a *accountant) (*answer, error) {
		return p.answer(a, func() (epsilon, delta float64) { return c.Epsilon, a.deltaAt(p, c.Epsilon) })
	})
}

// Run is kong's hook.
func (c *noiseCommand) Run(r *filter.Run) error {
	return c.least(r, c.printing, func(a *accountant) (*answer, error) {
		p, err := c.problem(0).solve(a, c.Epsilon, c.Delta)
		if err != nil {
			return nil, a.refuses(err)
		}
		return p.answer(a, func() (epsilon, delta float64) { return a.epsilon(p, c.Delta), c.Delta })
	})
}

// least prints the answer of the chosen accountant, or the least of all that have one: they differ in noise, or else in δ or
// in ε.
func (c choice) least(r *filter.Run, out printing, ask func(*accountant) (*answer, error)) error {
	var answers []*answer
	var refusal error
	for _, a := range c.accountants() {
		if found, err := ask(a); err != nil {
			refusal = cmp.Or(refusal, err)
		} else {
			answers = append(answers, found)
		}
	}
	if len(answers) == 0 {
		return refusal
	}
	best := slices.MinFunc(answers, func(a, b *answer) int {
		return cmp.Or(cmp.Compare(a.NoiseMultiplier, b.NoiseMultiplier), cmp.Compare(a.Delta, b.Delta),
			cmp.Compare(a.Epsilon, b.Epsilon))
	})
	return out.print(r, best, best.table)
}

// print writes an answer: v as JSON, or its table.
func (p printing) print(r *filter.Run, v any, table func(*bytes.Buffer)) error {
	if r.DryRun() {
		return nil
	}
	var b bytes.Buffer
	if p.JSON {
		if err := json.NewEncoder(&b).Encode(v); err != nil {
			return err
		}
	} else {
		table(&b)
	}
	return endpoint.WriteFile(p.Output, wire.Side_PUBLIC, b.Bytes())
}

func (a *answer) table(b *bytes.Buffer) {
	w := tabwriter.NewWriter(b, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "accountant\tε\tδ\tnoise/clip\tneighbours\tsensitivity\tsampling\n")
	fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\t%s\n", a.Accountant, a.Epsilon, a.Delta, a.NoiseMultiplier, a.Adjacency,
		clips(a.Sensitivity), a.Sampling)
	w.Flush()
	fmt.Fprintf(b, "\nrests on: %s\n", a.Theorem)
}

// clips prints a sensitivity in clips.
func clips(sensitivity number) string {
	switch sensitivity {
	case 1:
		return "C"
	case math.Sqrt2:
		return "√2·C"
	}
	return sensitivity.String() + "·C"
}
