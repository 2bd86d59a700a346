package audit

import (
	"math"

	"privpipe/pipelines/event"
	"privpipe/pipelines/wire"
)

// A matrix is one of the inputs' matrices. A symmetric matrix has only the cells of the upper triangle, row by row.
type matrix struct {
	name          string
	rows, columns int
	symmetric     bool
	bound         float64 // of its statistic
}

// A layout is all matrices of an input. Its cells are numbered matrix after matrix, row by row.
type layout []matrix

// one is the layout of a single matrix of one row.
func one(columns int) layout { return layout{{name: "canaries", rows: 1, columns: columns, bound: 1}} }

// mixed is a layout of three matrices: plain, symmetric, and with its own bound. Its 23 cells are prime, so that no number of
// workers except 1 and 23 divides them.
func mixed() layout {
	return layout{
		{name: "plain", rows: 2, columns: 5, bound: 1},
		{name: "symmetric", rows: 4, columns: 4, symmetric: true, bound: 1},
		{name: "bounded", rows: 1, columns: 3, bound: 0.25},
	}
}

// width is the number of cells of a row.
func (m matrix) width(row int) int {
	if m.symmetric {
		return m.columns - row
	}
	return m.columns
}

// A cell is the position of a cell of a layout.
type cell struct {
	matrix, row, column int
	bound               float64
	offDiagonal         bool // of a symmetric matrix: the cell stands for two
}

// cells returns all cells in their order.
func (l layout) cells() []cell {
	var all []cell
	for i, m := range l {
		for row := range m.rows {
			first := m.columns - m.width(row)
			for column := first; column < m.columns; column++ {
				all = append(all, cell{i, row, column, m.bound, m.symmetric && column > row})
			}
		}
	}
	return all
}

// where returns the numbers of the cells with a property.
func (l layout) where(holds func(cell) bool) []int {
	var found []int
	for i, c := range l.cells() {
		if holds(c) {
			found = append(found, i)
		}
	}
	return found
}

func (l layout) all() []int         { return l.where(func(cell) bool { return true }) }
func (l layout) offDiagonal() []int { return l.where(func(c cell) bool { return c.offDiagonal }) }

// in returns the cells of the matrix with a name, except cells off the diagonal of a symmetric matrix.
func (l layout) in(name string) []int {
	return l.where(func(c cell) bool { return l[c.matrix].name == name && !c.offDiagonal })
}

// header returns the matrices as a stream's header has them.
func (l layout) header(element wire.Element) []*wire.Matrix {
	all := make([]*wire.Matrix, len(l))
	for i, m := range l {
		all[i] = &wire.Matrix{
			Name: m.name, Rows: uint32(m.rows), Columns: uint32(m.columns), Symmetric: m.symmetric, Element: element,
		}
	}
	return all
}

// subject returns the subject of a grant for inputs with these matrices.
func (l layout) subject() event.Subject {
	s := event.Subject{Model: modelName}
	for _, m := range l {
		s.Matrices = append(s.Matrices, event.Matrix{Name: m.name, Rows: m.rows, Columns: m.columns, Symmetric: m.symmetric})
	}
	return s
}

// norm returns the norm of a vector over all cells: L1, or L2, in which cells off a diagonal count twice if twice is set.
func (l layout) norm(v []float64, l1, twice bool) float64 {
	sum := 0.0
	for i, c := range l.cells() {
		size := math.Abs(v[i])
		if !l1 {
			size *= size
		}
		if twice && c.offDiagonal {
			size *= 2
		}
		sum += size
	}
	if l1 {
		return sum
	}
	return math.Sqrt(sum)
}
