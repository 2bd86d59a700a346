// Package clip brings the L2 norm of an integer vector under an integer bound, exactly. See claim.md.
package clip

import (
	"math"
	"math/bits"

	"privpipe/privatize/internal/fixed"
)

// L2 scales z in place so that Σ z_i² ≤ bound², if it is not so already; every coordinate keeps its sign or becomes 0.
// The coordinates must be within ±fixed.Limit, at most 2^45 of them, and bound at least 1.
func L2(z []int64, bound uint64) {
	high, low := fixed.Squares(z)
	boundHigh, boundLow := bits.Mul64(bound, bound)
	if !less(boundHigh, boundLow, high, low) {
		return
	}
	norm := ceilSqrt(high, low)
	for i, v := range z {
		// ⌊|v|·bound/norm⌋: the quotient is at most bound, because |v| ≤ norm, so Div64 cannot overflow.
		h, l := bits.Mul64(fixed.Magnitude(v), bound)
		quotient, _ := bits.Div64(h, l, norm)
		scaled := int64(quotient)
		if v < 0 {
			scaled = -scaled
		}
		z[i] = scaled
	}
}

func less(aHigh, aLow, bHigh, bLow uint64) bool {
	return aHigh < bHigh || aHigh == bHigh && aLow < bLow
}

// ceilSqrt returns the least r with r² ≥ high·2^64 + low, which must be below 2^126.
func ceilSqrt(high, low uint64) uint64 {
	// A float64 is within a few parts in 2^53 of the root; integers settle the rest.
	r := uint64(math.Sqrt(math.Ldexp(float64(high), 64) + float64(low)))
	atLeast := func(r uint64) bool {
		h, l := bits.Mul64(r, r)
		return !less(h, l, high, low)
	}
	for !atLeast(r) {
		r++
	}
	for r > 0 && atLeast(r-1) {
		r--
	}
	return r
}
