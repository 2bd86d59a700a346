package clip

import (
	"math/bits"

	"privpipe/privatize/internal/fixed"
)

// L1 scales z in place so that Σ |z_i| ≤ bound, if it is not so already; every coordinate keeps its sign or becomes 0.
// Coordinates that twice marks count twice; nil marks none. The coordinates must be within ±fixed.Limit, at most 2^44
// of them, and bound within [1, 2^20].
func L1(z []int64, twice []bool, bound uint64) {
	high, low := absolutes(z, twice)
	switch {
	case high > 0:
		clear(z) // |v|·bound ≤ 2^60 is below the norm, so every quotient is 0
	case low > bound:
		scale(z, bound, low)
	}
}

// WithinL1 tells whether Σ |z_i| ≤ bound, for z and twice as in L1.
func WithinL1(z []int64, twice []bool, bound uint64) bool {
	high, low := absolutes(z, twice)
	return high == 0 && low <= bound
}

// absolutes returns Σ |z_i|, with the coordinates that twice marks counted twice, as high·2^64 + low.
func absolutes(z []int64, twice []bool) (high, low uint64) {
	high, low = fixed.Absolutes(z)
	for i, marked := range twice {
		if marked {
			var carry uint64
			low, carry = bits.Add64(low, fixed.Magnitude(z[i]), 0)
			high += carry
		}
	}
	return high, low
}
