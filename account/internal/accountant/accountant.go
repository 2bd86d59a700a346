// Package accountant bounds what a list of releases costs: the accountants by name, and the charges of a ledger composed by one of
// them. What it knows of mechanisms is in package loss.
package accountant

import (
	"fmt"

	"privpipe/account/internal/classic"
	"privpipe/account/internal/loss"
	"privpipe/account/internal/pld"
	"privpipe/account/internal/search"
	"privpipe/pipelines/exit"
)

// An Accountant bounds what a list of releases costs.
type Accountant struct {
	Name string
	// profile returns the bound and names what it rests on, or says why there is none.
	Profile func(l *loss.List) (p loss.Profile, theorem string, err error)
}

// All are those with theorems.
var All = []*Accountant{
	{"analytic", analytic},
	Distributions(Precise),
	{"renyi", func(l *loss.List) (loss.Profile, string, error) {
		p, err := l.Renyi()
		return p, l.CurveTheorems(), err
	}},
	{"zcdp", zcdp},
	{"moments", func(l *loss.List) (loss.Profile, string, error) {
		return moments(l, classic.MomentsLambda, ofLemma3)
	}},
	{"moments-32", func(l *loss.List) (loss.Profile, string, error) {
		return moments(l, func(_, _ float64) int { return 32 }, "λ up to 32, as in the authors' code")
	}},
	{"strong", strong},
	{"linear", linear},
}

// ofLemma3 is which λ the moments accountant looks at by its theorem.
const ofLemma3 = "λ of lemma 3"

// Precise is how far apart the bounds of pld may be.
var Precise = pld.Options{Tolerance: 1e-4}

// Distributions is the accountant pld.
func Distributions(options pld.Options) *Accountant {
	return &Accountant{"pld", func(l *loss.List) (loss.Profile, string, error) {
		p, err := l.Distribution(options)
		return p, l.DistributionTheorems(), err
	}}
}

// Named returns the accountant of a name that an enum has admitted.
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

// OfLedger is an accountant that answers for every ledger: where pld has none, for noise that is next to nothing, Rényi's curves
// have.
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

// Refuses says that an accountant has no answer.
func (a *Accountant) Refuses(why error) error {
	return exit.Errorf(exit.Usage, "accountant %s: %w", a.Name, why)
}

// Fine is how near the ends of a search are to be: pld's bounds are apart by more.
func (a *Accountant) Fine() func(low, high float64) bool {
	if a.Name == "pld" {
		return search.Within(1e-6)
	}
	return search.Within(1e-9)
}
