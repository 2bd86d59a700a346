package main

import (
	"bytes"
	"encoding/json"
	"math"
	"slices"

	"privpipe/account/internal/compose"
	"privpipe/account/internal/renyi"
	"privpipe/pipelines/endpoint"
	"privpipe/pipelines/event"
	"privpipe/pipelines/exit"
	"privpipe/pipelines/filter"
	"privpipe/pipelines/wire"
)

type reportCommand struct {
	Delta   *float64 `xor:"given" placeholder:"X" help:"Report ε at this δ; 0 where all mechanisms are pure. By default the δ of the ledger's first grant that has one, else 0."`
	Epsilon *float64 `xor:"given" placeholder:"X" help:"Report δ at this ε."`
	JSON    bool     `name:"json" help:"Print JSON, not a table."`
	Output  string   `short:"o" placeholder:"FILE" help:"Where the report goes; standard output by default."`
	Ledger  string   `arg:"" help:"Ledger of privatize."`
}

// Validate is kong's hook.
func (c *reportCommand) Validate() error {
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
	Ledger      string  `json:"ledger"`
	Accountant  string  `json:"accountant"`
	Epsilon     number  `json:"epsilon"`
	Delta       number  `json:"delta"`
	Order       number  `json:"order,omitempty"`
	PureEpsilon number  `json:"pure_epsilon,omitempty"` // at δ = 0, where there is one
	SelectDelta number  `json:"select_delta,omitempty"` // the part of δ for words that one unit alone has
	Adjacency   string  `json:"adjacency,omitempty"`
	Unit        string  `json:"unit,omitempty"`
	Theorem     string  `json:"theorem"`
	Releases    int     `json:"releases"`
	Torn        bool    `json:"torn_last_line,omitempty"`
	Claimed     *number `json:"claimed_epsilon,omitempty"` // with papers' sensitivities, where there are any: no bound
	// ClaimedDelta stands in place of Claimed where ε was given.
	ClaimedDelta *number       `json:"claimed_delta,omitempty"`
	Runs         []runReport   `json:"runs"`
	Grants       []grantReport `json:"grants"`
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
	ledger, err := readLedger(c.Ledger)
	if err != nil {
		return err
	}
	rep, err := c.report(ledger)
	if err != nil || r.DryRun() {
		return err
	}
	var b bytes.Buffer
	if c.JSON {
		e := json.NewEncoder(&b)
		e.SetIndent("", "  ")
		if err := e.Encode(rep); err != nil {
			return err
		}
	} else {
		rep.table(&b)
	}
	return endpoint.WriteFile(c.Output, wire.Side_PUBLIC, b.Bytes())
}

func (c *reportCommand) report(ledger *event.Ledger) (*report, error) {
	composition, err := composed(c.Ledger, ledger)
	if err != nil {
		return nil, err
	}
	charges := ledger.Charges()
	loss := composition.Loss()
	rep := &report{
		Ledger: c.Ledger, Accountant: "renyi", Theorem: theorems(charges, composition), Releases: composition.Releases,
		Torn: ledger.Torn, Adjacency: composition.Adjacency, Unit: composition.Unit, SelectDelta: number(loss.Failure),
	}
	if pure, _ := loss.Epsilon(0); !math.IsInf(pure, 1) {
		rep.PureEpsilon = number(pure)
	}
	delta, err := c.delta(ledger)
	if err != nil {
		return nil, err
	}
	rep.Epsilon, rep.Delta, rep.Order = c.answer(loss, delta)
	if claimed, found := compose.Claimed(charges); found {
		other, err := compose.New(claimed)
		if err != nil {
			return nil, err
		}
		epsilon, delta, _ := c.answer(other.Loss(), delta)
		if c.Epsilon != nil {
			rep.ClaimedDelta = &delta
		} else {
			rep.Claimed = &epsilon
		}
	}
	rep.Runs = runs(charges, composition)
	rep.Grants = grants(ledger, loss)
	return rep, nil
}

// answer returns ε at delta, or δ at the given ε, and the order that proves it: 0 for none.
func (c *reportCommand) answer(loss renyi.Loss, atDelta float64) (epsilon, delta, order number) {
	var e, d, alpha float64
	if c.Epsilon != nil {
		e = *c.Epsilon
		d, alpha = loss.Delta(e)
	} else {
		d = atDelta
		e, alpha = loss.Epsilon(d)
	}
	if math.IsNaN(alpha) {
		alpha = 0
	}
	return number(e), number(d), number(alpha)
}

// delta returns the δ to report at. Without a grant that states one it is 0, if that is possible.
func (c *reportCommand) delta(ledger *event.Ledger) (float64, error) {
	if c.Epsilon != nil {
		return 0, nil
	}
	if c.Delta != nil && *c.Delta != 0 {
		return *c.Delta, nil
	}
	if c.Delta == nil {
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
