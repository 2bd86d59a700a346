package informed

import (
	"fmt"

	"gonum.org/v1/gonum/blas/blas32"

	"privpipe/pipelines/parallel"
)

// The kernel computes one tile of the result, height × width, from a panel of each factor. A panel has the numbers in
// the kernel's reading order. The left factor has height numbers for each column, and the right factor has width
// numbers for each row. A panel with depth columns or rows stays in the first cache, where the tiles in one stripe of
// the result find it again (Goto and van de Geijn, Anatomy of High-Performance Matrix Multiplication, ACM TOMS 2008).
const (
	height = 4
	width  = 16
	depth  = 256
)

// A factor is the right factor of many products of float32 matrices, packed into panels.
type factor struct {
	Rows, Columns int
	// Stripes of width columns, one after the other, each with all rows. Numbers beyond the last column are 0.
	panels []float32
}

// newFactor packs a matrix.
func newFactor(m blas32.General) *factor {
	f := &factor{m.Rows, m.Cols, make([]float32, padded(m.Cols, width)*m.Rows)}
	for k := range m.Rows {
		row := m.Data[k*m.Stride:][:m.Cols]
		for at := 0; at < len(row); at += width {
			copy(f.panels[at*m.Rows+k*width:][:width], row[at:])
		}
	}
	return f
}

// transposedFactor packs a matrix's transpose.
func transposedFactor(m blas32.General) *factor {
	return &factor{m.Cols, m.Rows, interleaved(m, width)}
}

// A pair is a matrix and its transpose as right factors.
type pair struct{ Matrix, Transpose *factor }

// newPair packs a matrix and its transpose.
func newPair(m blas32.General) pair { return pair{newFactor(m), transposedFactor(m)} }

// zeros returns a matrix of zeros.
func zeros(rows, columns int) blas32.General {
	return blas32.General{Rows: rows, Cols: columns, Stride: columns, Data: make([]float32, rows*columns)}
}

// interleaved returns stripes with the given number of rows, column by column. Rows beyond the last are 0.
func interleaved(m blas32.General, rows int) []float32 {
	out := make([]float32, padded(m.Rows, rows)*m.Cols)
	for i := range m.Rows {
		stripe := out[i/rows*rows*m.Cols:]
		for k, x := range m.Data[i*m.Stride:][:m.Cols] {
			stripe[k*rows+i%rows] = x
		}
	}
	return out
}

func padded(n, unit int) int { return (n + unit - 1) / unit * unit }

// product returns left · right. It panics unless the left factor has as many columns as the right factor has rows.
// Numbers are summed in float32. The result is the same in each run on one machine, on any number of its cores, but its
// last digits may differ between machines.
func product(left blas32.General, right *factor) blas32.General {
	if left.Cols != right.Rows {
		panic(fmt.Sprintf("product: left factor of %d columns, right factor of %d rows", left.Cols, right.Rows))
	}
	inner := left.Cols
	out := zeros(left.Rows, right.Columns)
	rows := interleaved(left, height)
	parallel.Split(padded(right.Columns, width)/width, func(_, from, to int) {
		var t tile
		for begin := 0; begin < inner; begin += depth {
			n := min(depth, inner-begin)
			for stripe := from; stripe < to; stripe++ {
				b := right.panels[(stripe*inner+begin)*width:][:n*width]
				for i := 0; i < left.Rows; i += height {
					multiplyTile(&t, rows[i*inner+begin*height:][:n*height], b)
					t.addTo(out, i, stripe*width)
				}
			}
		}
	})
	return out
}

// A tile is part of the result, row by row.
type tile [height * width]float32

// addTo adds to the result the part of the tile that lies in it.
func (t *tile) addTo(out blas32.General, row, column int) {
	for i := range min(height, out.Rows-row) {
		cells := out.Data[(row+i)*out.Stride+column:][:min(width, out.Cols-column)]
		for j, x := range t[i*width:][:len(cells)] {
			cells[j] += x
		}
	}
}
