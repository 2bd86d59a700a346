package rounds

import (
	"bytes"
	"fmt"
	"slices"
	"sync"
	"testing"

	"privpipe/pipelines/event"
	"privpipe/pipelines/exit"
	"privpipe/pipelines/wire"
	"privpipe/pipelines/wire/stream"
	"privpipe/privatize/internal/release"
	"privpipe/privatize/internal/unit"
)

// TestPartsTogether: partial sums that come at the same time, beside contributions, are all in the sum of the round,
// each unit once. A unit that two of them have ends the round.
func TestPartsTogether(t *testing.T) {
	const streams, units, cells = 4, 10_000, 3 * 10_000 // the last stream has contributions
	terms := &release.Terms{Unit: event.Document,
		Subject: event.Subject{Matrices: []event.Matrix{{Name: "m", Rows: 1, Columns: cells}}}}
	for _, shared := range []int{0, 1} {
		to, err := release.NewCollector(terms)
		if err != nil {
			t.Fatal(err)
		}
		var begun sync.WaitGroup
		begun.Add(streams)
		s := &Sources{deadline: newDeadline(0), Settings: make([]byte, 32), Header: summedHeader(cells)}
		for i := range streams - 1 {
			s.streams = append(s.streams, partialSum(t, &begun, to.Step(), s.Header, (i+1)*units-shared*i, units))
			s.headers = append(s.headers, &wire.Header{Kind: wire.Kind_SUMS})
		}
		s.streams = append(s.streams, &parted{begun: &begun, supplied: supplied{name: "contributions"}, units: units})
		s.headers = append(s.headers, contributions)
		got := &summed{collector: to}
		err = s.round(got, &wire.Record{Round: 1,
			Body: &wire.Record_RoundOpen{RoundOpen: &wire.RoundOpen{Scheme: everyUnit}}})
		if shared > 0 {
			if exit.Code(err) != exit.Malformed || got.cells != nil {
				t.Errorf("a unit in two partial sums: %d cells, %v", len(got.cells), err)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		for i, cell := range got.cells {
			want := int64(streams - 1)
			if i < units {
				want += int64(float64(i+1) / to.Step())
			}
			if cell != want {
				t.Fatalf("cell %d is %d, want %d", i, cell, want)
			}
		}
	}
}

func summedHeader(cells uint32) *wire.Header {
	return &wire.Header{
		Version: wire.Version, Kind: wire.Kind_SUMS, Side: wire.Side_PRIVATE, Unit: wire.Unit_DOCUMENT,
		Matrices: []*wire.Matrix{{Name: "m", Rows: 1, Columns: cells, Element: wire.Element_INT64}},
	}
}

// A summedStream is a supplier of a partial sum. It begins when all suppliers do.
type summedStream struct {
	supplier
	*stream.Reader
	begun *sync.WaitGroup
}

func (s *summedStream) Name() string { return s.Reader.Name() }
func (s *summedStream) Reuse()       { s.Reader.Reuse() }
func (s *summedStream) Errorf(format string, args ...any) error {
	return s.Reader.Errorf(format, args...)
}
func (s *summedStream) ReadBlocks(head *wire.Record) (*stream.Set, error) {
	return s.Reader.ReadBlocks(head)
}

func (s *summedStream) Next() (*wire.Record, error) {
	if s.begun != nil {
		s.begun.Done()
		s.begun.Wait()
		s.begun = nil
	}
	return s.Reader.Next()
}

// partialSum is a stream of the sum of so many units from a first on: 1 in each cell. Its round is open.
func partialSum(t *testing.T, begun *sync.WaitGroup, grid float64, h *wire.Header, first, units int) *summedStream {
	t.Helper()
	var out bytes.Buffer
	c, err := stream.NewCompressor(stream.None)
	if err != nil {
		t.Fatal(err)
	}
	w, err := stream.NewWriter(&out, h, c)
	if err != nil {
		t.Fatal(err)
	}
	members, digest := make(unit.Marks), uint64(0)
	for u := range units {
		name := fmt.Sprint(first + u)
		members.Add(unit.KeyOf(name), unit.Mark{})
		digest += wire.UnitDigest(name)
	}
	cells := slices.Repeat([]int64{1}, int(h.Matrices[0].Columns))
	for _, err := range []error{
		w.Write(&wire.Record{Round: 1, Body: &wire.Record_RoundOpen{RoundOpen: &wire.RoundOpen{Scheme: everyUnit}}}),
		w.Write(&wire.Record{Round: 1, Body: &wire.Record_Members{Members: &wire.Members{Keys: members.Keys()}}}),
		w.WriteSet(&wire.Record{Round: 1,
			Body: &wire.Record_Sum{Sum: &wire.Sum{Grid: grid, Settings: make([]byte, 32)}}}, stream.RowsOf(cells)),
		w.Write(&wire.Record{Round: 1, Body: &wire.Record_RoundClose{
			RoundClose: &wire.RoundClose{Units: uint64(units), Records: uint64(units), UnitDigest: digest}}}),
		w.Close(),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	r, err := stream.NewReader(&out, fmt.Sprint("the sum from ", first))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.Next(); err != nil {
		t.Fatal(err)
	}
	return &summedStream{Reader: r, begun: begun}
}
