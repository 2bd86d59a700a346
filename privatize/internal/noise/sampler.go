// Package noise draws discrete Gaussian and discrete Laplace noise from integers and random bits. No floating-point
// number takes part, so there are no low bits to leak. Nothing is cut off or rounded. See claim.md.
package noise

// MaxScale bounds a Sampler's scale, in steps, so that every product below fits 64 bits.
const MaxScale = 1 << 31

// A Sampler draws independent integers from one distribution, symmetric around 0. It is not safe for concurrent use.
type Sampler interface {
	Next() int64
	// Twin returns another sampler with the same distribution and its own random bits, for another goroutine.
	Twin() Sampler
}
