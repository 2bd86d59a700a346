package released

import (
	"math"
	"strings"
	"testing"

	"privpipe/pipelines/event"
)

// TestCheck: what a report may say of ledgers without a budget of their own, and of releases that nothing bounds.
func TestCheck(t *testing.T) {
	charge := func(grant string) *event.Line {
		return &event.Line{Charge: &event.Charge{Grant: grant, Mechanism: event.Gaussian, Adjacency: event.AddRemove,
			Unit: event.Document}}
	}
	grant := func(id string, epsilon float64) *event.Line {
		return &event.Line{Grant: &event.Grant{ID: id, Budget: event.Budget{Epsilon: epsilon, Delta: 1e-6}}}
	}
	planned := []*event.Line{grant("a", 1), charge("a"), grant("b", 2), charge("b"), grant("given", 0), charge("given"),
		grant("unused", 3)}
	unbounded := charge("a")
	unbounded.Charge.Clipping = event.ClipUnbounded
	filter := &event.Line{Head: &event.Head{Budget: &event.Limit{Epsilon: 1, Delta: 1e-6}, Filter: new(event.Filter)}}
	one, infinite := Number(1), Number(math.Inf(1))
	for name, c := range map[string]struct {
		lines  []*event.Line
		report Report
		want   string // of the error; empty for none
	}{
		"planned": {planned, Report{Epsilon: &one, Budget: &Budget{Epsilon: 2, Delta: 1e-6, Grant: "b"}},
			""},
		"an earlier plan": {planned, Report{Epsilon: &one, Budget: &Budget{Epsilon: 1, Delta: 1e-6, Grant: "a"}},
			"latest planned"},
		"an unused plan": {planned,
			Report{Epsilon: &one, Budget: &Budget{Epsilon: 3, Delta: 1e-6, Grant: "unused"}}, "latest planned"},
		"another δ": {planned, Report{Epsilon: &one, Budget: &Budget{Epsilon: 2, Delta: 1e-5, Grant: "b"}},
			"latest planned"},
		"no plan":        {planned, Report{Epsilon: &one}, "latest planned"},
		"none":           {planned[4:6], Report{Epsilon: &one}, ""},
		"one of nothing": {planned[4:6], Report{Epsilon: &one, Budget: &Budget{Epsilon: 1, Delta: 1e-6}}, "lacks"},
		"unbounded":      {[]*event.Line{unbounded}, Report{Epsilon: &infinite}, ""},
		"bounded":        {[]*event.Line{unbounded}, Report{Epsilon: &one}, "no ε bounds"},
		"a filter": {[]*event.Line{filter, charge("x")},
			Report{Epsilon: &one, Filter: new(Filter), Budget: &Budget{Epsilon: 1, Delta: 1e-6}}, ""},
		"without its filter": {[]*event.Line{filter, charge("x")},
			Report{Epsilon: &one, Budget: &Budget{Epsilon: 1, Delta: 1e-6}}, "filter"},
	} {
		c.report.Adjacency, c.report.Unit = event.AddRemove, event.Document
		err := c.report.check(&event.Ledger{Lines: c.lines})
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
}
