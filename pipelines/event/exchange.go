package event

import "math/bits"

// ExchangedNorm returns the largest L2 norm, in steps, of what a unit adds to a round of c, and whether no coordinate of it is
// negative. It is for charges of Gaussian under ReplaceOne. ok is false where c does not say: then a unit may have a norm of up to
// the sensitivity. Accountants need the norm where a coin hides whether the unit takes part: that sums are near each other is not
// enough there (account/internal/pld, "A unit exchanged, by a coin").
//
// A charge has the sensitivity, which Grant.Sensitivity makes of the bound 2^b, b ≤ 20. The norm follows from it:
//
//   - Where the privatizer clips each unit to the bound, in L2 or in L1, the sensitivity is 2·2^b, or ⌈√2·2^b⌉ without negative
//     coordinates. A vector of L1 norm at most 2^b has an L2 norm of at most 2^b, too. The two forms differ except for b = 0, where
//     both are 2, and 2·2^b counts: opposite units lose no less than orthogonal ones.
//   - For ClipProved, the sensitivity may be that of a proof, anything in [2^b, 2·2^b]. ⌈√2·2^b⌉ is then no sign of coordinates
//     without negative ones, and 2^b may be once or twice a smaller bound. Only the largest, 2·2^20, has one meaning: a norm of 2^20.
//   - For ClipBatch, the bound is of the whole sum, which the unit's presence changes in a way of its own.
func (c *Charge) ExchangedNorm() (norm uint64, nonNegative, ok bool) {
	b := bits.Len64(c.Sensitivity) - 1 // the sensitivity is in [2^b, 2^(b+1))
	switch c.Clipping {
	case "", ClipUnit, ClipUnitL1:
	case ClipProved:
		return 1 << maxBits, false, c.Sensitivity == 2<<maxBits
	default:
		return 0, false, false
	}
	switch {
	case b >= 1 && b <= maxBits+1 && c.Sensitivity == 1<<b:
		return 1 << (b - 1), false, true
	case b >= 1 && b <= maxBits && c.Sensitivity == ceilSqrt(2<<(2*b)):
		return 1 << b, true, true
	}
	return 0, false, false
}
