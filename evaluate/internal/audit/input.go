package audit

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"time"

	"privpipe/pipelines/event"
	"privpipe/pipelines/wire"
	"privpipe/pipelines/wire/stream"
)

// Terms are what the binary is asked to protect.
type Terms struct {
	Mechanism       string // event.Gaussian or event.Laplace
	Adjacency       string
	Unit            string
	NoiseMultiplier float64
}

// The clip bound of all inputs, and what a canary and the unit beside it send, in the input's own unit. The canary is far
// above the clip and has twice the weight of the other, in the other direction: together they would turn over the sum of
// a privatizer that clips too late.
const (
	clip   = 1
	loud   = 1000 * clip
	beside = -loud / 2
)

// runName is the name of the run in inputs and ledgers.
const runName = "audit"

// grant returns leave for rounds of all units.
func (t Terms) grant(rounds int) *event.Grant {
	return &event.Grant{
		Version: event.GrantVersion, ID: "audit", Created: time.Unix(0, 0).UTC(), Mechanism: t.Mechanism,
		Adjacency: t.Adjacency, Unit: t.Unit, Clip: clip, NoiseMultiplier: t.NoiseMultiplier,
		Scheme: event.Scheme{Method: event.All, Rate: 1, Rounds: rounds}, Releases: rounds,
	}
}

// encodeGrant returns the grant's file.
func encodeGrant(g *event.Grant) ([]byte, error) {
	if err := g.Check(); err != nil {
		return nil, err
	}
	return json.Marshal(g)
}

// without is what a canary sends in a run that is to be without it: nothing, or the opposite.
func (t Terms) without() float32 {
	if t.Adjacency == event.ReplaceOne {
		return -loud
	}
	return 0
}

// pair returns the neighbouring inputs, two rounds each, in which a canary of the first round lies in a cell of its own,
// and of the second round across cells; copies says how often its record comes.
func (t Terms) pair(copies int) (with, without []byte, err error) {
	across := make([]uint32, spread)
	for i := range across {
		across[i] = uint32(i + 1)
	}
	input := func(value float32) ([]byte, error) {
		rounds := make([][]contribution, 2)
		for r, where := range [][]uint32{{0}, across} {
			rounds[r] = []contribution{{unit: "other", record: 0, cells: []uint32{0}, value: beside}}
			for c := range copies {
				if value != 0 {
					rounds[r] = append(rounds[r], contribution{unit: "canary", record: c, cells: where, value: value})
				}
			}
		}
		return t.encode(cells, rounds)
	}
	if with, err = input(loud); err != nil {
		return nil, nil, err
	}
	without, err = input(t.without())
	return with, without, err
}

// scattered returns an input of one round in which each canary has a cell of its own; included says which are in it.
func (t Terms) scattered(included []bool) ([]byte, error) {
	var round []contribution
	for i, in := range included {
		value := float32(loud)
		if !in {
			value = t.without()
		}
		if value != 0 {
			round = append(round, contribution{unit: fmt.Sprintf("canary %d", i), cells: []uint32{uint32(i)}, value: value})
		}
	}
	return t.encode(len(included), [][]contribution{round})
}

// A contribution has one value in all of its cells.
type contribution struct {
	unit   string
	record int
	cells  []uint32
	value  float32
}

// header is that of the inputs: one matrix of one row.
func (t Terms) header(columns int) *wire.Header {
	unit := wire.Unit_DOCUMENT
	if t.Unit == event.User {
		unit = wire.Unit_USER
	}
	return &wire.Header{
		Version: wire.Version, Kind: wire.Kind_CONTRIBUTIONS, Side: wire.Side_PRIVATE, Run: runName, Model: "audit", Unit: unit,
		Matrices: []*wire.Matrix{{Name: "canaries", Rows: 1, Columns: uint32(columns), Element: wire.Element_FLOAT32}},
	}
}

// encode returns the stream of rounds over a matrix of so many columns. A round announces each unit once, however many
// records it has.
func (t Terms) encode(columns int, rounds [][]contribution) ([]byte, error) {
	compressor, err := stream.NewCompressor(stream.Fast)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	w, err := stream.NewWriter(&b, t.header(columns), compressor)
	if err != nil {
		return nil, err
	}
	scheme, err := wire.SchemeOf(t.grant(len(rounds)).Scheme)
	if err != nil {
		return nil, err
	}
	for i, round := range rounds {
		number := uint32(i + 1)
		records := []*wire.Record{{Round: number, Body: &wire.Record_RoundOpen{RoundOpen: &wire.RoundOpen{Scheme: scheme}}}}
		end := &wire.RoundClose{Records: uint64(len(round))}
		seen := make(map[string]bool)
		for _, c := range round {
			if !seen[c.unit] {
				seen[c.unit] = true
				end.Units++
				end.UnitDigest += wire.UnitDigest(c.unit)
			}
			records = append(records, &wire.Record{Round: number, Body: &wire.Record_Contribution{Contribution: t.record(c)}})
		}
		records = append(records, &wire.Record{Round: number, Body: &wire.Record_RoundClose{RoundClose: end}})
		for _, r := range records {
			if err := w.Write(r); err != nil {
				return nil, err
			}
		}
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

func (t Terms) record(c contribution) *wire.Contribution {
	var values []byte
	for range c.cells {
		values = binary.LittleEndian.AppendUint32(values, math.Float32bits(c.value))
	}
	r := &wire.Contribution{Unit: c.unit, Parts: []*wire.Part{
		{RowGaps: []uint32{0}, ColumnGaps: wire.AppendGaps(nil, c.cells), Values: values},
	}}
	if t.Unit == event.User {
		r.Record = fmt.Sprintf("document %d", c.record)
	}
	return r
}
