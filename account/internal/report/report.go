// Package report says how much a ledger has spent: in total, by run, over time, and as curves.
package report

import (
	"math"
	"slices"
	"strings"

	"privpipe/account/internal/accountant"
	"privpipe/account/internal/ledgers"
	"privpipe/account/internal/loss"
	"privpipe/account/internal/print"
	"privpipe/pipelines/event"
	"privpipe/pipelines/exit"
)

// A Query has the flags for a report.
type Query struct {
	Delta   *float64 `zero:"" xor:"given" placeholder:"X" help:"Report ε at this δ; 0 is for a ledger of pure mechanisms only. By default the δ of the ledger's budget, else of its first grant with one, else 0."`
	Epsilon *float64 `env:"PRIVPIPE_ACCOUNT_REPORT_EPSILON" xor:"given" placeholder:"X" help:"Report δ at this ε."`
	Group   int      `placeholder:"K" help:"Also report what K units lose together, such as all K documents of one person: the less of what follows from the loss of one, and of what follows from a sum that moves by K times the bound."`
	accountant.LedgerChoice
	Ledger string `arg:"" help:"Ledger of privatize."`
}

// A Report is what account report prints, and its JSON form. Each loss is an upper bound as it was computed. A budget's
// rest is a lower bound. The table rounds losses further up and rests further down, to few digits.
type Report struct {
	Ledger     string       `json:"ledger"`
	LastHash   string       `json:"last_hash"` // hash of the ledger's last line, to identify the ledger
	Accountant string       `json:"accountant"`
	Epsilon    print.Number `json:"epsilon"`
	// EpsilonLower and DeltaLower bound the worst case of the list from below. No accountant can prove less
	// (ACCOUNTING.md).
	EpsilonLower print.Number  `json:"epsilon_lower,omitempty"`
	Delta        print.Number  `json:"delta"`
	DeltaLower   print.Number  `json:"delta_lower,omitempty"`
	Order        print.Number  `json:"order,omitempty"`        // order of the Rényi divergence behind the bound
	PureEpsilon  print.Number  `json:"pure_epsilon,omitempty"` // ε at δ = 0, if there is one
	SelectDelta  print.Number  `json:"select_delta,omitempty"` // the part of δ for words that only one unit has
	Adjacency    string        `json:"adjacency,omitempty"`
	Unit         string        `json:"unit,omitempty"`
	Theorem      string        `json:"theorem"`
	Releases     int           `json:"releases"`
	Torn         bool          `json:"torn_last_line,omitempty"`
	Claimed      *print.Number `json:"claimed_epsilon,omitempty"` // ε with papers' sensitivities, if stated; no bound
	// ClaimedDelta replaces Claimed if ε was given.
	ClaimedDelta *print.Number `json:"claimed_delta,omitempty"`
	// Papers are what papers claim for the rounds. They are no bounds, and another package computes them.
	Papers []PaperClaim `json:"paper_claims,omitempty"`
	// Filter is about the ledger's filter. Its bound holds even if settings were chosen after earlier releases had been
	// seen.
	Filter *filterReport `json:"filter,omitempty"`
	Budget *budgetReport `json:"budget,omitempty"` // the total budget
	// Overspent says that the charges exceed at least one of the ledger's standing budgets: see ledgers.Overspent.
	Overspent       bool                  `json:"overspent"`
	OverspentBudget *ledgers.Overspending `json:"overspent_budget,omitempty"`
	// DisjointDatasets says, on trust, that data sets share no unit. The losses above are the largest in Datasets.
	DisjointDatasets bool            `json:"disjoint_datasets,omitempty"`
	Datasets         []datasetReport `json:"datasets,omitempty"`

	// Group is the joint loss of several units, if --group was given.
	Group *groupReport `json:"group,omitempty"`

	Runs   []runReport   `json:"runs"`
	Grants []grantReport `json:"grants"`
}

func (c *Query) Report(ledger *event.Ledger) (*Report, error) {
	composition, err := accountant.ComposeLedger(c.Ledger, ledger)
	if err != nil {
		return nil, err
	}
	charges := ledger.Charges()
	rep := &Report{
		Ledger: c.Ledger, LastHash: ledger.LastHash(), Accountant: c.Chosen().Name, Releases: composition.Releases,
		Torn:      ledger.Torn,
		Adjacency: composition.Adjacency, Unit: composition.Unit, DisjointDatasets: accountant.DisjointDatasets(ledger),
	}
	if head := ledger.Head(); head != nil {
		if rep.Filter, err = filterOf(head, ledger); err != nil {
			return nil, err
		}
	}
	if err := rep.answer(c, ledger); err != nil {
		return nil, err
	}
	if claimed, found := accountant.AsClaimed(charges); found {
		if err := rep.addClaim(c, accountant.SplitByDataset(ledger, claimed)); err != nil {
			return nil, err
		}
	}
	rep.Runs = runs(charges, composition)
	return rep, rep.group(c, ledger)
}

// A PaperClaim is the ε that a paper computes for a ledger's rounds, with noise over the sensitivity that the paper
// claims.
type PaperClaim struct {
	Paper   string       `json:"paper"`
	Epsilon print.Number `json:"epsilon"`
	Theorem string       `json:"theorem"`
}

// A datasetReport is one unit's loss by the releases from its data set.
type datasetReport struct {
	Dataset      string       `json:"dataset"`
	Releases     int          `json:"releases"`
	Epsilon      print.Number `json:"epsilon"`
	EpsilonLower print.Number `json:"epsilon_lower,omitempty"`
	Delta        print.Number `json:"delta"`
	DeltaLower   print.Number `json:"delta_lower,omitempty"`
}

// answer fills in the accountant's bounds for the charges.
func (rep *Report) answer(c *Query, ledger *event.Ledger) error {
	given, err := c.DeltaOf(ledger)
	if err != nil {
		return err
	}
	var profiles []loss.Profile
	var theorems []string
	var epsilon, delta loss.Bound
	spent := make(map[string]accountant.UpperProfile)
	for _, group := range accountant.SplitByDataset(ledger, ledger.Charges()) {
		composition, err := accountant.Compose(group.Charges)
		if err != nil {
			return err
		}
		p, theorem, err := c.Profile(composition.List())
		if err != nil {
			return err
		}
		e, d, err := c.at(given)(p)
		if err != nil {
			return err
		}
		epsilon, delta = loss.Larger(epsilon, e), loss.Larger(delta, d)
		if theorem = loss.RestsOn(theorem, max(e.Order, d.Order)); !slices.Contains(theorems, theorem) {
			theorems = append(theorems, theorem)
		}
		profiles, spent[group.Dataset] = append(profiles, p), accountant.UpperOf(p)
		rep.SelectDelta = max(rep.SelectDelta, print.Number(composition.List().Failure))
		if group.Dataset != "" {
			rep.Datasets = append(rep.Datasets, datasetReport{
				group.Dataset, composition.Releases, print.Number(e.Upper), print.Number(e.Lower),
				print.Number(d.Upper), print.Number(d.Lower),
			})
		}
	}
	if rep.DisjointDatasets {
		theorems = append(theorems, "parallel composition over data sets ("+accountant.DisjointNote+")")
	}
	rep.Theorem = strings.Join(theorems, "; ")
	rep.Epsilon, rep.EpsilonLower = print.Number(epsilon.Upper), print.Number(epsilon.Lower)
	rep.Delta, rep.DeltaLower = print.Number(delta.Upper), print.Number(delta.Lower)
	rep.Order = print.Number(max(epsilon.Order, delta.Order))
	p := loss.Largest(profiles)
	pure, err := p.Epsilon(0)
	if err != nil {
		return err
	}
	if !math.IsInf(pure.Upper, 1) {
		rep.PureEpsilon = print.Number(pure.Upper)
	}
	if rep.Budget, err = NewBudget(ledger, accountant.UpperOf(p)); err != nil {
		return err
	}
	rep.Grants, err = grants(ledger, spent)
	return err
}

// addClaim fills in what the accountant would answer with the papers' sensitivities.
func (rep *Report) addClaim(c *Query, claimed []accountant.DatasetCharges) error {
	p, err := c.Largest(claimed)
	if err != nil {
		return err
	}
	epsilon, delta, err := c.at(float64(rep.Delta))(p)
	if c.Epsilon != nil {
		d := print.Number(delta.Upper)
		rep.ClaimedDelta = &d
	} else {
		e := print.Number(epsilon.Upper)
		rep.Claimed = &e
	}
	return err
}

// at asks for ε at δ, or for δ at the given ε.
func (c *Query) at(delta float64) func(loss.Profile) (epsilon, delta loss.Bound, err error) {
	if c.Epsilon != nil {
		return accountant.DeltaAt(*c.Epsilon)
	}
	return accountant.EpsilonAt(delta)
}

// DeltaOf returns the δ for the report: the flag, else the ledger's budget, else the first grant with a δ. If none
// states one it is 0, if that is possible.
func (c *Query) DeltaOf(ledger *event.Ledger) (float64, error) {
	if c.Epsilon != nil {
		return 0, nil
	}
	if c.Delta != nil && *c.Delta != 0 {
		return *c.Delta, nil
	}
	if c.Delta == nil {
		if head := ledger.Head(); head != nil && head.Budget != nil && head.Budget.Delta > 0 {
			return head.Budget.Delta, nil
		}
		for _, line := range ledger.Lines {
			if line.Grant != nil && line.Grant.Budget.Delta > 0 {
				return line.Grant.Budget.Delta, nil
			}
		}
	}
	charges := ledger.Charges()
	none := func(charge *event.Charge) bool { return charge.Mechanism == event.None }
	impure := func(charge *event.Charge) bool { return !event.Pure(charge.Mechanism) }
	switch {
	case !slices.ContainsFunc(charges, impure) || slices.ContainsFunc(charges, none):
		return 0, nil
	case c.Delta != nil:
		return 0, exit.Errorf(exit.Usage, "--delta must be above 0: not all mechanisms of %s are pure", c.Ledger)
	}
	return 0, exit.Errorf(exit.Usage, "--delta is needed: no grant of %s states one", c.Ledger)
}
