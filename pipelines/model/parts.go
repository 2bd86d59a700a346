package model

import (
	"encoding/binary"
	"fmt"
	"math"

	"privpipe/pipelines/wire"
	"privpipe/pipelines/wire/stream"
)

// AppendParts appends a dense block of a matrix to parts, cut by rows into pieces of at most MaxPart bytes. rows and columns are
// ascending. values has one value for each cell, row by row. There must be a cell, and len(rows) × len(columns) values; otherwise
// AppendParts panics. A block of a symmetric matrix must have no cell below the diagonal.
func AppendParts(parts []*wire.Part, matrix uint32, rows, columns []uint32, values []float32) []*wire.Part {
	if len(values) == 0 || len(values) != len(rows)*len(columns) {
		panic(fmt.Sprintf("AppendParts: %d values for %d rows and %d columns", len(values), len(rows), len(columns)))
	}
	most := max(1, MaxPart/(4*len(columns))) // a row of MaxPart bytes is a matrix of 131,072 columns, all in use
	gaps := wire.AppendGaps(make([]uint32, 0, len(columns)), columns)
	for first := 0; first < len(rows); first += most {
		some := rows[first:min(first+most, len(rows))]
		cells := values[first*len(columns) : (first+len(some))*len(columns)]
		b := make([]byte, 4*len(cells))
		for i, v := range cells {
			binary.LittleEndian.PutUint32(b[4*i:], math.Float32bits(v))
		}
		parts = append(parts, &wire.Part{
			Matrix: matrix, RowGaps: wire.AppendGaps(make([]uint32, 0, len(some)), some), ColumnGaps: gaps, Values: b,
		})
	}
	return parts
}

// AppendFactored appends a factored block to parts: the cell of a row and a column is the product of their numbers. It covers all columns of
// the matrix, and is cut by rows into pieces of at most MaxPart bytes. rows are ascending. It panics without a row, or if a row does not
// fit a piece.
func AppendFactored(parts []*wire.Part, matrix uint32, rows []uint32, ofRows, ofColumns []float32) []*wire.Part {
	most := MaxPart/4 - len(ofColumns)
	if len(rows) == 0 || len(rows) != len(ofRows) || most < 1 {
		panic(fmt.Sprintf("AppendFactored: %d numbers for %d rows, beside %d columns", len(ofRows), len(rows), len(ofColumns)))
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
