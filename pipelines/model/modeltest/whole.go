package modeltest

import (
	"fmt"
	"slices"
	"testing"

	"google.golang.org/protobuf/proto"

	"privpipe/pipelines/model"
	"privpipe/pipelines/wire"
)

// Whole checks an E-step that answers a round's documents together. It runs two rounds. The second goes on from the
// first.
func Whole(t *testing.T, c Case) {
	whole, ok := c.Step.(model.Whole)
	if !ok {
		t.Fatal("the model does not answer documents together")
	}
	documents := c.documents()
	answer := func(documents []*wire.Document, last [][]*wire.Part, round uint32) [][]*wire.Part {
		t.Helper()
		all := make([]*model.Coins, len(documents))
		for i := range documents {
			all[i] = &model.Coins{Document: c.documents()[i], Key: []byte("modeltest"),
				Scope: model.Scope("run", round)}
		}
		parts, err := whole.ContributeAll(documents, last, all)
		if err != nil {
			t.Fatal(err)
		}
		return parts
	}
	last := make([][]*wire.Part, len(documents))
	for round := uint32(1); round <= 2; round++ {
		first := answer(documents, last, round)
		if len(first) != len(documents) {
			t.Fatalf("%d contributions of %d documents", len(first), len(documents))
		}
		for i, parts := range first {
			if err := checkParts(c.Size.Words, c.matrices(), parts); err != nil {
				t.Errorf("round %d, document %q: %v", round, documents[i].Id, err)
			}
			if len(documents[i].Counts) == 0 && len(parts) > 0 {
				t.Errorf("an empty document contributes %d parts", len(parts))
			}
		}
		named := make([]*wire.Document, len(documents))
		for i, d := range documents {
			named[i] = proto.CloneOf(d)
			named[i].Id, named[i].User = fmt.Sprint(i), "user"
		}
		for how, again := range map[string][][]*wire.Part{"again": answer(documents, last, round),
			"under other names": answer(named, last, round)} {
			for i := range documents {
				if !slices.EqualFunc(first[i], again[i], func(a, b *wire.Part) bool { return proto.Equal(a, b) }) {
					t.Errorf("round %d: document %q contributes something else %s", round, documents[i].Id, how)
				}
			}
		}
		last = first
	}
	c.settings(t)
}

// matrices returns the matrices in contributions, including the hidden ones.
func (c Case) matrices() []*wire.Matrix {
	matrices := c.Family.Statistics(c.Size)
	if hider, ok := c.Step.(model.Hider); ok {
		hidden, _ := hider.Hidden(c.Size)
		matrices = append(matrices, hidden...)
	}
	return matrices
}
