package noise

import "math/bits"

// A Gaussian draws from the discrete Gaussian N_Z(0, σ²): P[x] ∝ exp(−x²/(2σ²)) on the integers. It is a [Sampler].
//
// With |x| = w·j + u (proposer),
//
//	exp(−(wj + u)²/(2σ²)) = exp(−(wj)²/(2σ²)) · exp(−u(2wj + u)/(2σ²)):
//
// j comes from a table of the first factor, and the second is the probability to accept.
type Gaussian struct {
	proposer
	scale  uint64
	reject []uint16 // for each j: above the first digit of the exponent u(2wj+u)/(2σ²), for every u
}

// NewGaussian returns a Gaussian of scale σ in [1, MaxScale] steps. It panics for others: the caller checks the grant.
func NewGaussian(scale uint64) *Gaussian {
	g := &Gaussian{scale: scale, proposer: newProposer(scale, func(width uint64) law {
		return law{n: width * width, d: 2 * scale * scale, square: true, half: width == 1}
	})}
	g.reject = make([]uint16, len(g.table.below))
	for j := range g.reject {
		if g.shift > 0 { // (2j+1)·w²·2^16/(2σ²), since u(2wj+u) < w(2wj+w) for u < w; 0 for w = 1
			high, low := bits.Mul64(uint64(2*j+1)<<16, 1<<(2*g.shift))
			quotient, _ := bits.Div64(high, low, 2*scale*scale)
			g.reject[j] = uint16(min(quotient+1, 1<<16-1))
		}
	}
	return g
}

// Twin returns another Gaussian with the same scale, for another goroutine.
func (g *Gaussian) Twin() Sampler {
	twin := *g
	twin.random = newSource()
	return &twin
}

// Next draws one number.
func (g *Gaussian) Next() int64 {
	for {
		if j, u, digit, sign := g.propose(); g.accept(j, u, digit) {
			return g.number(j, u, sign)
		}
	}
}

// accept is true with probability exp(−u(2wj + u)/(2σ²)).
func (g *Gaussian) accept(j, u, digit uint64) bool {
	d := 2 * g.scale * g.scale
	if j < uint64(len(g.reject)) {
		return digit >= uint64(g.reject[j]) || g.random.bernoulliExp(u*(2*j<<g.shift+u), d, digit)
	}
	// So far out the exponent may be above 1: Bernoulli(exp(−u²/(2σ²))), and j times Bernoulli(exp(−2uw/(2σ²))).
	for range j {
		if !g.random.bernoulliExp(u<<(g.shift+1), d, g.random.uint16()) {
			return false
		}
	}
	return g.random.bernoulliExp(u*u, d, digit)
}
