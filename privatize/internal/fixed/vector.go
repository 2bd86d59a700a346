package fixed

import "errors"

// A Layout gives each cell of some named matrices a number: matrix after matrix, row by row.
type Layout struct {
	first   []int // number of each matrix's first cell
	columns []int
	rows    []int
	cells   int
}

// Append adds a matrix to the layout.
func (l *Layout) Append(rows, columns int) {
	l.first = append(l.first, l.cells)
	l.rows = append(l.rows, rows)
	l.columns = append(l.columns, columns)
	l.cells += rows * columns
}

// Cells returns the number of cells.
func (l *Layout) Cells() int { return l.cells }

// Matrices returns the number of matrices.
func (l *Layout) Matrices() int { return len(l.first) }

// Span returns the numbers of the first cell of a matrix and of the cell behind its last.
func (l *Layout) Span(matrix int) (from, to int) {
	return l.first[matrix], l.first[matrix] + l.rows[matrix]*l.columns[matrix]
}

// A Vector is one unit's contribution to a round, quantised: cells and their steps. No cell stands twice, so the norm
// of Steps is the norm of the contribution.
type Vector struct {
	Cells []int
	Steps []int64

	matrix, next int // the last block's matrix, and the first row behind it: what follows must not lie before
}

// Reset empties v for another unit.
func (v *Vector) Reset() { *v = Vector{Cells: v.Cells[:0], Steps: v.Steps[:0]} }

// ErrOverlap says that two blocks of a contribution could hold one cell.
var ErrOverlap = errors.New("blocks of a contribution are not in ascending order of matrices and rows")

// Add appends a block: the product of strictly ascending rows and columns of a matrix (empty: all), with the value of
// each cell, row by row. It refuses blocks that overlap, cells outside the matrix, and a wrong number of values, and
// leaves v as it was. The messages tell no number: how many cells a unit touches is private.
func (v *Vector) Add(l *Layout, g Grid, matrix int, rows, columns []uint32, values []float32) error {
	if matrix < 0 || matrix >= len(l.first) {
		return errors.New("contribution to a matrix that the stream does not have")
	}
	rowCount, columnCount := extent(rows, l.rows[matrix]), extent(columns, l.columns[matrix])
	if rowCount*columnCount != len(values) {
		return errors.New("block of a contribution has not one value for each of its cells")
	}
	if err := ascending(rows, l.rows[matrix]); err != nil {
		return err
	}
	if err := ascending(columns, l.columns[matrix]); err != nil {
		return err
	}
	firstRow, lastRow := 0, rowCount-1
	if len(rows) > 0 {
		firstRow, lastRow = int(rows[0]), int(rows[len(rows)-1])
	}
	if matrix < v.matrix || matrix == v.matrix && firstRow < v.next {
		return ErrOverlap
	}
	v.matrix, v.next = matrix, lastRow+1
	for r := range rowCount {
		base := l.first[matrix] + at(rows, r)*l.columns[matrix]
		for c := range columnCount {
			v.Cells = append(v.Cells, base+at(columns, c))
			v.Steps = append(v.Steps, g.Quantise(values[r*columnCount+c]))
		}
	}
	return nil
}

func extent(indices []uint32, all int) int {
	if len(indices) == 0 {
		return all
	}
	return len(indices)
}

func at(indices []uint32, i int) int {
	if len(indices) == 0 {
		return i
	}
	return int(indices[i])
}

func ascending(indices []uint32, limit int) error {
	for i, x := range indices {
		if int(x) >= limit || i > 0 && x <= indices[i-1] {
			return errors.New("rows or columns of a contribution are not strictly ascending, or lie outside the matrix")
		}
	}
	return nil
}

// AddTo adds v to a sum.
func (v *Vector) AddTo(s *Sum) error {
	for i, cell := range v.Cells {
		if err := s.Add(cell, v.Steps[i]); err != nil {
			return err
		}
	}
	return nil
}
