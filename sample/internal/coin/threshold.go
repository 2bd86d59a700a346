package coin

import "math"

// Threshold is the form of a probability p in [0, 1] that a coin falls by: ⌊p·2^64⌋, so a coin never falls more often
// than p says. The rate that is charged bounds the rate that ran.
type Threshold struct {
	below  uint64
	always bool
}

// NewThreshold returns the threshold of p.
func NewThreshold(p float64) Threshold {
	if p >= 1 {
		return Threshold{always: true}
	}
	// p is a multiple of a power of two; Ldexp is exact but for denormals, and uint64 truncates.
	return Threshold{below: uint64(math.Ldexp(p, 64))}
}

// Falls says whether a coin of the threshold's probability falls, by a uniform number.
func (t Threshold) Falls(number uint64) bool { return t.always || number < t.below }
