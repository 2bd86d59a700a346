// Package clip brings the norm of an integer vector under an integer bound, exactly. See claim.md.
package clip

import (
	"math"
	"math/bits"

	"privpipe/privatize/internal/fixed"
)

// L2 scales z in place so that Σ z_i² ≤ bound², if it is not so already; every coordinate keeps its sign or becomes 0.
// Coordinates that twice marks stand for two each and count twice; nil marks none. The coordinates must be within
// ±fixed.Limit, at most 2^44 of them, and bound at least 1.
func L2(z []int64, twice []bool, bound uint64) {
	high, low := sumOfSquares(z, twice)
	if within(high, low, bound) {
		return
	}
	scale(z, bound, ceilSqrt(high, low))
}

// scale replaces each v by ⌊|v|·bound/norm⌋ with the sign of v. No |v| may exceed norm, and norm must exceed bound.
func scale(z []int64, bound, norm uint64) {
	long := norm >= 1<<32
	factor, _ := bits.Div64(bound, 0, norm)
	factor++ // just above bound·2^64/norm, and no more than 2^64 − 1, because bound < norm
	for i, v := range z {
		sign := v >> 63 // 0 or −1: (x ^ sign) − sign is x or −x
		magnitude := uint64((v ^ sign) - sign)
		quotient, _ := bits.Mul64(magnitude, factor) // a quarter of the time of a division
		if long {
			// The quotient is at most bound, because |v| ≤ norm, so Div64 cannot overflow.
			h, l := bits.Mul64(magnitude, bound)
			quotient, _ = bits.Div64(h, l, norm)
		}
		z[i] = (int64(quotient) ^ sign) - sign
	}
}

// sumOfSquares returns Σ z_i², with the coordinates that twice marks counted twice, as high·2^64 + low.
func sumOfSquares(z []int64, twice []bool) (high, low uint64) {
	high, low = fixed.Squares(z)
	for i, marked := range twice {
		if marked {
			h, l := fixed.Squares(z[i : i+1])
			var carry uint64
			low, carry = bits.Add64(low, l, 0)
			high, _ = bits.Add64(high, h, carry)
		}
	}
	return high, low
}

// within tells whether a sum of squares is at most bound².
func within(high, low, bound uint64) bool {
	boundHigh, boundLow := bits.Mul64(bound, bound)
	return !less(boundHigh, boundLow, high, low)
}

func less(aHigh, aLow, bHigh, bLow uint64) bool {
	return aHigh < bHigh || aHigh == bHigh && aLow < bLow
}

// ceilSqrt returns the least r with r² ≥ high·2^64 + low, which must be below 2^126.
func ceilSqrt(high, low uint64) uint64 {
	// A float64 is within a few parts in 2^53 of the root. Integers find the exact root from there.
	r := uint64(math.Sqrt(float64(high)*0x1p64 + float64(low)))
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

// WithinL2 tells whether Σ z_i² ≤ bound², for z and twice as in L2.
func WithinL2(z []int64, twice []bool, bound uint64) bool {
	high, low := sumOfSquares(z, twice)
	return within(high, low, bound)
}
