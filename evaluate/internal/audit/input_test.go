package audit

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"testing"

	"privpipe/pipelines/event"
	"privpipe/pipelines/wire"
	"privpipe/pipelines/wire/stream"
)

// lines returns the records of an input, in words: what each unit sends where, and the units that a round announces.
func lines(t *testing.T, input []byte) []string {
	t.Helper()
	r, err := stream.NewReader(bytes.NewReader(input), "input")
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for {
		record, err := r.Next()
		if err == io.EOF {
			return all
		}
		if err != nil {
			t.Fatal(err)
		}
		if c := record.GetContribution(); c != nil {
			value := math.Float32frombits(binary.LittleEndian.Uint32(c.Parts[0].Values))
			all = append(all, fmt.Sprintf("%d %s/%s %v in %d", record.Round, c.Unit, c.Record, value,
				len(c.Parts[0].Values)/4))
		}
		if end := record.GetRoundClose(); end != nil {
			all = append(all, fmt.Sprintf("%d units %d", record.Round, end.Units))
		}
	}
}

func TestPair(t *testing.T) {
	for _, test := range []struct {
		adjacency, unit string
		with, without   []string
	}{
		{event.AddRemove, event.Document,
			[]string{
				"1 other/ -1500 in 1", "1 canary/ 3000 in 1", "1 units 2",
				"2 other/ -1500 in 1", "2 canary/ 3000 in 16", "2 units 2",
			},
			[]string{"1 other/ -1500 in 1", "1 units 1", "2 other/ -1500 in 1", "2 units 1"}},
		{event.ReplaceOne, event.User,
			[]string{
				"1 other/document 0 -1500 in 1", "1 canary/document 0 3000 in 1", "1 units 2",
				"2 other/document 0 -1500 in 1", "2 canary/document 0 3000 in 16", "2 units 2",
			},
			[]string{
				"1 other/document 0 -1500 in 1", "1 canary/document 0 -3000 in 1", "1 units 2",
				"2 other/document 0 -1500 in 1", "2 canary/document 0 -3000 in 16", "2 units 2",
			}},
	} {
		terms := Terms{
			Mechanism: event.Gaussian, Adjacency: test.adjacency, Unit: test.unit, NoiseMultiplier: 1, clip: clip,
			layout: one(cells),
		}
		with, without, err := terms.pair()
		if err != nil {
			t.Fatal(err)
		}
		if got := lines(t, with); !slices.Equal(got, test.with) {
			t.Errorf("%s: with the canary %q, want %q", test.adjacency, got, test.with)
		}
		if got := lines(t, without); !slices.Equal(got, test.without) {
			t.Errorf("%s: without the canary %q, want %q", test.adjacency, got, test.without)
		}
	}
}

func TestScattered(t *testing.T) {
	included := []bool{true, false, true}
	for adjacency, want := range map[string][]string{
		event.AddRemove:  {"1 canary 0/ 3000 in 1", "1 canary 2/ 3000 in 1", "1 units 2"},
		event.ReplaceOne: {"1 canary 0/ 3000 in 1", "1 canary 1/ -3000 in 1", "1 canary 2/ 3000 in 1", "1 units 3"},
	} {
		terms := Terms{
			Mechanism: event.Laplace, Adjacency: adjacency, Unit: event.Document, NoiseMultiplier: 1, clip: clip,
			layout: one(3),
		}
		input, err := terms.scattered(included)
		if err != nil {
			t.Fatal(err)
		}
		if got := lines(t, input); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", adjacency, got, want)
		}
	}
}

// TestRecord: a contribution's values lie where its cells do, times the clip and the bound of the statistic, so that a
// reader of SPEC.md finds each in its matrix, row and column.
func TestRecord(t *testing.T) {
	terms := Terms{Mechanism: event.Gaussian, Adjacency: event.AddRemove, Unit: event.User, NoiseMultiplier: 1,
		clip: clip, layout: mixed()}
	all := terms.layout.cells()
	if len(all) != 10+10+3 {
		t.Fatalf("%d cells", len(all))
	}
	c := contribution{unit: "ann", record: 2}
	want := make(map[[3]int]float32)
	for i := 0; i < len(all); i += 2 {
		c.cells, c.values = append(c.cells, i), append(c.values, float64(i+1))
		want[[3]int{all[i].matrix, all[i].row, all[i].column}] = float32(float64(i+1) * clip * all[i].bound)
	}
	content, err := terms.encode([][]contribution{{c, constant("bob", 0, []int{0, 22}, 1)}}, 5)
	if err != nil {
		t.Fatal(err)
	}
	r, err := stream.NewReader(bytes.NewReader(content), "input")
	if err != nil {
		t.Fatal(err)
	}
	open, err := r.Next()
	if err != nil || open.GetRoundOpen().GetScheme().GetRounds() != 5 {
		t.Fatalf("opened by %v, %v", open, err)
	}
	record, err := r.Next()
	if err != nil {
		t.Fatal(err)
	}
	got := make(map[[3]int]float32)
	for _, p := range record.GetContribution().Parts {
		rows, columns := wire.AppendIDs(nil, p.RowGaps), wire.AppendIDs(nil, p.ColumnGaps)
		for i := range len(rows) * len(columns) {
			at := [3]int{int(p.Matrix), int(rows[i/len(columns)]), int(columns[i%len(columns)])}
			got[at] = math.Float32frombits(binary.LittleEndian.Uint32(p.Values[4*i:]))
		}
	}
	if !maps.Equal(got, want) || record.GetContribution().Record != "document 2" {
		t.Errorf("record %v of %v, want %v", record.GetContribution().Record, got, want)
	}
	if terms.layout[1].symmetric && all[10].offDiagonal || !all[11].offDiagonal || all[22].bound != 0.25 {
		t.Errorf("cells %+v, %+v, %+v", all[10], all[11], all[22])
	}
}
