package stream

import (
	"bytes"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"

	"privpipe/pipelines/wire"
)

// batched writes one round's records as batches from one Batcher. The round begins before the batches and ends behind
// them. After each Add batched overwrites the record's memory, as a stage may.
func batched(t *testing.T, records ...*wire.Record) (stream []byte, err error) {
	t.Helper()
	compressor, _ := NewCompressor(None)
	var out bytes.Buffer
	w, err := NewWriter(&out, header(wire.Kind_CONTRIBUTIONS), compressor)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Write(open(1)); err != nil {
		t.Fatal(err)
	}
	units := uint64(0)
	b := w.Framer().Batcher()
	for _, r := range records {
		r = proto.CloneOf(r)
		if err := b.Add(r); err != nil {
			return nil, err
		}
		c := r.GetContribution()
		for _, p := range c.Parts {
			clear(p.Values)
			clear(p.RowGaps)
			p.Matrix = 77
		}
		if !c.More {
			units++
		}
		c.Unit, c.More, r.Round = "another", !c.More, 99
	}
	for _, batch := range b.All() {
		if err := w.WriteBatch(batch); err != nil {
			return nil, err
		}
	}
	if err := w.Write(closing(1, units)); err != nil {
		return nil, err
	}
	err = w.Close()
	return out.Bytes(), err
}

// TestBatcher: contributions of one record and of several are written as they were when they were added. The order of
// batched records is checked like the order of single records.
func TestBatcher(t *testing.T) {
	whole := func(unit string) *wire.Record { return contribution(1, unit, false, rows(0, 0)) }
	long := []*wire.Record{contribution(1, "b", true, rows(0, 0)), contribution(1, "b", true, rows(0, 1)),
		contribution(1, "b", false, rows(1, 0))}
	want := []*wire.Record{whole("a"), long[0], long[1], long[2], whole("c"), whole("d")}
	content, err := batched(t, want...)
	if err != nil {
		t.Fatal(err)
	}
	got, _, err := decode(content)
	if err != nil || len(got) != len(want)+2 || !equal(got[1:len(got)-1], want) {
		t.Errorf("got %v, error %v, want %v", got, err, want)
	}
	for rule, records := range map[string][]*wire.Record{
		"ascending order": {contribution(1, "a", false, rows(0, 1), rows(0, 0))},
		"ascending order of": {whole("a"), contribution(1, "b", true, rows(0, 1)),
			contribution(1, "b", false, rows(0, 1))},
		"inside a contribution": {whole("a"), long[0]},
		"is outside that round": {contribution(2, "a", false, rows(0, 0))},
		"unit must have":        {contribution(1, "", false)},
		"contribution is not whole": {long[0], contribution(1, "c", true, rows(0, 1)),
			contribution(1, "c", false, rows(1, 0))},
	} {
		if _, err := batched(t, records...); err == nil || !strings.Contains(err.Error(), rule) {
			t.Errorf("%s: error %v", rule, err)
		}
	}
}
