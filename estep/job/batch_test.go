package job

import (
	"fmt"
	"testing"

	"google.golang.org/protobuf/proto"

	"privpipe/pipelines/wire"
)

// TestBatch: a batch has copies of its documents, while its memory grows, and when it had others before. Two batches at
// a time share nothing.
func TestBatch(t *testing.T) {
	var memory batches
	document := func(round, i, words int) *wire.Document {
		d := &wire.Document{Id: fmt.Sprint(round, "/", i), User: fmt.Sprint("u", i%3), Label: []string{"", "l"}[i%2]}
		for w := range words {
			d.WordGaps = append(d.WordGaps, uint32(round+w+1))
			if i%2 == 0 {
				d.Counts = append(d.Counts, uint32(i+w+1))
			} else {
				d.Values = append(d.Values, byte(i), byte(w), 1, 2)
			}
		}
		return d
	}
	check := func(b *batch, round, documents int) {
		t.Helper()
		if len(b.documents) != documents {
			t.Fatalf("%d documents, want %d", len(b.documents), documents)
		}
		for i, d := range b.documents {
			if want := document(round, i, i*round%17); !proto.Equal(d, want) {
				t.Errorf("round %d: document %d is %v, want %v", round, i, d, want)
			}
		}
	}
	fill := func(round, documents int) *batch {
		b := memory.take()
		for i := range documents {
			d := document(round, i, i*round%17)
			b.add(d)
			clear(d.WordGaps)
			clear(d.Counts)
			clear(d.Values)
			d.Id = "another"
		}
		return b
	}
	for round := 1; round < 20; round += 2 {
		first, second := fill(round, 1+round*7%40), fill(round+1, 30)
		check(first, round, 1+round*7%40)
		check(second, round+1, 30)
		for _, d := range first.documents {
			d.WordGaps = append(d.WordGaps, 77) // as an E-step may that cuts a document
		}
		for i, d := range first.documents {
			if n := len(d.WordGaps) - 1; n != i*round%17 || i%2 == 0 && len(d.Counts) != n || i%2 == 0 && n > 0 &&
				d.Counts[0] != uint32(i+1) {
				t.Errorf("round %d: document %d was changed by another's list", round, i)
			}
		}
		memory.give(first)
		memory.give(second)
	}
}
