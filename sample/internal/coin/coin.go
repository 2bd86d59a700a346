// Package coin draws the random choices of sampling: from the operating system, or for tests from a seed.
package coin

import (
	"crypto/rand"
	"encoding/binary"
	"math"
	"math/bits"
)

// A Source gives random numbers, one after the other. It is not safe for concurrent use.
type Source struct{ next func() uint64 }

// New returns a Source of the numbers that next gives, which must be uniform and independent.
func New(next func() uint64) *Source { return &Source{next} }

// Secret returns a Source of the operating system's generator (crypto/rand). Amplification by sampling rests on coins
// that nobody who sees a release can know.
func Secret() *Source {
	buffer := make([]byte, 8<<10)
	rest := buffer[:0]
	return New(func() uint64 {
		if len(rest) == 0 {
			rand.Read(buffer) // never fails: it ends the process instead
			rest = buffer
		}
		v := binary.LittleEndian.Uint64(rest)
		clear(rest[:8])
		rest = rest[8:]
		return v
	})
}

// Next returns a uniform number.
func (s *Source) Next() uint64 { return s.next() }

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

// Below returns a uniform integer in [0, n), for n at least 1, exactly: Lemire, Fast Random Integer Generation in an
// Interval (ACM TOMACS 29, 2019), algorithm 5.
func (s *Source) Below(n uint64) uint64 {
	high, low := bits.Mul64(s.next(), n)
	if low < n {
		for least := -n % n; low < least; {
			high, low = bits.Mul64(s.next(), n)
		}
	}
	return high
}
