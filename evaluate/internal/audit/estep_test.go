package audit

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"privpipe/pipelines/wire"
	"privpipe/pipelines/wire/stream"
)

// TestBoundOn bounds a loss of 1 in the first round and of 1 more in the second. The answers are randomized responses,
// which have an exact loss. A bound may exceed a true claim with probability 0.05. In 100 audits more than 18 bounds do
// so with probability below 1e-6 (binomial). Each bound exceeds a claim of half the loss. There the rates of error are
// more than five standard deviations from the rates that would spare the claim. The stream is fixed.
func TestBoundOn(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	respond := func(with bool) string {
		return fmt.Sprint(with == (random.Float64() < 1/(1+math.Exp(-1))))
	}
	exceeded := func(audits int, claims ...claim) (n int) {
		for range audits {
			seen := make([]assignment, 6000)
			for i := range seen {
				seen[i].with = random.Uint64()&1 == 1
				first := respond(seen[i].with)
				seen[i].topics = []string{first, first + respond(seen[i].with)}
			}
			b, rounds := boundOn(seen, claims, 0.05)
			if b.ClaimedEpsilon != claims[rounds-1].loss || b.Measured != 2000 {
				t.Fatalf("after round %d the bound is %+v", rounds, b)
			}
			if b.Exceeded() {
				n++
			}
		}
		return n
	}
	if n := exceeded(100, claim{loss: 1}, claim{loss: 2}); n > 18 {
		t.Errorf("%d of 100 audits exceed a true claim", n)
	}
	for name, claims := range map[string][]claim{"of round 1": {{loss: 0.5}, {loss: 2}},
		"of both rounds": {{loss: 1}, {loss: 1}}} {
		if n := exceeded(10, claims...); n < 10 {
			t.Errorf("%s: %d of 10 audits exceed half the loss", name, n)
		}
	}
}

// TestAssignment: what an adversary sees are topics. If the topics of all tokens are the same, neighbours look the
// same.
func TestAssignment(t *testing.T) {
	c := chainCase{topics: 2, others: []int{1, 1, 0}, weights: make([][]float32, 2)}
	if with, without := c.document(true), c.document(false); !slices.Equal(with, []int{2, 1, 0}) ||
		!slices.Equal(without, []int{1, 1, 1}) {
		t.Fatalf("neighbours %v and %v", with, without)
	}
	of := func(with bool, rounds ...[]float32) []string {
		answers := new(chain)
		for _, counts := range rounds {
			answers.counts = append(answers.counts, map[string][]float32{"d": counts})
		}
		s := c.assignment(answers, "d", with)
		if s.with != with {
			t.Errorf("with %v", s.with)
		}
		return s.topics
	}
	// The exchanged token has topic 1, and then topic 0.
	with := of(true, []float32{1, 0, 0, 1, 1, 0}, []float32{2, 1, 0, 0, 0, 0})
	without := of(false, []float32{1, 0, 0, 0, 1, 1}, []float32{1, 1, 1, 0, 0, 0})
	if !slices.Equal(with, without) || len(with) != 2 {
		t.Errorf("topics look as %q and as %q", with, without)
	}
	for name, other := range map[string][]string{
		"another topic of the token":     of(false, []float32{1, 0, 1, 0, 1, 0}, []float32{1, 1, 1, 0, 0, 0}),
		"another topic of another token": of(false, []float32{1, 1, 0, 0, 0, 1}, []float32{1, 1, 1, 0, 0, 0}),
	} {
		if other[0] == with[0] || other[1] == with[1] {
			t.Errorf("%s looks as %q", name, other)
		}
	}
}

// TestChanged: every second document stays as it is, in another order; of the others some are gone and some have other
// words.
func TestChanged(t *testing.T) {
	a := &chainAudit{chainCase: chainCase{others: []int{0, 0, 0}}}
	documents := a.witnesses()
	kept, round := a.changed(documents)
	if len(documents) != witnesses || len(kept) != witnesses/2 || len(round) != witnesses*3/4 {
		t.Fatalf("%d documents, %d kept of a round of %d", len(documents), len(kept), len(round))
	}
	before, after, last := make(map[string][]int), make(map[string][]int), ""
	for _, d := range documents {
		before[d.id] = d.counts
	}
	for _, d := range round {
		after[d.id] = d.counts
	}
	for _, d := range kept {
		if !slices.Equal(after[d.id], before[d.id]) {
			t.Errorf("%s has other words", d.id)
		}
		last = d.id
		delete(after, d.id)
	}
	if round[0].id != last && round[1].id != last {
		t.Errorf("%s is not among the first", last)
	}
	for id, counts := range after {
		if slices.Equal(counts, before[id]) {
			t.Errorf("%s has the same words", id)
		}
	}
	for _, d := range documents[1:copies] {
		if !slices.Equal(d.counts, documents[0].counts) {
			t.Errorf("%s is no copy", d.id)
		}
	}
}

// TestAddParts: parts may name their rows and columns or have all of them, and may be factored (SPEC.md, 3.3).
func TestAddParts(t *testing.T) {
	h := &wire.Header{Matrices: []*wire.Matrix{{Rows: 1, Columns: 1}, {Rows: 2, Columns: 3}}}
	cells := emptyMatrices(h)
	addParts(cells, h, []*wire.Part{
		{Values: stream.AppendCells(nil, []float32{7})},
		{Matrix: 1, RowGaps: []uint32{1}, ColumnGaps: []uint32{0, 2}, Values: stream.AppendCells(nil, []float32{1, 2})},
		{Matrix: 1, Values: stream.AppendCells(nil, []float32{10, 20, 30, 40, 50, 60})},
		{Matrix: 1, ColumnGaps: []uint32{1, 1}, Factored: true,
			Values: stream.AppendCells(nil, []float32{100, 200, 1, 2})},
	})
	if want := []float32{10, 120, 230, 41, 250, 462}; !slices.Equal(cells[0], []float32{7}) ||
		!slices.Equal(cells[1], want) {
		t.Errorf("cells %v, want [7] and %v", cells, want)
	}
}

// TestClaims: the losses of rounds add up, and depend on no document.
func TestClaims(t *testing.T) {
	a := &chainAudit{chainCase: chainCase{weights: make([][]float32, 2)}}
	claims, err := a.claims([]*chain{{draws: []float64{1, 2}}, {draws: []float64{1, 2}}})
	if err != nil || len(claims) != 2 || claims[0] != (claim{loss: 1}) || claims[1] != (claim{loss: 3}) {
		t.Errorf("claims %+v, %v", claims, err)
	}
	if _, err := a.claims([]*chain{{draws: []float64{1, 2}}, {draws: []float64{1, 2.5}}}); !errors.As(err, new(fault)) {
		t.Errorf("other draws in another chain: %v", err)
	}
}
