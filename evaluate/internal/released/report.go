package released

import (
	"context"
	"encoding/json"
	"fmt"
	"math"

	"privpipe/pipelines/endpoint"
	"privpipe/pipelines/event"
	"privpipe/pipelines/exit"
	"privpipe/pipelines/rounded"
)

// A Number is an upper bound on ε or δ, at least 0. In JSON, infinity is the string "∞".
type Number float64

// UnmarshalJSON implements json.Unmarshaler.
func (n *Number) UnmarshalJSON(b []byte) error {
	var x float64
	if string(b) == `"∞"` {
		x = math.Inf(1)
	} else if err := json.Unmarshal(b, &x); err != nil {
		return err
	}
	if !(x >= 0) {
		return fmt.Errorf("a bound must be at least 0, is %v", x)
	}
	*n = Number(x)
	return nil
}

// String rounds up, as account does.
func (n Number) String() string { return rounded.Up(float64(n)) }

// Infinite says whether there is no bound.
func (n Number) Infinite() bool { return math.IsInf(float64(n), 1) }

// A Report is account's statement about all releases in a ledger together: the JSON of `account report --json`. Nothing
// here computes an ε, so a page states exactly account's ε.
type Report struct {
	LastHash         string  `json:"last_hash"` // the hash of the ledger's last line
	Accountant       string  `json:"accountant"`
	Epsilon          *Number `json:"epsilon"`
	Delta            *Number `json:"delta"`
	PureEpsilon      Number  `json:"pure_epsilon"`
	SelectDelta      Number  `json:"select_delta"`
	Adjacency        string  `json:"adjacency"`
	Unit             string  `json:"unit"`
	Theorem          string  `json:"theorem"`
	Releases         int     `json:"releases"`
	Claimed          *Number `json:"claimed_epsilon"` // by a paper's sensitivities: no bound
	Filter           *Filter `json:"filter"`
	Budget           *Budget `json:"budget"`
	Overspent        *bool   `json:"overspent"` // exceeding any budget, at its own δ; nil: account did not say
	DisjointDatasets bool    `json:"disjoint_datasets"`

	OverspentBudget *Overspending `json:"overspent_budget"` // which budget; nil also from older versions of account

	// The members that no page shows. Unknown members are refused, because they might qualify the page's statements.
	Ledger       json.RawMessage `json:"ledger"`
	EpsilonLower json.RawMessage `json:"epsilon_lower"`
	DeltaLower   json.RawMessage `json:"delta_lower"`
	Order        json.RawMessage `json:"order"`
	Torn         json.RawMessage `json:"torn_last_line"`
	ClaimedDelta json.RawMessage `json:"claimed_delta"`
	Papers       json.RawMessage `json:"paper_claims"`
	Datasets     json.RawMessage `json:"datasets"`
	Group        json.RawMessage `json:"group"` // for several units: the page states a bound for any number
	Runs         json.RawMessage `json:"runs"`
	Grants       json.RawMessage `json:"grants"`
}

// A Budget is a ledger's total budget, and the rest of it.
type Budget struct {
	Epsilon     float64 `json:"epsilon"`
	Delta       float64 `json:"delta"`
	Grant       string  `json:"grant"`        // the grant that was planned for it; empty for the ledger's own
	EpsilonLeft *Number `json:"epsilon_left"` // a lower bound; nil if the ledger has a filter
	FilterLeft  *Number `json:"filter_left"`  // in the filter's measure
}

// An Overspending is a budget that the releases exceed, and the releases' ε at the budget's δ.
type Overspending struct {
	Budget  float64 `json:"budget"`
	Delta   float64 `json:"delta"`
	Grant   string  `json:"grant"`   // the grant that was planned for the budget; empty for the ledger's own
	Dataset string  `json:"dataset"` // its releases exceed the budget; empty: all releases of the ledger do
	Epsilon Number  `json:"epsilon"`
}

// A Filter is the guarantee of a ledger's filter. It holds even if settings were chosen after earlier releases had been
// seen.
type Filter struct {
	Measure string `json:"measure"`
	Order   Number `json:"order"`
	Limit   Number `json:"limit"`
	Spent   Number `json:"spent"`
	Epsilon Number `json:"epsilon"`
	Delta   Number `json:"delta"`
	Theorem string `json:"theorem"`
}

// A Curve says how ε grew over a ledger's releases: the JSON of `account report --curve FILE.json`.
type Curve struct {
	LastHash   string  `json:"last_hash"`
	Accountant string  `json:"accountant"`
	Delta      *Number `json:"delta"`
	Points     []Point `json:"epsilon_over_releases"` // ascending; between two points, the later ε is an upper bound

	Adjacency        string `json:"adjacency"`
	Unit             string `json:"unit"`
	DisjointDatasets bool   `json:"disjoint_datasets"`

	// The members that no page shows. Unknown members are refused.
	Ledger    json.RawMessage `json:"ledger"`
	DeltaOver json.RawMessage `json:"delta_over_epsilon"`
	Budget    json.RawMessage `json:"budget"`
	Unbounded json.RawMessage `json:"unbounded_from"`
	NoNoise   json.RawMessage `json:"release_without_noise"`
}

// A Point is the ε after a ledger's first releases.
type Point struct {
	Releases int    `json:"releases"`
	Epsilon  Number `json:"epsilon"`
}

// most bounds the bytes in a file by account.
const most = 64 << 20

// ReadReport reads the JSON of account report. It refuses reports on another ledger, reports on an earlier or later
// state of the ledger, and reports that contradict the ledger: see check.
func ReadReport(ctx context.Context, name string, ledger *event.Ledger) (*Report, error) {
	r := new(Report)
	if err := read(ctx, name, r); err != nil {
		return nil, err
	}
	switch {
	case r.Epsilon == nil || r.Delta == nil || r.LastHash == "":
		return nil, exit.Errorf(exit.Malformed,
			"%s: has no epsilon, delta or last_hash: not the JSON of account report", name)
	case r.LastHash != ledger.LastHash():
		return nil, stale(name)
	case r.Releases != len(ledger.Charges()):
		return nil, exit.Errorf(exit.Malformed, "%s: of %d releases, the ledger charges %d", name, r.Releases,
			len(ledger.Charges()))
	}
	if err := r.check(ledger); err != nil {
		return nil, exit.Errorf(exit.Malformed, "%s: %w", name, err)
	}
	return r, nil
}

// ReadCurve reads the curve that belongs to a report.
func ReadCurve(ctx context.Context, name string, beside *Report) (*Curve, error) {
	c := new(Curve)
	if err := read(ctx, name, c); err != nil {
		return nil, err
	}
	switch {
	case c.Delta == nil || len(c.Points) == 0 || c.LastHash == "":
		return nil, exit.Errorf(exit.Malformed,
			"%s: has no delta, epsilon_over_releases or last_hash: not the JSON of account report --curve", name)
	case c.LastHash != beside.LastHash:
		return nil, stale(name)
	case *c.Delta != *beside.Delta || c.Accountant != beside.Accountant:
		return nil, exit.Errorf(exit.Malformed, "%s: at δ %v by %s, the report of account is at δ %v by %s",
			name, *c.Delta, c.Accountant, *beside.Delta, beside.Accountant)
	case c.Adjacency != beside.Adjacency || c.Unit != beside.Unit || c.DisjointDatasets != beside.DisjointDatasets:
		return nil, exit.Errorf(exit.Malformed,
			"%s: of neighbours %q and unit %q, the report of account is of %q and %q, or of other data sets",
			name, c.Adjacency, c.Unit, beside.Adjacency, beside.Unit)
	}
	before := -1
	for _, p := range c.Points {
		if p.Releases <= before || p.Releases > beside.Releases {
			return nil, exit.Errorf(exit.Malformed, "%s: a point of %d releases after one of %d, of %d in all", name,
				p.Releases, before, beside.Releases)
		}
		before = p.Releases
	}
	if before != beside.Releases {
		return nil, exit.Errorf(exit.Malformed, "%s: ends at %d releases, of %d", name, before, beside.Releases)
	}
	return c, nil
}

// After returns an upper bound on ε after the given number of releases.
func (c *Curve) After(releases int) Number {
	for _, p := range c.Points {
		if p.Releases >= releases {
			return p.Epsilon
		}
	}
	return Number(math.Inf(1))
}

func stale(name string) error {
	return exit.Errorf(exit.Malformed, "%s: not of this ledger as it is now: it names another last line", name).
		WithHint("make it again: account report --json --curve CURVE.json -o REPORT.json LEDGER")
}

// read decodes a file by account. A member that v lacks is an error.
func read(ctx context.Context, name string, v any) error {
	b, err := endpoint.ReadFile(ctx, name, most)
	if err != nil {
		return err
	}
	if err := event.Decode(b, v); err != nil {
		return exit.Errorf(exit.Malformed, "%s: not JSON of account: %w", name, err)
	}
	return nil
}
