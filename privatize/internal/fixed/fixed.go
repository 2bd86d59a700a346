// Package fixed turns contributions into integers on a public grid and sums them exactly. See claim.md.
package fixed

import (
	"errors"
	"math"
	"math/bits"
)

// Limit bounds the absolute value of each quantised coordinate: 2^40 steps. Larger values saturate. Limit is far above
// any clip bound (2^20 steps, event.Grant.Steps), so a coordinate that saturates is about to be clipped anyway. It is
// low enough that the squares of 2^45 coordinates add up to 2^125 at most. (64 matrices of 2^31 cells have 2^37.)
const Limit = 1 << 40

// A Grid is a public scale: a coordinate v counts ⌊|v|·PerUnit⌋ steps, with the sign of v. The product is a float64, so
// that v within 2^-53 of the next step may count as that step. No guarantee rests on it: the bound is kept in steps.
type Grid struct{ PerUnit float64 }

// ClipGrid returns the grid on which clip, in the unit of the contributions, is bound steps.
func ClipGrid(clip float64, bound uint64) Grid { return Grid{float64(bound) / clip} }

// Step returns the value of one step, in the unit of the contributions.
func (g Grid) Step() float64 { return 1 / g.PerUnit }

// Quantise returns the steps of v, truncated toward zero and saturated at ±Limit, including infinities. NaN gives 0.
// Quantise cannot fail, so that no value in a contribution can stop a round and thereby reveal itself.
func (g Grid) Quantise(v float64) int64 {
	steps := v * g.PerUnit
	switch {
	case -Limit < steps && steps < Limit:
		return int64(steps) // Go truncates toward zero
	case steps >= Limit:
		return Limit
	case steps <= -Limit:
		return -Limit
	}
	return 0 // NaN
}

// ErrOverflow says that a sum left the range of int64. Under a clip bound of 2^20 steps this needs 2^43 units.
var ErrOverflow = errors.New("sum overflows 64 bits")

// A Sum is a vector of exact sums. Integer addition is associative and commutative, so the cells do not depend on the
// order, the batching or the number of the contributions' senders.
type Sum struct {
	Cells []int64
	room  uint64 // every |cell| is at most 2^63 − 1 − room, if room is not 0

	columns []float64 // memory for Product.addTo
	whole   Vector    // memory for a vector with products, expanded
}

// NewSum returns a sum of n cells, all zero.
func NewSum(n int) *Sum { return &Sum{Cells: make([]int64, n), room: math.MaxInt64} }

// Add adds v to a cell, or reports ErrOverflow and leaves it.
func (s *Sum) Add(cell int, v int64) error {
	s.room = 0
	sum, err := add(s.Cells[cell], v)
	if err == nil {
		s.Cells[cell] = sum
	}
	return err
}

func add(a, b int64) (int64, error) {
	sum := a + b
	if wrapped(a, b, sum) < 0 {
		return 0, ErrOverflow
	}
	return sum, nil
}

// wrapped is negative if sum, which is a + b modulo 2^64, is not a + b: then its sign differs from the signs of both a
// and b.
func wrapped(a, b, sum int64) int64 { return (sum ^ a) & (sum ^ b) }

// Squares returns Σ z_i² as high·2^64 + low. It is exact for at most 2^45 coordinates within ±Limit.
func Squares(z []int64) (high, low uint64) {
	ones := uint64(0) // the ones of all |z_i|, except that a negative z_i counts as −z_i − 1
	for _, v := range z {
		low += uint64(v * v)
		ones |= uint64(v ^ v>>63)
	}
	// With n < 2^a coordinates within ±2^b and a + 2b ≤ 64, all squares are exact and their sum is below 2^64.
	if ones>>((64-bits.Len(uint(len(z))))/2) == 0 {
		return 0, low
	}
	return bigSquares(z)
}

// bigSquares is Squares for any size.
func bigSquares(z []int64) (high, low uint64) {
	for _, v := range z {
		magnitude := Magnitude(v)
		h, l := bits.Mul64(magnitude, magnitude)
		var carry uint64
		low, carry = bits.Add64(low, l, 0)
		high, _ = bits.Add64(high, h, carry)
	}
	return high, low
}

// Magnitude returns |v|.
func Magnitude(v int64) uint64 {
	if v < 0 {
		return -uint64(v)
	}
	return uint64(v)
}
