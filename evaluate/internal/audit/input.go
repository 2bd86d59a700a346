package audit

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"

	"privpipe/pipelines/event"
	"privpipe/pipelines/wire"
)

// The values of a canary and of the other unit, in clips. The canary is far above the clip. It has twice the other
// unit's size and the opposite sign. So it flips the sign of the sum if a privatizer clips after summing.
const (
	loud   = 1000
	beside = -loud / 2
)

// without is the canary's value in a run without it: nothing, or the opposite value under replace-one.
func (t Terms) without() float64 {
	if t.Adjacency == event.ReplaceOne {
		return -loud
	}
	return 0
}

// pair returns the neighbouring inputs, two rounds each. The canary stands in a single cell in the first round, and is
// spread over many cells in the second.
func (t Terms) pair() (with, without []byte, err error) {
	across := make([]int, spread)
	for i := range across {
		across[i] = i + 1
	}
	input := func(value float64) ([]byte, error) {
		rounds := make([][]contribution, 2)
		for r, where := range [][]int{{0}, across} {
			rounds[r] = []contribution{constant("other", 0, []int{0}, beside)}
			if value != 0 {
				rounds[r] = append(rounds[r], constant("canary", 0, where, value))
			}
		}
		return t.encode(rounds, len(rounds))
	}
	if with, err = input(loud); err != nil {
		return nil, nil, err
	}
	without, err = input(t.without())
	return with, without, err
}

// scattered returns an input with one round. Each canary has its own cell there. included lists the canaries in the
// input.
func (t Terms) scattered(included []bool) ([]byte, error) {
	var round []contribution
	for i, in := range included {
		value := float64(loud)
		if !in {
			value = t.without()
		}
		if value != 0 {
			round = append(round, constant(fmt.Sprintf("canary %d", i), 0, []int{i}, value))
		}
	}
	return t.encode([][]contribution{round}, 1)
}

// header returns the header of the inputs.
func (t Terms) header() *wire.Header {
	unit := wire.Unit_DOCUMENT
	if t.Unit == event.User {
		unit = wire.Unit_USER
	}
	return &wire.Header{
		Version: wire.Version, Kind: wire.Kind_CONTRIBUTIONS, Side: wire.Side_PRIVATE, Run: runName, Model: modelName,
		Unit:     unit,
		Matrices: t.layout.header(wire.Element_FLOAT32),
	}
}

// encode returns a stream with the given rounds, the first of the planned ones. A round announces each unit once, with
// any number of records.
func (t Terms) encode(rounds [][]contribution, planned int) ([]byte, error) {
	scheme, err := wire.SchemeOf(t.grant(planned).Scheme)
	if err != nil {
		return nil, err
	}
	all := t.layout.cells()
	var records []*wire.Record
	for i, round := range rounds {
		number := uint32(i + 1)
		records = append(records, &wire.Record{Round: number,
			Body: &wire.Record_RoundOpen{RoundOpen: &wire.RoundOpen{Scheme: scheme, Draws: t.draws}}})
		end := &wire.RoundClose{Records: uint64(len(round))}
		seen := make(map[string]bool)
		for _, c := range round {
			if !seen[c.unit] {
				seen[c.unit] = true
				end.Units++
				end.UnitDigest += wire.UnitDigest(c.unit)
			}
			records = append(records,
				&wire.Record{Round: number, Body: &wire.Record_Contribution{Contribution: t.record(all, c)}})
		}
		records = append(records, &wire.Record{Round: number, Body: &wire.Record_RoundClose{RoundClose: end}})
	}
	return encodeStream(t.header(), records)
}

// record encodes a contribution as a record.
func (t Terms) record(all []cell, c contribution) *wire.Contribution {
	r := &wire.Contribution{Unit: c.unit}
	if t.Unit == event.User {
		r.Record = fmt.Sprintf("document %d", c.record)
	}
	if t.factored {
		r.Parts = t.factors(all, c)
	} else {
		r.Parts = t.rows(all, c)
	}
	return r
}

// rows encodes a contribution as one part for each row.
func (t Terms) rows(all []cell, c contribution) (parts []*wire.Part) {
	var part *wire.Part
	var last cell
	for i, number := range c.cells {
		at := all[number]
		if part == nil || at.matrix != last.matrix || at.row != last.row {
			part = &wire.Part{Matrix: uint32(at.matrix), RowGaps: []uint32{uint32(at.row)}}
			parts = append(parts, part)
			last = cell{}
		}
		part.ColumnGaps = append(part.ColumnGaps, uint32(at.column-last.column))
		part.Values = appendFloat(part.Values, c.values[i]*t.clip*at.bound)
		last = at
	}
	return parts
}

// factors encodes a contribution as one factored part for each matrix. The contribution must have one value within a
// matrix. Its cells there must be all cells of some rows and columns. In a symmetric matrix these are the cells on and
// above the diagonal.
func (t Terms) factors(all []cell, c contribution) (parts []*wire.Part) {
	for m := range t.layout {
		var rows, columns []int
		value := 0.0
		for i, number := range c.cells {
			if at := all[number]; at.matrix == m {
				rows, columns = append(rows, at.row), append(columns, at.column)
				value = c.values[i] * t.clip * at.bound
			}
		}
		if rows == nil {
			continue
		}
		part := &wire.Part{Matrix: uint32(m), Factored: true}
		part.RowGaps, part.Values = side(rows, value)
		gaps, ones := side(columns, 1)
		part.ColumnGaps, part.Values = gaps, append(part.Values, ones...)
		parts = append(parts, part)
	}
	return parts
}

// side returns one side of a factored part: the gaps of its rows or columns, and their numbers, which are all equal.
func side(ids []int, value float64) (gaps []uint32, values []byte) {
	slices.Sort(ids)
	last := 0
	for _, id := range slices.Compact(ids) {
		gaps, values = append(gaps, uint32(id-last)), appendFloat(values, value)
		last = id
	}
	return gaps, values
}

// appendFloat appends value as a little-endian float32.
func appendFloat(b []byte, value float64) []byte {
	return binary.LittleEndian.AppendUint32(b, math.Float32bits(float32(value)))
}
