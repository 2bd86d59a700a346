package model

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"

	"privpipe/pipelines/wire"
	"privpipe/pipelines/wire/stream"
)

// AppendParts appends a dense block of cells to parts, cut by rows into pieces with at most MaxPart bytes. rows and
// columns are ascending. values has one value for each cell, row by row. There must be a cell, and len(rows) ×
// len(columns) values; otherwise AppendParts panics. In a symmetric matrix the block must have no cell below the
// diagonal.
func AppendParts(parts []*wire.Part, matrix uint32, rows, columns []uint32, values []float32) []*wire.Part {
	return append(parts, new(Parts).Set(matrix, rows, columns, values)...)
}

// Parts is memory for one block's parts.
type Parts struct {
	parts   []*wire.Part
	numbers []uint32
	values  []byte
}

// Set returns the parts that AppendParts appends. They are valid until the next call, which uses their memory.
func (m *Parts) Set(matrix uint32, rows, columns []uint32, values []float32) []*wire.Part {
	if len(values) == 0 || len(values) != len(rows)*len(columns) {
		panic(fmt.Sprintf("AppendParts: %d values for %d rows and %d columns", len(values), len(rows), len(columns)))
	}
	m.numbers = slices.Grow(m.numbers[:0], len(rows)+len(columns))
	m.values = slices.Grow(m.values[:0], 4*len(values))[:4*len(values)]
	gaps := wire.AppendGaps(m.numbers, columns)
	free := gaps[len(columns):]
	most := max(1, MaxPart/(4*len(columns))) // a row of MaxPart bytes is a matrix row with 131,072 columns, all in use
	n := 0
	for first := 0; first < len(rows); first += most {
		some := rows[first:min(first+most, len(rows))]
		from, to := first*len(columns), (first+len(some))*len(columns)
		b := m.values[4*from : 4*to : 4*to]
		putFloats(b, values[from:to])
		rowGaps := wire.AppendGaps(free, some)
		free = rowGaps[len(some):]
		if n == len(m.parts) {
			m.parts = append(m.parts, new(wire.Part))
		}
		p := m.parts[n]
		p.Matrix, p.RowGaps, p.ColumnGaps, p.Values = matrix, slices.Clip(rowGaps), slices.Clip(gaps), b
		n++
	}
	return m.parts[:n]
}

// putFloats writes values to b as little-endian FLOAT32. b has 4 bytes for each. putFloats takes four at a time,
// written out: that is 1.8 times as fast.
func putFloats(b []byte, values []float32) {
	for ; len(values) >= 4; b, values = b[16:], values[4:] {
		four, to := (*[4]float32)(values), (*[16]byte)(b)
		binary.LittleEndian.PutUint32(to[0:4], math.Float32bits(four[0]))
		binary.LittleEndian.PutUint32(to[4:8], math.Float32bits(four[1]))
		binary.LittleEndian.PutUint32(to[8:12], math.Float32bits(four[2]))
		binary.LittleEndian.PutUint32(to[12:16], math.Float32bits(four[3]))
	}
	for i, v := range values {
		binary.LittleEndian.PutUint32(b[4*i:], math.Float32bits(v))
	}
}

// AppendFactored appends a factored block to parts: a cell is the product of its row's number and its column's number.
// The block covers all columns of the matrix, and is cut by rows into pieces with at most MaxPart bytes. rows are
// ascending. AppendFactored panics without a row, or if a row does not fit a piece.
func AppendFactored(parts []*wire.Part, matrix uint32, rows []uint32, ofRows, ofColumns []float32) []*wire.Part {
	most := MaxPart/4 - len(ofColumns)
	if len(rows) == 0 || len(rows) != len(ofRows) || most < 1 {
		panic(fmt.Sprintf("AppendFactored: %d numbers for %d rows, beside %d columns", len(ofRows), len(rows),
			len(ofColumns)))
	}
	for first := 0; first < len(rows); first += most {
		end := min(first+most, len(rows))
		b := make([]byte, 0, 4*(end-first+len(ofColumns)))
		parts = append(parts, &wire.Part{
			Matrix: matrix, RowGaps: wire.AppendGaps(make([]uint32, 0, end-first), rows[first:end]), Factored: true,
			Values: stream.AppendCells(stream.AppendCells(b, ofRows[first:end]), ofColumns),
		})
	}
	return parts
}
