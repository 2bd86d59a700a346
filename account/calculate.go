package main

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"math"
	"text/tabwriter"

	"privpipe/account/internal/loss"
	"privpipe/pipelines/event"
	"privpipe/pipelines/exit"
	"privpipe/pipelines/filter"
)

type epsilonCommand struct {
	releasedFlags
	Delta float64 `required:"" placeholder:"X" help:"δ of the guarantee."`
	choice
	printing
}

type deltaCommand struct {
	releasedFlags
	Epsilon float64 `required:"" placeholder:"X" help:"ε of the guarantee."`
	choice
	printing
}

type noiseCommand struct {
	noiseQuery
	printing
}

// An answer is what the calculator prints, and its JSON form. Losses and noise are upper bounds as they were computed; a
// table rounds them further up.
type answer struct {
	Epsilon         number `json:"epsilon"`
	EpsilonLower    number `json:"epsilon_lower,omitempty"` // nobody who knows the list alone can prove less: ACCOUNTING.md
	Delta           number `json:"delta"`
	DeltaLower      number `json:"delta_lower,omitempty"`
	NoiseMultiplier number `json:"noise_multiplier,omitempty"` // over the clip
	Sensitivity     number `json:"sensitivity,omitempty"`      // over the clip
	Accountant      string `json:"accountant"`
	Adjacency       string `json:"adjacency"`
	Sampling        string `json:"sampling"`
	Theorem         string `json:"theorem"`
}

// A question is what accountants are asked about.
type question struct {
	list  *loss.List
	about answer // what does not depend on the accountant
}

// asked returns the question about a setting with noise of noise·C.
func (s *setting) asked(noise float64) *question {
	return &question{s.list(noise), answer{
		NoiseMultiplier: number(noise), Sensitivity: number(s.sensitivity), Adjacency: s.adjacency, Sampling: s.scheme.String(),
	}}
}

// by is answer for several accountants.
func (q *question) by(compute func(loss.Profile) (epsilon, delta loss.Bound, err error)) func(*accountant) (*answer, error) {
	return func(a *accountant) (*answer, error) { return q.answer(a, compute) }
}

// answer returns what an accountant says, or why it does not.
func (q *question) answer(a *accountant, compute func(loss.Profile) (epsilon, delta loss.Bound, err error)) (*answer, error) {
	p, theorem, err := a.profile(q.list)
	if err != nil {
		return nil, err
	}
	epsilon, delta, err := compute(p)
	if err == nil && math.IsInf(epsilon.Upper, 1) {
		err = errNoBound
	}
	if err != nil {
		return nil, err
	}
	found := q.about
	found.Epsilon, found.EpsilonLower = number(epsilon.Upper), number(epsilon.Lower)
	found.Delta, found.DeltaLower = number(delta.Upper), number(delta.Lower)
	found.Accountant, found.Theorem = a.name, rests(theorem, max(epsilon.Order, delta.Order))
	return &found, nil
}

// Help is kong's hook.
func (epsilonCommand) Help() string { return whichAccountant }

// Help is kong's hook.
func (deltaCommand) Help() string { return whichAccountant }

// Help is kong's hook.
func (noiseCommand) Help() string {
	return whichAccountant + `

What is printed is what "account epsilon" says of the printed noise, with the same flags: its ε is never above --epsilon. Where no
noise over sensitivity up to 1e8 is enough, the exit code is 83, and the message says which ε can be reached.`
}

// Validate is kong's hook.
func (c *epsilonCommand) Validate() error {
	return errors.Join(c.check(), checkPureDelta(c.Delta))
}

// Validate is kong's hook.
func (c *deltaCommand) Validate() error {
	return errors.Join(c.check(), event.CheckEpsilon(c.Epsilon))
}

// epsilonAt asks for ε at δ.
func epsilonAt(delta float64) func(loss.Profile) (epsilon, at loss.Bound, err error) {
	return func(p loss.Profile) (loss.Bound, loss.Bound, error) {
		epsilon, err := p.Epsilon(delta)
		return epsilon, loss.Bound{Upper: delta}, err
	}
}

// deltaAt asks for δ at ε.
func deltaAt(epsilon float64) func(loss.Profile) (at, delta loss.Bound, err error) {
	return func(p loss.Profile) (loss.Bound, loss.Bound, error) {
		delta, err := p.Delta(epsilon)
		return loss.Bound{Upper: epsilon}, delta, err
	}
}

// Run is kong's hook.
func (c *epsilonCommand) Run(r *filter.Run) error {
	q, err := ask(&c.releasedFlags, c.Output)
	if err != nil {
		return err
	}
	found, err := least(c.choice, q.by(epsilonAt(c.Delta)))
	return printAnswer(r, c.printing, found, err)
}

// Run is kong's hook.
func (c *deltaCommand) Run(r *filter.Run) error {
	q, err := ask(&c.releasedFlags, c.Output)
	if err != nil {
		return err
	}
	found, err := least(c.choice, q.by(deltaAt(c.Epsilon)))
	return printAnswer(r, c.printing, found, err)
}

// Run is kong's hook.
func (c *noiseCommand) Run(r *filter.Run) error {
	found, err := c.find(!c.JSON)
	return printAnswer(r, c.printing, found, err)
}

// ask returns the question of flags, whose answer goes to output.
func ask(c *releasedFlags, output string) (*question, error) {
	if c.Events != "" {
		if err := keeps(output, c.Events); err != nil {
			return nil, err
		}
	}
	return c.question()
}

func printAnswer(r *filter.Run, p printing, found *answer, err error) error {
	if err != nil {
		return err
	}
	return p.print(r, found, found.table)
}

// least returns the answer of the chosen accountant, or the least of all that have one: they differ in noise, or else in δ or
// in ε. Where none has one, it says so of the one that comes nearest, or why.
func least(c choice, ask func(*accountant) (*answer, error)) (*answer, error) {
	var answers []*answer
	var refusal error
	var nearest *unreachable
	for _, a := range c.accountants() {
		found, err := ask(a)
		var far *unreachable
		switch {
		case err == nil:
			answers = append(answers, found)
		case errors.As(err, &far):
			if nearest == nil || far.least < nearest.least {
				nearest, refusal = far, exit.Errorf(exit.Refused, "accountant %s: %w", a.name, err)
			}
		case refusal == nil || nearest == nil && a.name == "pld": // which has the most theorems
			refusal = a.refuses(err)
		}
	}
	if len(answers) == 0 {
		return nil, refusal
	}
	best := answers[0]
	for _, a := range answers[1:] { // what only rounds up a little less is not better
		if cmp.Or(a.NoiseMultiplier.compare(best.NoiseMultiplier), a.Delta.compare(best.Delta),
			a.Epsilon.compare(best.Epsilon)) < 0 {
			best = a
		}
	}
	return best, nil
}

// compare compares two bounds; those that only rounding tells apart are equal.
func (n number) compare(m number) int {
	const part = 1 - 1e-9
	switch {
	case n < m*part:
		return -1
	case m < n*part:
		return 1
	}
	return 0
}

func (a *answer) table(b *bytes.Buffer) {
	w := tabwriter.NewWriter(b, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "accountant\tε\tδ\tnoise/clip\tneighbours\tsensitivity\tsampling\n")
	noise := "-"
	if a.NoiseMultiplier > 0 {
		noise = a.NoiseMultiplier.String()
	}
	fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\t%s\n", a.Accountant, a.Epsilon, a.Delta, noise, a.Adjacency,
		clips(a.Sensitivity), a.Sampling)
	w.Flush()
	fmt.Fprintf(b, "\nrests on: %s\n", a.Theorem)
}

// clips prints a sensitivity in clips.
func clips(sensitivity number) string {
	switch sensitivity {
	case 0:
		return "-"
	case 1:
		return "C"
	case math.Sqrt2:
		return "√2·C"
	}
	return sensitivity.String() + "·C"
}
