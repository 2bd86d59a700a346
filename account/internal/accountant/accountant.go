// Package accountant bounds the privacy loss that releases cause together. It has all accountants by name, and composes
// a ledger's charges with one of them. Package loss knows the mechanisms.
package accountant

import (
	"fmt"

	"privpipe/account/internal/loss"
	"privpipe/account/internal/pld"
	"privpipe/account/internal/renyi"
	"privpipe/account/internal/search"
	"privpipe/pipelines/exit"
)

// An Accountant bounds the joint privacy loss of all releases in a list.
type Accountant struct {
	Name string
	// Profile returns the bound and the theorem behind it, or an error that says why there is no bound.
	Profile func(l *loss.List) (p loss.Profile, theorem string, err error)
}

// All are the accountants with theorems.
var All = []*Accountant{
	{"analytic", analytic},
	Distributions(Precise),
	{"renyi", func(l *loss.List) (loss.Profile, string, error) {
		p, err := l.Renyi()
		return p, l.CurveTheorems(), err
	}},
	{"zcdp", zcdp},
	{"moments", func(l *loss.List) (loss.Profile, string, error) {
		return moments(l, renyi.MomentsLambda, ofLemma3)
	}},
	{"moments-32", func(l *loss.List) (loss.Profile, string, error) {
		return moments(l, func(_, _ float64) int { return 32 }, "λ up to 32, as in the authors' code")
	}},
	{"strong", strong},
	{"linear", linear},
}

// ofLemma3 says which λ the moments accountant tries according to its theorem.
const ofLemma3 = "λ of lemma 3"

// Precise sets how far apart the lower and the upper bound of pld may be.
var Precise = pld.Options{Tolerance: 1e-4}

// Distributions is the accountant pld.
func Distributions(options pld.Options) *Accountant {
	return &Accountant{"pld", func(l *loss.List) (loss.Profile, string, error) {
		p, err := l.Distribution(options)
		return p, l.DistributionTheorems(), err
	}}
}

// Named returns the accountant with this name. The name must come from an enum of the flags.
func Named(name string) *Accountant {
	if name == "rdp" {
		name = "renyi"
	}
	for _, a := range All {
		if a.Name == name {
			return a
		}
	}
	panic("account: no accountant " + name)
}

// OfLedger returns an accountant that answers for every ledger. pld has no answer for next to no noise. Then the answer
// is from Rényi curves.
func (a *Accountant) OfLedger() *Accountant {
	if a.Name != "pld" {
		return a
	}
	return &Accountant{a.Name, func(l *loss.List) (loss.Profile, string, error) {
		p, theorem, err := a.Profile(l)
		if err == nil {
			return p, theorem, nil
		}
		curves, theorem, wrong := Named("renyi").Profile(l)
		if wrong != nil {
			return nil, "", err
		}
		return curves, fmt.Sprintf("pld has no answer (%v): %s", err, theorem), nil
	}}
}

// Refuses returns the error that an accountant has no answer.
func (a *Accountant) Refuses(why error) error {
	return exit.Errorf(exit.Usage, "accountant %s: %w", a.Name, why)
}

// Fine says when the two ends of the search are near enough. With pld they may be further apart, because its bounds
// are.
func (a *Accountant) Fine() func(low, high float64) bool {
	if a.Name == "pld" {
		return search.Within(1e-6)
	}
	return search.Within(1e-9)
}
