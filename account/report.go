package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"math"
	"slices"
	"strings"

	"privpipe/account/internal/compose"
	"privpipe/account/internal/loss"
	"privpipe/pipelines/event"
	"privpipe/pipelines/exit"
	"privpipe/pipelines/filter"
)

type reportCommand struct {
	query
	alarmFlags
	Curve curveFile `placeholder:"FILE" help:"Also draw ε over the releases, and δ over ε, as FILE.svg or FILE.png, or write them to FILE.csv or FILE.json."`
	printing
}

// A query is what a report is asked for, as flags.
type query struct {
	Delta   *float64 `xor:"given" placeholder:"X" help:"Report ε at this δ; 0 where all mechanisms are pure. By default the δ of the ledger's budget, else of its first grant that has one, else 0."`
	Epsilon *float64 `xor:"given" placeholder:"X" help:"Report δ at this ε."`
	ledgerChoice
	Ledger string `arg:"" help:"Ledger of privatize."`
}

// Validate is kong's hook.
func (c *reportCommand) Validate() error {
	if err := errors.Join(c.checkAlarms(c.Epsilon), c.Curve.check(c.Epsilon, c.Output)); err != nil {
		return err
	}
	switch {
	case c.Delta != nil && *c.Delta != 0:
		return event.CheckDelta(*c.Delta)
	case c.Epsilon != nil:
		return event.CheckEpsilon(*c.Epsilon)
	}
	return nil
}

// A report is what account report prints, and its JSON form. Each loss in it is the upper bound as it was computed, and
// what is left of a budget the lower one; the table rounds them to few digits, further up and down.
type report struct {
	Ledger     string `json:"ledger"`
	Accountant string `json:"accountant"`
	Epsilon    number `json:"epsilon"`
	// EpsilonLower and DeltaLower are what no accountant can go below, of the worst case of the list (ACCOUNTING.md).
	EpsilonLower number  `json:"epsilon_lower,omitempty"`
	Delta        number  `json:"delta"`
	DeltaLower   number  `json:"delta_lower,omitempty"`
	Order        number  `json:"order,omitempty"`        // of the Rényi divergence that proves it
	PureEpsilon  number  `json:"pure_epsilon,omitempty"` // at δ = 0, where there is one
	SelectDelta  number  `json:"select_delta,omitempty"` // the part of δ for words that one unit alone has
	Adjacency    string  `json:"adjacency,omitempty"`
	Unit         string  `json:"unit,omitempty"`
	Theorem      string  `json:"theorem"`
	Releases     int     `json:"releases"`
	Torn         bool    `json:"torn_last_line,omitempty"`
	Claimed      *number `json:"claimed_epsilon,omitempty"` // with papers' sensitivities, where there are any: no bound
	// ClaimedDelta stands in place of Claimed where ε was given.
	ClaimedDelta *number `json:"claimed_delta,omitempty"`
	// Filter is the ledger's, which bounds settings that were chosen after earlier releases had been seen, too.
	Filter *filterReport `json:"filter,omitempty"`
	Budget *budgetReport `json:"budget,omitempty"` // the total budget
	// DisjointDatasets says, on trust, that data sets share no unit: the losses above are the largest of those of Datasets.
	DisjointDatasets bool            `json:"disjoint_datasets,omitempty"`
	Datasets         []datasetReport `json:"datasets,omitempty"`

	Runs   []runReport   `json:"runs"`
	Grants []grantReport `json:"grants"`
}

// number prints infinities, which JSON has not, as strings.
type number float64

// MarshalJSON implements json.Marshaler.
func (n number) MarshalJSON() ([]byte, error) {
	if math.IsInf(float64(n), 0) || math.IsNaN(float64(n)) {
		return json.Marshal(n.String())
	}
	return json.Marshal(float64(n))
}

func (n number) String() string { return roundUp(float64(n)) }

// Run is kong's hook.
func (c *reportCommand) Run(r *filter.Run) error {
	if err := keeps(c.Output, c.Ledger); err != nil {
		return err
	}
	ledger, err := readLedger(c.Ledger)
	if err != nil {
		return err
	}
	rep, err := c.report(ledger)
	if err != nil {
		return err
	}
	drawn, err := c.Curve.draw(rep, ledger, c.spending(ledger))
	if err != nil {
		return err
	}
	alarm, err := c.watch(c.Ledger, ledger, c.spending(ledger), float64(rep.Delta))
	if err != nil || r.DryRun() {
		return err
	}
	overspent, err := checkOverspent(c.Ledger, ledger)
	if err != nil {
		return err
	}
	if err := c.Curve.write(drawn); err != nil {
		return err
	}
	if err := c.printIndented(r, rep, rep.table); err != nil {
		return err
	}
	return cmp.Or(overspent, alarm)
}

func (c *query) report(ledger *event.Ledger) (*report, error) {
	composition, err := composed(c.Ledger, ledger)
	if err != nil {
		return nil, err
	}
	charges := ledger.Charges()
	rep := &report{
		Ledger: c.Ledger, Accountant: c.accountant().name, Releases: composition.Releases, Torn: ledger.Torn,
		Adjacency: composition.Adjacency, Unit: composition.Unit, DisjointDatasets: disjointDatasets(ledger),
	}
	if head := ledger.Head(); head != nil {
		if rep.Filter, err = filterOf(head, ledger); err != nil {
			return nil, err
		}
	}
	if err := rep.answer(c, ledger); err != nil {
		return nil, err
	}
	if claimed, found := compose.Claimed(charges); found {
		if err := rep.claim(c, parts(ledger, claimed)); err != nil {
			return nil, err
		}
	}
	rep.Runs = runs(charges, composition)
	return rep, nil
}

// A datasetReport is what the releases from one data set cost a unit of it.
type datasetReport struct {
	Dataset      string `json:"dataset"`
	Releases     int    `json:"releases"`
	Epsilon      number `json:"epsilon"`
	EpsilonLower number `json:"epsilon_lower,omitempty"`
	Delta        number `json:"delta"`
	DeltaLower   number `json:"delta_lower,omitempty"`
}

// answer fills in what the accountant says of the charges.
func (rep *report) answer(c *query, ledger *event.Ledger) error {
	given, err := c.delta(ledger)
	if err != nil {
		return err
	}
	var profiles []loss.Profile
	var theorems []string
	var epsilon, delta loss.Bound
	spent := make(map[string]profile)
	for _, part := range parts(ledger, ledger.Charges()) {
		composition, err := compose.New(part.charges)
		if err != nil {
			return err
		}
		p, theorem, err := c.profile(composition.List())
		if err != nil {
			return err
		}
		e, d, err := c.at(given)(p)
		if err != nil {
			return err
		}
		epsilon, delta = loss.Larger(epsilon, e), loss.Larger(delta, d)
		if theorem = rests(theorem, max(e.Order, d.Order)); !slices.Contains(theorems, theorem) {
			theorems = append(theorems, theorem)
		}
		profiles, spent[part.dataset] = append(profiles, p), upperOf(p)
		rep.SelectDelta = max(rep.SelectDelta, number(composition.List().Failure))
		if part.dataset != "" {
			rep.Datasets = append(rep.Datasets, datasetReport{
				part.dataset, composition.Releases, number(e.Upper), number(e.Lower), number(d.Upper), number(d.Lower),
			})
		}
	}
	if rep.DisjointDatasets {
		theorems = append(theorems, "parallel composition over data sets ("+disjointNote+")")
	}
	rep.Theorem = strings.Join(theorems, "; ")
	rep.Epsilon, rep.EpsilonLower = number(epsilon.Upper), number(epsilon.Lower)
	rep.Delta, rep.DeltaLower = number(delta.Upper), number(delta.Lower)
	rep.Order = number(max(epsilon.Order, delta.Order))
	p := loss.Largest(profiles)
	pure, err := p.Epsilon(0)
	if err != nil {
		return err
	}
	if !math.IsInf(pure.Upper, 1) {
		rep.PureEpsilon = number(pure.Upper)
	}
	if rep.Budget, err = reportBudget(ledger, upperOf(p)); err != nil {
		return err
	}
	rep.Grants, err = grants(ledger, spent)
	return err
}

// claim fills in what the accountant would say of charges with the sensitivities of papers.
func (rep *report) claim(c *query, claimed []part) error {
	p, err := c.largest(claimed)
	if err != nil {
		return err
	}
	epsilon, delta, err := c.at(float64(rep.Delta))(p)
	if c.Epsilon != nil {
		d := number(delta.Upper)
		rep.ClaimedDelta = &d
	} else {
		e := number(epsilon.Upper)
		rep.Claimed = &e
	}
	return err
}

// at asks for ε at δ, or for δ at the given ε.
func (c *query) at(delta float64) func(loss.Profile) (epsilon, delta loss.Bound, err error) {
	if c.Epsilon != nil {
		return deltaAt(*c.Epsilon)
	}
	return epsilonAt(delta)
}

// delta returns the δ to report at. Without a grant that states one it is 0, if that is possible.
func (c *query) delta(ledger *event.Ledger) (float64, error) {
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
