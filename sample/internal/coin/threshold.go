package coin

import "math"

// Threshold encodes a probability p in [0, 1] as ⌊p·2^96⌋. So a coin falls with probability at most p, and the actual
// rate is at most the charged rate. The rate is exactly p if p·2^96 is whole. This is so for every float64 of at least
// 2^-44, since its last bit is at least 2^-96.
type Threshold struct {
	high uint64 // the first 32 bits, or 2^32 for p = 1
	low  uint64 // the other 64 bits
}

// NewThreshold returns the threshold of p. Every p above 1 counts as 1.
func NewThreshold(p float64) Threshold {
	// Multiplying by 2^32 is exact, and so is the fraction. Ldexp(·, 64) is exact, and uint64 truncates.
	whole, fraction := math.Modf(math.Ldexp(min(p, 1), 32))
	return Threshold{uint64(whole), uint64(math.Ldexp(fraction, 64))}
}

// Falls reports whether a coin falls. number is uniform and has 64 bits, such as a Seed's number. The coin falls with
// probability ⌊p·2^64⌋/2^64.
func (t Threshold) Falls(number uint64) bool {
	first, more := number>>32, number&math.MaxUint32
	return first < t.high || first == t.high && more < t.low>>32
}
