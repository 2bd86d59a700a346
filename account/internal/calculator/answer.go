// Package calculator answers questions about Gaussian noise or a list of releases, without a ledger. The answer is ε,
// δ, or the least noise.
package calculator

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"math"
	"text/tabwriter"

	"privpipe/account/internal/accountant"
	"privpipe/account/internal/loss"
	"privpipe/account/internal/print"
	"privpipe/pipelines/event"
	"privpipe/pipelines/exit"
)

// An Answer is a row that the calculator prints, and its JSON form. Losses and noise are upper bounds as they were
// computed. A table rounds them further up.
type Answer struct {
	Epsilon print.Number `json:"epsilon"`
	// nobody can prove less from the list alone: ACCOUNTING.md
	EpsilonLower    print.Number `json:"epsilon_lower,omitempty"`
	Delta           print.Number `json:"delta"`
	DeltaLower      print.Number `json:"delta_lower,omitempty"`
	NoiseMultiplier print.Number `json:"noise_multiplier,omitempty"` // over the clip
	Sensitivity     print.Number `json:"sensitivity,omitempty"`      // over the clip
	Accountant      string       `json:"accountant"`
	Adjacency       string       `json:"adjacency"`
	Sampling        string       `json:"sampling"`
	Theorem         string       `json:"theorem"`
}

// A Question is a list of releases that accountants are asked about.
type Question struct {
	list  *loss.List
	About Answer // the fields that do not depend on the accountant
}

// Asked returns the question about this setting with noise of standard deviation noise·C.
func (s *Setting) Asked(noise float64) *Question {
	return &Question{s.list(noise), Answer{
		NoiseMultiplier: print.Number(noise), Sensitivity: print.Number(s.Sensitivity), Adjacency: s.Adjacency,
		Sampling: s.Scheme.String(),
	}}
}

// By returns the function that computes an accountant's answer.
func (q *Question) By(compute func(loss.Profile) (epsilon, delta loss.Bound,
	err error)) func(*accountant.Accountant) (*Answer, error) {
	return func(a *accountant.Accountant) (*Answer, error) { return q.Answer(a, compute) }
}

// Answer returns an accountant's answer, or the reason why it has none.
func (q *Question) Answer(a *accountant.Accountant,
	compute func(loss.Profile) (epsilon, delta loss.Bound, err error)) (*Answer, error) {
	p, theorem, err := a.Profile(q.list)
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
	found := q.About
	found.Epsilon, found.EpsilonLower = print.Number(epsilon.Upper), print.Number(epsilon.Lower)
	found.Delta, found.DeltaLower = print.Number(delta.Upper), print.Number(delta.Lower)
	found.Accountant, found.Theorem = a.Name, loss.RestsOn(theorem, max(epsilon.Order, delta.Order))
	return &found, nil
}

// Best returns the chosen accountant's answer. If all may answer, it returns the least one. Answers are compared by
// noise, then by δ, then by ε. If no accountant has an answer, the error is from the one that comes nearest to the
// wanted ε. If none has a bound, the error says why.
func Best(c accountant.Choice, ask func(*accountant.Accountant) (*Answer, error)) (*Answer, error) {
	var answers []*Answer
	var refusal error
	var nearest *unreachable
	for _, a := range c.Chosen() {
		found, err := ask(a)
		var far *unreachable
		switch {
		case err == nil:
			answers = append(answers, found)
		case errors.As(err, &far):
			if nearest == nil || far.least < nearest.least {
				nearest, refusal = far, exit.Errorf(exit.Refused, "accountant %s: %w", a.Name, err)
			}
		case refusal == nil || nearest == nil && a.Name == "pld": // pld has the most theorems, so its reason counts
			refusal = a.Refuses(err)
		}
	}
	if len(answers) == 0 {
		return nil, refusal
	}
	best := answers[0]
	for _, a := range answers[1:] { // a difference by rounding alone does not make an answer better
		if cmp.Or(a.NoiseMultiplier.Compare(best.NoiseMultiplier), a.Delta.Compare(best.Delta),
			a.Epsilon.Compare(best.Epsilon)) < 0 {
			best = a
		}
	}
	return best, nil
}

func (a *Answer) Table(b *bytes.Buffer) {
	w := tabwriter.NewWriter(b, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "accountant\tε\tδ\tnoise/clip\tneighbours\tsensitivity\tsampling\n")
	noise := "-"
	if a.NoiseMultiplier > 0 {
		noise = a.NoiseMultiplier.String()
	}
	fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\t%s\n", a.Accountant, a.Epsilon, a.Delta, noise, a.Adjacency,
		Clips(a.Sensitivity), a.Sampling)
	w.Flush()
	if weak := event.ProtectsLittle(float64(a.Epsilon)); weak != "" {
		fmt.Fprintf(b, "\n%s\n", weak)
	}
	fmt.Fprintf(b, "\nrests on: %s\n", a.Theorem)
}

// Clips prints a sensitivity as a multiple of the clip C.
func Clips(sensitivity print.Number) string {
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
