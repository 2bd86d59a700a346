package fixed

import (
	"errors"
	"math"
	"slices"
)

// A Product is a factored block in a contribution. Each row and each column has a number, and each cell is its row's
// number times its column's number. A Product stays factored until Expand, since it may have many more cells than
// numbers.
type Product struct {
	Before  int      // number of the vector's cells that stand before its own
	Matrix  int      // its matrix's number
	Rows    int      // the number of rows: the first Factors are rows, the others columns
	Factors []Factor // rows in ascending order, then columns

	shape *matrix
	grid  Grid
}

// A Factor is the number that one row or one column has.
type Factor struct {
	Index int
	Value float32
}

// AddFactored appends a factored block: strictly ascending rows and columns in a matrix (empty: all), with one number
// for each row and then one for each column. In a symmetric matrix the rows and the columns must be the same, and the
// block's cells are those on and above the diagonal. AddFactored refuses what Add refuses, and then leaves v as it was.
func (v *Vector) AddFactored(l *Layout, g Grid, matrix int, rows, columns []uint32, values []float32) error {
	m, lastRow, err := v.place(l, matrix, rows, columns)
	if err != nil {
		return err
	}
	rowCount, columnCount := extent(rows, m.rows), extent(columns, m.columns)
	if rowCount+columnCount != len(values) {
		return errors.New("factored block of a contribution has not one value for each of its rows and columns")
	}
	if m.symmetric && !slices.Equal(rows, columns) {
		return errors.New("factored contribution to a symmetric matrix has other rows than columns")
	}
	v.matrix, v.next = matrix, lastRow+1
	p := Product{Before: len(v.Cells), Matrix: matrix, Rows: rowCount, Factors: make([]Factor, len(values)), shape: m,
		grid: g}
	for i, value := range values {
		if i < rowCount {
			p.Factors[i] = Factor{at(rows, i), value}
		} else {
			p.Factors[i] = Factor{at(columns, i-rowCount), value}
		}
	}
	v.Products = append(v.Products, p)
	return nil
}

// Expand returns v with the cells of its products in their places. A v without products is returned itself. Otherwise
// Expand returns into, and overwrites it.
func (v *Vector) Expand(into *Vector) *Vector {
	if len(v.Products) == 0 {
		return v
	}
	into.Reset()
	from := 0
	for i := range v.Products {
		p := &v.Products[i]
		into.Cells = append(into.Cells, v.Cells[from:p.Before]...)
		into.Steps = append(into.Steps, v.Steps[from:p.Before]...)
		p.expand(into)
		from = p.Before
	}
	into.Cells = append(into.Cells, v.Cells[from:]...)
	into.Steps = append(into.Steps, v.Steps[from:]...)
	return into
}

// expand appends the cells of p, row by row. The product of two float32 is exact as a float64: it has at most 48 binary
// digits and an exponent from −298 to 255.
func (p *Product) expand(into *Vector) {
	columns := p.Factors[p.Rows:]
	cells := p.Rows * len(columns)
	if p.shape.symmetric {
		cells = p.Rows * (p.Rows + 1) / 2
	}
	into.Cells, into.Steps = slices.Grow(into.Cells, cells), slices.Grow(into.Steps, cells)
	for i, row := range p.Factors[:p.Rows] {
		above := columns
		if p.shape.symmetric {
			above = columns[i:]
		}
		base := p.shape.cell(row.Index, above[0].Index) - above[0].Index
		for _, column := range above {
			into.Cells = append(into.Cells, base+column.Index)
			into.Steps = append(into.Steps, p.grid.Quantise(float64(row.Value)*float64(column.Value)))
		}
	}
}

// addTo adds to cells the cells that expand appends, without memory for them. It uses the memory of columns, and
// returns it.
func (p *Product) addTo(cells []int64, columns []float64) []float64 {
	largest := 0.0
	for _, column := range p.Factors[p.Rows:] {
		columns = append(columns, float64(column.Value))
		largest = max(largest, math.Abs(float64(column.Value)))
	}
	first, last := p.Factors[p.Rows].Index, p.Factors[len(p.Factors)-1].Index
	dense, unit := last-first == len(columns)-1, p.grid.PerUnit
	for i, row := range p.Factors[:p.Rows] {
		skip := 0
		if p.shape.symmetric {
			skip = i
		}
		above, value := p.Factors[p.Rows+skip:], float64(row.Value)
		from := p.shape.cell(row.Index, above[0].Index)
		if dense && math.Abs(value)*largest*unit < Limit {
			line := cells[from:][:len(columns)-skip]
			for j, column := range columns[skip:][:len(line)] {
				line[j] += int64(value * column * unit) // Quantise, where nothing saturates
			}
			continue
		}
		for _, column := range above {
			cells[from+column.Index-above[0].Index] += p.grid.Quantise(value * float64(column.Value))
		}
	}
	return columns
}

// Norm returns an upper bound for the L2 norm of v's steps with the cells of its products. It costs a few operations a
// number, where a product may have thousands of cells a number. The bound may be infinite.
func (v *Vector) Norm() float64 {
	high, low := Squares(v.Steps)
	square := float64(high)*0x1p64 + float64(low)
	for i := range v.Products {
		p := &v.Products[i]
		// Truncated toward zero, a product's steps have at most the norm |rows|·|columns|·PerUnit.
		norm := p.grid.PerUnit * math.Sqrt(squares(p.Factors[:p.Rows])*squares(p.Factors[p.Rows:]))
		square += norm * norm
	}
	// Each sum has less than 2^32 terms of one sign, and each rounding adds at most 2^-53 relative (Higham, Accuracy
	// and Stability of Numerical Algorithms, 2nd edition 2002, section 4.2).
	return math.Sqrt(square) * (1 + 0x1p-19)
}

// squares returns the sum of squares of some factors. Each square is exact: it has 48 binary digits.
func squares(factors []Factor) (sum float64) {
	for _, f := range factors {
		sum += float64(f.Value) * float64(f.Value)
	}
	return sum
}

// Clone returns a copy of v that shares no memory that Reset reuses.
func (v *Vector) Clone() *Vector {
	return &Vector{Cells: slices.Clone(v.Cells), Steps: slices.Clone(v.Steps), Products: slices.Clone(v.Products)}
}
