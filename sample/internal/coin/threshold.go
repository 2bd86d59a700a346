package coin

import "math"

// Threshold encodes a probability p in [0, 1] as ⌊p·2^64⌋. So a coin falls with probability at most p, and the actual rate is at
// most the charged rate.
type Threshold struct {
	below  uint64
	always bool
}

// NewThreshold returns the threshold of p.
func NewThreshold(p float64) Threshold {
	if p >= 1 {
		return Threshold{always: true}
	}
	// p is a multiple of a power of two; Ldexp is exact except for denormals, and uint64 truncates.
	return Threshold{below: uint64(math.Ldexp(p, 64))}
}

// Falls reports whether a coin with the threshold's probability falls, by a uniform number.
func (t Threshold) Falls(number uint64) bool { return t.always || number < t.below }
