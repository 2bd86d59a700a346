package dpevents

import (
	"encoding/json"
	"strings"
	"testing"

	"privpipe/account/internal/loss"
	"privpipe/account/internal/pld"
	"privpipe/pipelines/testkit"
)

// A row of testdata/golden.jsonl is from the golden tables of the project: a list of releases, and what an independent
// tool, which source names, says of its ε at δ. Between low and high an answer is right: not less than is lost, and not
// much more. Some lists are rewritten, from the row's columns, as listed events or as DpEvents.
type row struct {
	ID, Adjacency, Accountant, Source string
	Events                            json.RawMessage
	Delta, Low, High                  float64
}

func TestGolden(t *testing.T) {
	for _, r := range testkit.Rows[row](t, "testdata/golden.jsonl", 86, nil) {
		// The units of these rows are orthogonal, which is the worst case for units without negative coordinates.
		orthogonal := strings.HasPrefix(r.ID, "orth|")
		l, err := Read(r.Events, Relation{Adjacency: r.Adjacency, NonNegative: orthogonal})
		if err != nil {
			t.Errorf("%s: %v", r.ID, err)
			continue
		}
		var p loss.Profile
		if r.Accountant == "pld" {
			p, err = l.Distribution(pld.Options{})
		} else {
			p, err = l.Renyi()
		}
		if err != nil {
			t.Errorf("%s: %v", r.ID, err)
			continue
		}
		epsilon, err := p.Epsilon(r.Delta)
		if err != nil || !(epsilon.Upper >= r.Low && epsilon.Upper <= r.High) {
			t.Errorf("%s, %s: ε %v, %v, want [%v, %v] (%s)", r.ID, r.Accountant, epsilon.Upper, err, r.Low, r.High,
				r.Source)
		}
	}
}
