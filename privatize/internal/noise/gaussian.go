// Package noise draws discrete Gaussian noise from integers and random bits: no floating-point number takes part, so
// there are no low bits to leak. See claim.md.
package noise

import "math/bits"

// MaxScale bounds the scale σ, in steps, so that every product below fits 64 bits.
const MaxScale = 1 << 31

// A Gaussian draws from the discrete Gaussian N_Z(0, σ²): P[x] ∝ exp(−x²/(2σ²)) on the integers. It is not safe for
// concurrent use.
//
// |x| = w·j + u, with a power of two w between σ/128 and σ/64 (w = 1 for smaller σ) and 0 ≤ u < w. Since
//
//	exp(−(wj + u)²/(2σ²)) = exp(−(wj)²/(2σ²)) · exp(−u(2wj + u)/(2σ²)),
//
// it draws j from a table of exp(−(wj)²/(2σ²)), u uniformly, and accepts with probability exp(−u(2wj + u)/(2σ²)), which
// is near 1; else it draws again.
type Gaussian struct {
	scale  uint64
	shift  int // w = 2^shift
	table  *table
	reject []uint16 // of j: 2^16 times the largest exponent u(2wj+u)/(2σ²) of its u, rounded up
	random *source
}

// NewGaussian returns a Gaussian of scale σ in [1, MaxScale]. It panics for others: the caller checks the grant.
func NewGaussian(scale uint64) *Gaussian {
	if scale < 1 || scale > MaxScale {
		panic("noise: scale out of range")
	}
	g := &Gaussian{scale: scale, shift: max(0, bits.Len64(scale)-7), random: newSource()}
	g.table = newTable(scale, uint64(1)<<g.shift)
	for j := range g.table.first {
		// (2j+1)·w²·2^16/(2σ²), since u(2wj+u) < w(2wj+w) for u < w; 0 for w = 1.
		if g.shift == 0 {
			g.reject = append(g.reject, 0)
			continue
		}
		high, low := bits.Mul64(uint64(2*j+1)<<16, 1<<(2*g.shift))
		quotient, _ := bits.Div64(high, low, 2*scale*scale)
		g.reject = append(g.reject, uint16(min(quotient+1, 1<<16-1)))
	}
	return g
}

// Twin returns another Gaussian of the same scale, for another goroutine.
func (g *Gaussian) Twin() *Gaussian {
	twin := *g
	twin.random = newSource()
	return &twin
}

// Next draws one number.
func (g *Gaussian) Next() int64 {
	for {
		j := uint64(g.table.draw(g.random))
		r := g.random.uint64() // bits 0 to 24: u; 40 to 55: the first digit of the acceptance; 63: the sign
		u := r & (1<<g.shift - 1)
		digit := uint64(uint16(r >> 40))
		if digit < uint64(g.reject[j]) && !g.bernoulliExp(u*(2*j<<g.shift+u), 2*g.scale*g.scale, digit) {
			continue
		}
		x := int64(j<<g.shift + u)
		if r>>63 == 0 {
			return x
		}
		if x != 0 { // −0 would count 0 twice
			return -x
		}
	}
}

// bernoulliExp is true with probability exp(−n/d), for n < d ≤ 2^63: Canonne, Kamath and Steinke, The Discrete Gaussian
// for Differential Privacy (NeurIPS 2020), algorithm 1: the number of the trial k at which Bernoulli(n/(d·k)) first
// fails is odd with that probability. digit is the first of the first trial's random digits.
//
// The first trial fails whenever digit exceeds n/d; Next asks no further where it exceeds the largest n/d of its j.
func (g *Gaussian) bernoulliExp(n, d, digit uint64) bool {
	if !g.bernoulli(n, d, digit) {
		return true
	}
	for k := uint64(2); ; k++ {
		// Bernoulli(n/(d·k)) is Bernoulli(n/d) and Bernoulli(1/k).
		if !g.bernoulli(1, k, g.random.uint16()) || !g.bernoulli(n, d, g.random.uint16()) {
			return k%2 == 1
		}
	}
}

// bernoulli is true with probability n/d, for n < d ≤ 2^63, exactly: the digits of a uniform real in [0, 1) in base
// 2^16, of which digit is the first, are drawn until one differs from that of n/d.
func (g *Gaussian) bernoulli(n, d, digit uint64) bool {
	for {
		own, rest := bits.Div64(n>>48, n<<16, d) // the quotient is below 2^16, because n < d
		if digit != own {
			return digit < own
		}
		n = rest
		digit = g.random.uint16()
	}
}
