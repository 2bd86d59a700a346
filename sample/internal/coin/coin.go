// Package coin draws the random choices of sampling: from the operating system, or for tests from a seed.
package coin

import (
	"crypto/rand"
	"encoding/binary"
	"math"
	"math/bits"
	mathrand "math/rand/v2"
)

// A Source gives random numbers. It is not safe for concurrent use.
type Source struct {
	next   func() uint64
	secret bool
}

// Secret returns a Source of the operating system's generator (crypto/rand). Amplification by sampling rests on coins
// that nobody who sees a release can know.
func Secret() *Source {
	buffer := make([]byte, 8<<10)
	rest := buffer[:0]
	return &Source{secret: true, next: func() uint64 {
		if len(rest) == 0 {
			rand.Read(buffer) // never fails: it ends the process instead
			rest = buffer
		}
		v := binary.LittleEndian.Uint64(rest)
		clear(rest[:8])
		rest = rest[8:]
		return v
	}}
}

// Seeded returns a Source whose choices anyone with the seed can repeat: for tests, without amplification.
func Seeded(seed uint64) *Source {
	return &Source{next: mathrand.NewPCG(seed, 0x70726976).Uint64}
}

// IsSecret says whether the numbers come from the operating system.
func (s *Source) IsSecret() bool { return s.secret }

// Threshold is the form of a probability p in [0, 1] that Flip takes: ⌊p·2^64⌋, so a coin never falls more often
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

// Flip is true with the threshold's probability.
func (s *Source) Flip(t Threshold) bool { return t.always || s.next() < t.below }

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
