package main

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"math"
	"text/tabwriter"

	"privpipe/account/internal/loss"
	"privpipe/account/internal/pld"
	"privpipe/pipelines/event"
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
func (noiseCommand) Help() string { return whichAccountant }

// Validate is kong's hook.
func (c *epsilonCommand) Validate() error {
	return errors.Join(c.check(), checkPureDelta(c.Delta))
}

// Validate is kong's hook.
func (c *deltaCommand) Validate() error {
	return errors.Join(c.check(), event.CheckEpsilon(c.Epsilon))
}

// Validate is kong's hook.
func (c *noiseCommand) Validate() error {
	return errors.Join(c.check(), event.CheckEpsilon(c.Epsilon), checkCalculatedDelta(c.Delta))
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
	q, err := c.question(c.Output)
	if err != nil {
		return err
	}
	return c.least(r, c.printing, func(a *accountant) (*answer, error) { return q.answer(a, epsilonAt(c.Delta)) })
}

// Run is kong's hook.
func (c *deltaCommand) Run(r *filter.Run) error {
	q, err := c.question(c.Output)
	if err != nil {
		return err
	}
	return c.least(r, c.printing, func(a *accountant) (*answer, error) { return q.answer(a, deltaAt(c.Epsilon)) })
}

// Run is kong's hook.
func (c *noiseCommand) Run(r *filter.Run) error {
	s := c.setting()
	best := math.Inf(1) // of the accountants so far
	return c.least(r, c.printing, func(a *accountant) (*answer, error) {
		if !math.IsInf(best, 1) && !s.holds(a, best*(1-1e-6), c.Epsilon, c.Delta) {
			return nil, errMoreNoise
		}
		noise, err := s.leastNoise(a, c.Epsilon, c.Delta)
		if err != nil {
			return nil, err
		}
		best = min(best, noise)
		return s.asked(noise).answer(a, epsilonAt(c.Delta))
	})
}

var errMoreNoise = errors.New("it asks for more noise than another accountant")

// holds says that an accountant proves (ε, δ) with some noise.
func (s *setting) holds(a *accountant, noise, epsilon, delta float64) bool {
	p, _, err := a.profile(s.list(noise))
	if err != nil {
		return false
	}
	bound, err := p.Epsilon(delta)
	return err == nil && bound.Upper <= epsilon
}

// fine is how near the ends of a search are to be: pld's bounds are apart by more.
func (a *accountant) fine() func(low, high float64) bool {
	if a.name == "pld" {
		return within(1e-6)
	}
	return within(1e-9)
}

// leastNoise returns the least noise, over C, for which an accountant proves (ε, δ).
func (s *setting) leastNoise(a *accountant, epsilon, delta float64) (float64, error) {
	low, most := leastSigma*s.sensitivity, mostSigma*s.sensitivity
	if a.name == "pld" {
		noise, err := pld.LeastNoise(epsilon, delta, low, most, precise, func(noise float64) ([]pld.Event, error) {
			pairs, err := s.list(noise).Pairs()
			return pairs.Dominating, err
		})
		// At extremes its quick upper bound is far above what it proves at length.
		if less := noise * (1 - 1e-3); err != nil || less < low || !s.holds(a, less, epsilon, delta) {
			return noise, err
		}
		low = max(low, noise/4)
	}
	var refusal error // of every noise
	answered := false
	ratio := func(noise float64) (float64, error) {
		p, _, err := a.profile(s.list(noise))
		if err != nil { // of any noise, or of too little or too much
			refusal = err
			return math.Inf(1), nil
		}
		answered = true
		bound, err := p.Epsilon(delta)
		return bound.Upper / epsilon, err
	}
	// By steps of 2 first: an accountant may hold up to some noise only, and large noise takes long.
	for high := low; high <= most; low, high = high, 2*high {
		if r, err := ratio(high); err != nil {
			return 0, err
		} else if r <= 1 {
			return leastWhere(low, high, a.fine(), ratio)
		}
	}
	if answered {
		return 0, fmt.Errorf("no noise that it accounts for has ε %v at δ %v", epsilon, delta)
	}
	return 0, refusal
}

// least prints the answer of the chosen accountant, or the least of all that have one: they differ in noise, or else in δ or
// in ε.
func (c choice) least(r *filter.Run, out printing, ask func(*accountant) (*answer, error)) error {
	var answers []*answer
	var refusal error
	for _, a := range c.accountants() {
		if found, err := ask(a); err != nil {
			if refusal == nil || a.name == "pld" { // which has the most theorems
				refusal = a.refuses(err)
			}
		} else {
			answers = append(answers, found)
		}
	}
	if len(answers) == 0 {
		return refusal
	}
	best := answers[0]
	for _, a := range answers[1:] { // what only rounds up a little less is not better
		if cmp.Or(a.NoiseMultiplier.compare(best.NoiseMultiplier), a.Delta.compare(best.Delta),
			a.Epsilon.compare(best.Epsilon)) < 0 {
			best = a
		}
	}
	return out.print(r, best, best.table)
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
