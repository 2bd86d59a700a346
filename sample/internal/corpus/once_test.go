package corpus

import (
	"errors"
	"testing"

	"privpipe/pipelines/wire"
)

// TestOnce: a document that is delivered again counts once, and every other document keeps its unit. Two that differ
// under one id are refused.
func TestOnce(t *testing.T) {
	document := func(id, user string, count uint32) *wire.Document {
		return &wire.Document{Id: id, User: user, WordGaps: []uint32{1}, Counts: []uint32{count}}
	}
	a, b, c, d := document("a", "u", 1), document("b", "v", 1), document("c", "u", 1), document("d", "", 1)
	once := []*wire.Document{a, b, c, d}
	for _, unit := range []wire.Unit{wire.Unit_DOCUMENT, wire.Unit_USER} {
		want := filled(t, 1<<20, unit, once)
		got := New(1<<20, unit)
		got.Once()
		for _, d := range []*wire.Document{a, b, a, c, b, d, d, a} {
			if err := got.Add(d); err != nil {
				t.Fatal(err)
			}
		}
		if err := got.Seal(); err != nil {
			t.Fatal(err)
		}
		holds(t, got, once)
		for i := range once {
			unit, of := got.UnitOf(i), want.UnitOf(i)
			if got.Documents() != len(once) || unit != of || got.Digests()[unit] != want.Digests()[of] ||
				got.Keys()[unit] != want.Keys()[of] {
				t.Errorf("%v: document %d is of unit %d, want %d", unit, i, unit, of)
			}
		}
		other := New(1<<20, unit)
		other.Once()
		for _, d := range []*wire.Document{a, a, document("a", "u", 2)} {
			if err := other.Add(d); err != nil {
				t.Fatal(err)
			}
		}
		if err := other.Seal(); !errors.Is(err, ErrTwice) {
			t.Errorf("%v: documents that differ: %v", unit, err)
		}
	}
}
