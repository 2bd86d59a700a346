package audit

import (
	"encoding/json"
	"time"

	"privpipe/pipelines/event"
)

// Terms are the privacy terms of a grant.
type Terms struct {
	Mechanism       string // event.Gaussian or event.Laplace
	Adjacency       string
	Unit            string
	NoiseMultiplier float64

	clipping    string // as in a grant
	clip        float64
	nonNegative bool
	proved      float64 // sensitivity by a proof, in clips; 0: no proof
	draws       float64 // loss by one token's own draws in a round
	layout      layout
	factored    bool // contributions are sent as factored parts
}

// runName and modelName name the run and the model in inputs, grants and ledgers.
const runName, modelName = "audit", "audit"

// grant returns a grant for the given number of rounds, each with all units.
func (t Terms) grant(rounds int) *event.Grant {
	g := &event.Grant{
		Version: event.GrantVersion, ID: "audit", Created: time.Unix(0, 0).UTC(), Mechanism: t.Mechanism,
		Adjacency: t.Adjacency, Unit: t.Unit, Subject: t.layout.subject(), Clip: t.clip, Clipping: t.clipping,
		NonNegative:     t.nonNegative,
		NoiseMultiplier: t.NoiseMultiplier, Proved: t.proved, Draws: t.draws,
		Scheme: event.Scheme{Method: event.All, Rate: 1, Rounds: rounds}, Releases: rounds,
	}
	for _, m := range t.layout {
		if m.bound != 1 {
			g.Statistics = append(g.Statistics, event.Statistic{Name: m.name, Bound: m.bound})
		}
	}
	return g
}

// encodeGrant returns the contents of the grant's file.
func encodeGrant(g *event.Grant) ([]byte, error) {
	if err := g.Check(); err != nil {
		return nil, err
	}
	return json.Marshal(g)
}

// l1 reports whether the mechanism bounds the L1 norm. In this norm a symmetric matrix's cell off the diagonal counts
// once, because only the triangle is released. In the L2 norm the cell counts twice, as in the whole matrix.
func (t Terms) l1() bool { return t.Mechanism == event.Laplace }

// A contribution is the vector that one of the unit's records adds to some cells. Its values are in clips: 1 is the
// clip times the bound of the cell's statistic.
type contribution struct {
	unit   string
	record int
	cells  []int
	values []float64
}

// constant returns a contribution with the same value in some cells.
func constant(unit string, record int, cells []int, value float64) contribution {
	c := contribution{unit: unit, record: record, cells: cells, values: make([]float64, len(cells))}
	for i := range c.values {
		c.values[i] = value
	}
	return c
}

// sum returns a sound privatizer's sum in one round, in clips, without the rounding to whole steps. Each record counts
// once, and each unit's total is bounded as the grant says. sum shares no code with privatize.
func (t Terms) sum(round []contribution) []float64 {
	type record struct {
		unit   string
		number int
	}
	seen, totals := make(map[record]bool), make(map[string][]float64)
	size := len(t.layout.cells())
	for _, c := range round {
		if seen[record{c.unit, c.record}] {
			continue
		}
		seen[record{c.unit, c.record}] = true
		if totals[c.unit] == nil {
			totals[c.unit] = make([]float64, size)
		}
		for i, cell := range c.cells {
			totals[c.unit][cell] += c.values[i]
		}
	}
	sum := make([]float64, size)
	for _, total := range totals {
		if t.nonNegative {
			for i, v := range total {
				total[i] = max(0, v)
			}
		}
		if t.clipping == "" || t.clipping == event.ClipUnit || t.clipping == event.ClipUnitL1 {
			t.bring(total)
		}
		for i, v := range total {
			sum[i] += v
		}
	}
	if t.clipping == event.ClipBatch {
		t.bring(sum)
	}
	return sum
}

// bring scales a vector down to a norm of at most 1.
func (t Terms) bring(v []float64) {
	l1 := t.l1() || t.clipping == event.ClipUnitL1
	if norm := t.layout.norm(v, l1, !t.l1()); norm > 1 {
		for i := range v {
			v[i] /= norm
		}
	}
}
