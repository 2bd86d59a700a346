package event

import "math/bits"

// ExchangedNorm returns the largest L2 norm, in steps, that a unit can add to a round charged as c. nonNegative says
// that no coordinate of the unit is negative. ExchangedNorm is for charges of Gaussian under ReplaceOne. ok is false if
// c does not determine the norm: then a unit may have a norm of up to the sensitivity. Accountants need the norm if a
// coin hides whether the unit takes part. It is then not enough that sums are near each other (account/internal/pld, "A
// unit exchanged, by a coin").
//
// A charge has the sensitivity, which Grant.Sensitivity makes from the bound 2^b, b ≤ 20. The norm follows from it:
//
//   - If the privatizer clips each unit to the bound, in L2 or in L1, the sensitivity is 2·2^b, or ⌈√2·2^b⌉ without
//     negative coordinates. A vector with an L1 norm of at most 2^b has an L2 norm of at most 2^b, too. The two forms
//     differ except for b = 0: there both are 2, and 2·2^b counts, since opposite units lose no less than orthogonal
//     ones.
//   - For ClipProved, the sensitivity may come from a proof: it is anything in [2^b, 2·2^b]. ⌈√2·2^b⌉ is then no sign
//     that no coordinate is negative, and 2^b may be once or twice a smaller bound. Only the largest, 2·2^20, has one
//     meaning: a norm of 2^20.
//   - For ClipBatch, the bound is for the whole sum, and the unit's presence changes the sum in another way.
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
