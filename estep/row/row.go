// Package row reads documents of real numbers as the rows of regressions. It reads their labels as classes or as counts
// of binomial trials.
package row

import (
	"encoding/binary"
	"math"

	"privpipe/pipelines/wire"
)

// A Row has the document's features that are not 0. Read and Parts reuse its memory.
type Row struct {
	IDs []uint32  // of the features, ascending
	X   []float64 // their values

	parts []*wire.Part
	cells []byte // of the parts
}

// Read reads a document of real numbers.
func (r *Row) Read(d *wire.Document) {
	r.IDs, r.X = wire.AppendIDs(r.IDs[:0], d.WordGaps), r.X[:0]
	for i := 0; i < len(d.Values); i += 4 {
		r.X = append(r.X, float64(math.Float32frombits(binary.LittleEndian.Uint32(d.Values[i:]))))
	}
}

// Bound divides the row by norm. A row that is longer than norm gets norm 1, except for rounding.
func (r *Row) Bound(norm float64) {
	divisor := max(norm, Norm(r.X))
	for i := range r.X {
		r.X[i] /= divisor
	}
}

// Norm returns the L2 norm of x. Squares of FLOAT32 do not overflow binary64.
func Norm(x []float64) float64 {
	square := 0.0
	for _, v := range x {
		square += v * v
	}
	return math.Sqrt(square)
}

// Dot returns the product of the row with a vector over all features.
func (r *Row) Dot(w []float64) float64 {
	sum := 0.0
	for i, id := range r.IDs {
		sum += r.X[i] * w[id]
	}
	return sum
}

// TowardsZero rounds x to a finite FLOAT32, so that its magnitude does not grow.
func TowardsZero(x float64) float32 {
	// Without the bits that FLOAT32 lacks, x is exact in FLOAT32 if it is in the range of FLOAT32's normal numbers.
	short := math.Float64frombits(math.Float64bits(x) &^ (1<<29 - 1))
	if magnitude := math.Abs(short); magnitude >= 0x1p-126 && magnitude <= math.MaxFloat32 {
		return float32(short)
	}
	y := float32(min(max(x, -math.MaxFloat32), math.MaxFloat32))
	if math.Abs(float64(y)) > math.Abs(x) {
		y = math.Nextafter32(y, 0)
	}
	return y
}

// appendTimes appends the cells factor·x for one part, each rounded towards 0.
func (r *Row) appendTimes(cells []byte, factor float64) []byte {
	for _, x := range r.X {
		cells = binary.LittleEndian.AppendUint32(cells, math.Float32bits(TowardsZero(factor*x)))
	}
	return cells
}

var onlyRow = []uint32{0}

// Parts returns two parts. The part of matrix 0 is linear·x, a row of 1 × V. The part of matrix 1 is the symmetric
// square·x·xᵀ, factored. square is not negative. All numbers are rounded towards 0. gaps has the gaps of the row's
// features; there must be at least one feature. The parts are valid until the next call.
func (r *Row) Parts(gaps []uint32, linear, square float64) []*wire.Part {
	n := 4 * len(r.X)
	r.cells = r.appendTimes(r.cells[:0], linear)
	r.cells = r.appendTimes(r.cells, math.Sqrt(square))
	r.cells = append(r.cells, r.cells[n:]...)
	if r.parts == nil {
		r.parts = []*wire.Part{new(wire.Part), new(wire.Part)}
	}
	one, pairs := r.parts[0], r.parts[1]
	one.RowGaps, one.ColumnGaps, one.Values = onlyRow, gaps, r.cells[:n:n]
	pairs.Matrix, pairs.RowGaps, pairs.ColumnGaps, pairs.Values, pairs.Factored = 1, gaps, gaps, r.cells[n:], true
	return r.parts
}
