package release

import (
	"math"

	"privpipe/pipelines/event"
	"privpipe/privatize/internal/fixed"
)

// keeps reports that unit would change nothing in a vector with products, and accept it: its norm is surely within the
// bound. So its cells need not be worked out before they are added.
func (l *limiter) keeps(v *fixed.Vector) bool {
	switch {
	case len(v.Products) == 0 || l.l1 || l.nonNegative || l.words:
		return false
	case l.clipping != event.ClipUnit && l.clipping != event.ClipProved:
		return false
	}
	square := v.Norm() * v.Norm()
	if l.twice != nil {
		square *= 2 // a cell counts at most twice
	}
	return square <= float64(l.bound)*float64(l.bound)
}

// pairsOf appends an encoding of products to pairs, so that they can be read back. Each product has one pair for its
// place and for how many numbers follow, and one pair for each number.
func pairsOf(pairs []markKey, products []fixed.Product) []markKey {
	for _, p := range products {
		pairs = append(pairs, markKey{notCell | uint64(p.Before)<<8 | uint64(p.Matrix),
			uint64(p.Rows)<<32 | uint64(len(p.Factors)-p.Rows)})
		for _, f := range p.Factors {
			pairs = append(pairs, markKey{notCell | uint64(f.Index), uint64(math.Float32bits(f.Value))})
		}
	}
	return pairs
}

// notCell distinguishes the pairs of products from cells: the number of every cell is below it.
const notCell = 1 << 63
