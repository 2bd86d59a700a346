package main

import (
	"fmt"
	"strings"

	"privpipe/account/internal/classic"
	"privpipe/account/internal/compose"
	"privpipe/account/internal/loss"
	"privpipe/account/internal/pld"
	"privpipe/pipelines/event"
	"privpipe/pipelines/exit"
)

// An accountant bounds what a list of releases costs.
type accountant struct {
	name string
	// profile returns the bound and names what it rests on, or says why there is none.
	profile func(l *loss.List) (p loss.Profile, theorem string, err error)
}

// accountants are those with theorems.
var accountants = []*accountant{
	{"analytic", analytic},
	distributions(precise),
	{"renyi", func(l *loss.List) (loss.Profile, string, error) {
		p, err := l.Renyi()
		return p, strings.Join(curveTheorems(l), "; "), err
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

// precise is how far apart the bounds of pld may be.
var precise = pld.Options{Tolerance: 1e-4}

// distributions is the accountant pld.
func distributions(options pld.Options) *accountant {
	return &accountant{"pld", func(l *loss.List) (loss.Profile, string, error) {
		p, err := l.Distribution(options)
		return p, strings.Join(distributionTheorems(l), "; "), err
	}}
}

// choice is which accountant answers.
type choice struct {
	Accountant string `enum:"tightest,pld,renyi,rdp,analytic,zcdp,moments,moments-32,strong,linear" default:"tightest" help:"One of ${enum}. rdp is renyi."`
}

// accountants returns the chosen one, or all.
func (c choice) accountants() []*accountant {
	if c.Accountant == "tightest" {
		return accountants
	}
	return []*accountant{accountantNamed(c.Accountant)}
}

// accountantNamed returns the accountant of a name that an enum has admitted.
func accountantNamed(name string) *accountant {
	if name == "rdp" {
		name = "renyi"
	}
	for _, a := range accountants {
		if a.name == name {
			return a
		}
	}
	panic("account: no accountant " + name)
}

// ledgerChoice is which accountant is asked about a ledger.
type ledgerChoice struct {
	Accountant string `enum:"pld,renyi,rdp,analytic,zcdp,moments,moments-32" default:"pld" help:"One of ${enum}: those with a theorem for the ledger answer. rdp is renyi."`
}

func (c ledgerChoice) accountant() *accountant { return accountantNamed(c.Accountant).ofLedger() }

// ofLedger is an accountant that answers for every ledger: where pld has none, for noise that is next to nothing, Rényi's curves
// have.
func (a *accountant) ofLedger() *accountant {
	if a.name != "pld" {
		return a
	}
	return &accountant{a.name, func(l *loss.List) (loss.Profile, string, error) {
		p, theorem, err := a.profile(l)
		if err == nil {
			return p, theorem, nil
		}
		curves, theorem, wrong := accountantNamed("renyi").profile(l)
		if wrong != nil {
			return nil, "", err
		}
		return curves, fmt.Sprintf("pld has no answer (%v): %s", err, theorem), nil
	}}
}

// spending is what charges of a ledger have spent by the chosen accountant.
func (c ledgerChoice) spending(ledger *event.Ledger) spending {
	return func(charges []*event.Charge) (profile, error) {
		p, err := c.largest(parts(ledger, charges))
		return upperOf(p), err
	}
}

// largest returns the bound of the chosen accountant on what a unit loses by one part or another.
func (c ledgerChoice) largest(parts []part) (loss.Profile, error) {
	var of []loss.Profile
	for _, part := range parts {
		composition, err := compose.New(part.charges)
		if err != nil {
			return nil, err
		}
		p, _, err := c.profile(composition.List())
		if err != nil {
			return nil, err
		}
		of = append(of, p)
	}
	return loss.Largest(of), nil
}

// profile returns the bound of the chosen accountant and names what it rests on.
func (c ledgerChoice) profile(l *loss.List) (loss.Profile, string, error) {
	a := c.accountant()
	p, theorem, err := a.profile(l)
	if err != nil {
		err = a.refuses(err)
	}
	return p, theorem, err
}

// refuses says that an accountant has no answer.
func (a *accountant) refuses(why error) error {
	return exit.Errorf(exit.Usage, "accountant %s: %w", a.name, why)
}
