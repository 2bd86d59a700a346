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
	rows, above, unit := p.Factors[:p.Rows], p.Factors[p.Rows:], p.grid.PerUnit
	for _, column := range above {
		columns = append(columns, float64(column.Value))
	}
	// Nothing saturates, and all columns stand side by side. A NaN is not below Limit.
	plain := largest(rows)*largest(above)*unit < Limit && above[len(above)-1].Index-above[0].Index == len(above)-1
	for ; plain && !p.shape.symmetric && len(rows) >= 4; rows = rows[4:] {
		p.addFour(cells, [4]Factor(rows), columns)
	}
	for i, row := range rows {
		rest, first := columns, above[0].Index
		if p.shape.symmetric {
			rest, first = columns[i:], above[i].Index
		}
		line, value := cells[p.shape.cell(row.Index, first):], float64(row.Value)
		if plain {
			line = line[:len(rest)]
			for j, column := range rest {
				line[j] += int64(value * column * unit)
			}
			continue
		}
		for j, column := range above[len(above)-len(rest):] {
			line[column.Index-first] += p.grid.Quantise(value * rest[j])
		}
	}
	return columns
}

// addFour adds four rows of a plain product: in half of the time, since each column is read once.
func (p *Product) addFour(cells []int64, rows [4]Factor, columns []float64) {
	line := func(i int) ([]int64, float64) {
		return cells[p.shape.cell(rows[i].Index, p.Factors[p.Rows].Index):][:len(columns)], float64(rows[i].Value)
	}
	a, valueA := line(0)
	b, valueB := line(1)
	c, valueC := line(2)
	d, valueD := line(3)
	unit := p.grid.PerUnit
	for j, column := range columns {
		a[j] += int64(valueA * column * unit)
		b[j] += int64(valueB * column * unit)
		c[j] += int64(valueC * column * unit)
		d[j] += int64(valueD * column * unit)
	}
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

// largest returns the largest absolute value of some factors, or NaN if there is one.
func largest(factors []Factor) (most float64) {
	for _, f := range factors {
		most = max(most, math.Abs(float64(f.Value)))
	}
	return most
}
