package audit

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"slices"
	"testing"

	"privpipe/pipelines/event"
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
			all = append(all, fmt.Sprintf("%d %s/%s %v in %d", record.Round, c.Unit, c.Record, value, len(c.Parts[0].Values)/4))
		}
		if end := record.GetRoundClose(); end != nil {
			all = append(all, fmt.Sprintf("%d units %d", record.Round, end.Units))
		}
	}
}

func TestPair(t *testing.T) {
	for _, test := range []struct {
		adjacency, unit string
		copies          int
		with, without   []string
	}{
		{event.AddRemove, event.Document, 1,
			[]string{
				"1 other/ -500 in 1", "1 canary/ 1000 in 1", "1 units 2",
				"2 other/ -500 in 1", "2 canary/ 1000 in 16", "2 units 2",
			},
			[]string{"1 other/ -500 in 1", "1 units 1", "2 other/ -500 in 1", "2 units 1"}},
		{event.ReplaceOne, event.User, 2,
			[]string{
				"1 other/document 0 -500 in 1", "1 canary/document 0 1000 in 1", "1 canary/document 1 1000 in 1", "1 units 2",
				"2 other/document 0 -500 in 1", "2 canary/document 0 1000 in 16", "2 canary/document 1 1000 in 16", "2 units 2",
			},
			[]string{
				"1 other/document 0 -500 in 1", "1 canary/document 0 -1000 in 1", "1 canary/document 1 -1000 in 1", "1 units 2",
				"2 other/document 0 -500 in 1", "2 canary/document 0 -1000 in 16", "2 canary/document 1 -1000 in 16", "2 units 2",
			}},
	} {
		terms := Terms{Mechanism: event.Gaussian, Adjacency: test.adjacency, Unit: test.unit, NoiseMultiplier: 1}
		with, without, err := terms.pair(test.copies)
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
		event.AddRemove:  {"1 canary 0/ 1000 in 1", "1 canary 2/ 1000 in 1", "1 units 2"},
		event.ReplaceOne: {"1 canary 0/ 1000 in 1", "1 canary 1/ -1000 in 1", "1 canary 2/ 1000 in 1", "1 units 3"},
	} {
		terms := Terms{Mechanism: event.Laplace, Adjacency: adjacency, Unit: event.Document, NoiseMultiplier: 1}
		input, err := terms.scattered(included)
		if err != nil {
			t.Fatal(err)
		}
		if got := lines(t, input); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", adjacency, got, want)
		}
	}
}
