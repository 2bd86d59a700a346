package ledgers

import (
	"testing"

	"privpipe/pipelines/event"
)

// TestStanding: the ledger's own budget stands before the latest that was planned and charged.
func TestStanding(t *testing.T) {
	head := &event.Line{Head: &event.Head{Budget: &event.Limit{Epsilon: 3, Delta: 1e-6}}}
	grant := func(id string, epsilon float64) *event.Line {
		return &event.Line{Grant: &event.Grant{ID: id, Budget: event.Budget{Epsilon: epsilon, Delta: 1e-6}}}
	}
	charge := func(id string) *event.Line { return &event.Line{Charge: &event.Charge{Grant: id}} }
	for what, c := range map[string]struct {
		lines []*event.Line
		want  []float64
	}{
		"nothing":     {nil, nil},
		"no budget":   {[]*event.Line{grant("a", 0), charge("a")}, nil},
		"own":         {[]*event.Line{head}, []float64{3}},
		"planned":     {[]*event.Line{grant("a", 1), charge("a")}, []float64{1}},
		"not charged": {[]*event.Line{grant("a", 1)}, nil},
		"later": {[]*event.Line{grant("a", 1), charge("a"), grant("b", 2), charge("b"), charge("a")},
			[]float64{2}},
		"less, later":          {[]*event.Line{grant("a", 2), charge("a"), grant("b", 1), charge("b")}, []float64{1}},
		"given noise later":    {[]*event.Line{grant("a", 2), charge("a"), grant("b", 0), charge("b")}, []float64{2}},
		"own and planned":      {[]*event.Line{head, grant("a", 1), charge("a")}, []float64{3, 1}},
		"own, planned in full": {[]*event.Line{head, grant("a", 3), charge("a")}, []float64{3}},
	} {
		ledger := &event.Ledger{Lines: c.lines}
		var got []float64
		for _, b := range Standing(ledger) {
			got = append(got, b.Epsilon)
		}
		if total := Total(ledger); len(got) != len(c.want) || (total == nil) != (len(got) == 0) || total != nil &&
			total.Epsilon != got[0] {
			t.Errorf("%s: %v, want %v", what, got, c.want)
			continue
		}
		for i := range got {
			if got[i] != c.want[i] {
				t.Errorf("%s: %v, want %v", what, got, c.want)
			}
		}
	}
}
