package release

import (
	"math"

	"privpipe/privatize/internal/fixed"
)

// pairsOf encodes products so that they can be read back. Each product has one pair for its place and for how many
// numbers follow, and one pair for each number.
func pairsOf(products []fixed.Product) (pairs []markKey) {
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
