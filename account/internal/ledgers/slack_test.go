package ledgers

import (
	"testing"

	"privpipe/pipelines/event"
	"privpipe/pipelines/testkit"
)

// TestSlack: what a ledger holds is compared with its budget, its plan, its filter and its costs to a millionth at
// least. Each is just right first, and then just too much.
func TestSlack(t *testing.T) {
	const delta, slightly = 1e-6, 1e-6
	grant := func() *event.Grant {
		return &event.Grant{
			Version: event.GrantVersion, ID: "g", Created: testkit.Noon, Mechanism: event.Gaussian,
			Adjacency: event.AddRemove, Unit: event.Document, Clip: 1, NoiseMultiplier: 8, Releases: 4,
			Scheme:  event.Scheme{Method: event.All, Rate: 1, Rounds: 4},
			Subject: testkit.SubjectFor(event.Gaussian),
		}
	}
	var charges []*event.Charge
	for round := range 4 {
		charges = append(charges, testkit.ChargeOf(grant(), round+1, "run"))
	}
	spent, err := leastEpsilon(event.Budget{Delta: delta}, charges)
	if err != nil {
		t.Fatal(err)
	}
	own := &event.Ledger{Lines: []*event.Line{{Head: &event.Head{Budget: &event.Limit{Delta: delta}}}}}
	for _, c := range charges {
		own.Lines = append(own.Lines, &event.Line{Charge: c})
	}
	filter := event.Filter{Measure: event.ZCDP}
	cost, err := Cost(&filter, grant())
	if err != nil {
		t.Fatal(err)
	}
	filter.Limit = 4 * cost
	guaranteed, err := Guaranteed(&filter, delta)
	if err != nil {
		t.Fatal(err)
	}
	for what, refused := range map[string]func(less float64) (bool, error){
		"the ledger's own budget": func(less float64) (bool, error) {
			own.Lines[0].Head.Budget.Epsilon = spent * less
			over, err := Overspent(own)
			return over != nil, err
		},
		"the budget of a plan": func(less float64) (bool, error) {
			g := grant()
			g.Budget = event.Budget{Epsilon: spent * less, Delta: delta}
			return checkBudget(g, charges) != nil, nil
		},
		"the limit of a filter": func(less float64) (bool, error) {
			head := &event.Head{Budget: &event.Limit{Epsilon: guaranteed * less, Delta: delta}, Filter: &filter}
			return checkFilter("ledger", head) != nil, nil
		},
	} {
		for less, want := range map[float64]bool{1: false, 1 - slightly: true} {
			if got, err := refused(less); got != want || err != nil {
				t.Errorf("%s, times %v: refused %v, %v; want %v", what, less, got, err, want)
			}
		}
	}
}
