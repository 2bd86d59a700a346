// Package row reads documents of real numbers as the rows of a regression, and their labels as classes or as counts of binomial trials.
package row

import (
	"encoding/binary"
	"math"

	"privpipe/pipelines/wire"
)

// A Row is the features of a document that are not 0. Its memory is used again by Read.
type Row struct {
	IDs []uint32  // of the features, ascending
	X   []float64 // their values
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
	y := float32(min(max(x, -math.MaxFloat32), math.MaxFloat32))
	if math.Abs(float64(y)) > math.Abs(x) {
		y = math.Nextafter32(y, 0)
	}
	return y
}
