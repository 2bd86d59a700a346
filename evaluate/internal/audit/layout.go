package audit

import (
	"math"

	"privpipe/pipelines/event"
	"privpipe/pipelines/wire"
)

// A matrix is one matrix in the inputs. A symmetric matrix has only the cells of the upper triangle, row by row.
type matrix struct {
	name          string
	rows, columns int
	symmetric     bool
	bound         float64 // the bound of its statistic
}

// A layout is all matrices of an input. Its cells are numbered matrix after matrix, row by row.
type layout []matrix

// one returns a layout with a single matrix, which has one row.
func one(columns int) layout { return layout{{name: "canaries", rows: 1, columns: columns, bound: 1}} }

// mixed returns a layout with three matrices: plain, symmetric, and with its own bound. Its number of cells, 23, is
// prime. So no number of workers except 1 and 23 divides it.
func mixed() layout {
	return layout{
		{name: "plain", rows: 2, columns: 5, bound: 1},
		{name: "symmetric", rows: 4, columns: 4, symmetric: true, bound: 1},
		{name: "bounded", rows: 1, columns: 3, bound: 0.25},
	}
}

// width returns the number of cells in a row.
func (m matrix) width(row int) int {
	if m.symmetric {
		return m.columns - row
	}
	return m.columns
}

// A cell is the position of one cell in a layout.
type cell struct {
	matrix, row, column int
	bound               float64
	offDiagonal         bool // in a symmetric matrix: the cell stands for two
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

// where returns the numbers of the cells that have a property.
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

// in returns the cells of the named matrix. If it is symmetric, cells off the diagonal are left out.
func (l layout) in(name string) []int {
	return l.where(func(c cell) bool { return l[c.matrix].name == name && !c.offDiagonal })
}

// header returns the matrices as a stream's header lists them.
func (l layout) header(element wire.Element) []*wire.Matrix {
	all := make([]*wire.Matrix, len(l))
	for i, m := range l {
		all[i] = &wire.Matrix{
			Name: m.name, Rows: uint32(m.rows), Columns: uint32(m.columns), Symmetric: m.symmetric, Element: element,
		}
	}
	return all
}

// subject returns the subject for a grant on inputs with these matrices.
func (l layout) subject() event.Subject {
	s := event.Subject{Model: modelName}
	for _, m := range l {
		s.Matrices = append(s.Matrices,
			event.Matrix{Name: m.name, Rows: m.rows, Columns: m.columns, Symmetric: m.symmetric})
	}
	return s
}

// norm returns a vector's L1 or L2 norm over all cells. If twice is set, cells off a diagonal count twice.
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
