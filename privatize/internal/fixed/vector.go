package fixed

import (
	"errors"
	"slices"
)

// A Layout gives each cell of some matrices a number: matrix after matrix, row by row. In a symmetric matrix only the
// upper triangle has cells: row r has cells for the columns r, r+1, ….
type Layout struct {
	matrices []matrix
	cells    int
}

type matrix struct {
	first         int // number of its first cell
	rows, columns int
	symmetric     bool
}

// Append adds a matrix to the layout.
func (l *Layout) Append(rows, columns int) {
	l.append(matrix{l.cells, rows, columns, false}, rows*columns)
}

// AppendSymmetric adds a symmetric matrix.
func (l *Layout) AppendSymmetric(rows int) {
	l.append(matrix{l.cells, rows, rows, true}, rows*(rows+1)/2)
}

func (l *Layout) append(m matrix, cells int) {
	l.matrices = append(l.matrices, m)
	l.cells += cells
}

// Cells returns the number of cells.
func (l *Layout) Cells() int { return l.cells }

// Matrices returns the number of matrices.
func (l *Layout) Matrices() int { return len(l.matrices) }

// Span returns the numbers of a matrix's first cell and of the cell after its last.
func (l *Layout) Span(i int) (from, to int) {
	if i+1 < len(l.matrices) {
		return l.matrices[i].first, l.matrices[i+1].first
	}
	return l.matrices[i].first, l.cells
}

// Twice tells for each cell whether it stands for two cells in its matrix. Cells off the diagonal of symmetric matrices
// do. Twice is nil if no cell does.
func (l *Layout) Twice() []bool {
	var twice []bool
	for _, m := range l.matrices {
		if !m.symmetric {
			continue
		}
		if twice == nil {
			twice = make([]bool, l.cells)
		}
		for row := range m.rows {
			for column := row + 1; column < m.columns; column++ {
				twice[m.cell(row, column)] = true
			}
		}
	}
	return twice
}

// cell returns the number of the cell at row and column, which must exist.
func (m *matrix) cell(row, column int) int {
	if m.symmetric {
		return m.first + row*m.columns - row*(row-1)/2 + column - row
	}
	return m.first + row*m.columns + column
}

// A Vector is one unit's contribution to a round, quantised. It holds cells and their steps, and products: Expand
// computes the products' cells. No cell is there twice, so the norm of Steps, once expanded, is the contribution's
// norm.
type Vector struct {
	Cells    []int
	Steps    []int64
	Products []Product // in their order among the cells

	matrix, next int // the last block's matrix, and the first row after it: later blocks must not begin before it
}

// Reset empties v for another unit.
func (v *Vector) Reset() {
	*v = Vector{Cells: v.Cells[:0], Steps: v.Steps[:0], Products: v.Products[:0]}
}

// ErrOverlap says that two blocks in one contribution could hold the same cell.
var ErrOverlap = errors.New("blocks of a contribution are not in ascending order of matrices and rows")

// Add appends a block: the product of strictly ascending rows and columns in a matrix (empty: all), with a value for
// each cell, row by row. It refuses blocks that overlap, cells outside the matrix, and a wrong number of values. It
// then leaves v as it was. The messages hold no number, because the number of cells that a unit touches is private.
func (v *Vector) Add(l *Layout, g Grid, matrix int, rows, columns []uint32, values []float32) error {
	m, lastRow, err := v.place(l, matrix, rows, columns)
	if err != nil {
		return err
	}
	rowCount, columnCount := extent(rows, m.rows), extent(columns, m.columns)
	if rowCount*columnCount != len(values) {
		return errors.New("block of a contribution has not one value for each of its cells")
	}
	if m.symmetric && at(columns, 0) < lastRow {
		return errors.New("contribution to a symmetric matrix has a cell below the diagonal")
	}
	v.matrix, v.next = matrix, lastRow+1
	from := len(v.Cells)
	v.Cells = slices.Grow(v.Cells, len(values))[:from+len(values)]
	v.Steps = slices.Grow(v.Steps, len(values))[:from+len(values)]
	for r := range rowCount {
		base := m.cell(at(rows, r), at(columns, 0)) - at(columns, 0)
		row := values[r*columnCount:][:columnCount]
		cells, steps := v.Cells[from+r*columnCount:][:len(row)], v.Steps[from+r*columnCount:][:len(row)]
		for c, column := range columns[:min(len(columns), len(row))] {
			cells[c], steps[c] = base+int(column), g.Quantise(float64(row[c]))
		}
		for c := len(columns); c < len(row); c++ { // all columns
			cells[c], steps[c] = base+c, g.Quantise(float64(row[c]))
		}
	}
	return nil
}

// place checks where a block would stand, and returns its matrix and its last row.
func (v *Vector) place(l *Layout, number int, rows, columns []uint32) (m *matrix, lastRow int, err error) {
	if number < 0 || number >= len(l.matrices) {
		return nil, 0, errors.New("contribution to a matrix that the stream does not have")
	}
	m = &l.matrices[number]
	if err := ascending(rows, m.rows); err != nil {
		return nil, 0, err
	}
	if err := ascending(columns, m.columns); err != nil {
		return nil, 0, err
	}
	if number < v.matrix || number == v.matrix && at(rows, 0) < v.next {
		return nil, 0, ErrOverlap
	}
	return m, at(rows, extent(rows, m.rows)-1), nil
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

// AddTo adds v, with the cells of its products, to a sum. No step may exceed most in absolute value. If it returns
// ErrOverflow, s must not be used. While the sum has room, no cell can overflow, and it need not look at each.
func (v *Vector) AddTo(s *Sum, most uint64) error {
	if most >= s.room {
		s.room = 0
		return v.Expand(&s.whole).addChecked(s)
	}
	s.room -= most
	cells, steps := s.Cells, v.Steps[:len(v.Cells)]
	for i, cell := range v.Cells {
		cells[cell] += steps[i]
	}
	for i := range v.Products {
		s.columns = v.Products[i].addTo(cells, s.columns[:0])
	}
	return nil
}
