package noise

import "math/bits"

// A proposer makes the proposals for both samplers: |x| = w·j + u, where w is a power of two and 0 ≤ u < w. Let the
// wanted weight be f(wj)·a(j, u) with a ≤ 1. The proposer draws j with P[j] ∝ f(wj), and u uniformly. The sampler
// accepts the proposal with probability a(j, u), else it asks for another. With w below 1/64 of the scale, a is near 1.
type proposer struct {
	shift  int // w = 2^shift, at most 2^25
	table  *table
	random *source
}

// newProposer chooses w above scale/128 and at most scale/64, or 1 for a scale below 128. of returns the law of j for a
// given w.
func newProposer(scale uint64, of func(width uint64) law) proposer {
	if scale < 1 || scale > MaxScale {
		panic("noise: scale out of range")
	}
	shift := max(0, bits.Len64(scale)-7)
	return proposer{shift: shift, table: newTable(of(1 << shift)), random: newSource()}
}

// propose draws j, u, a sign (0 or −1), and 16 bits that the acceptance begins with. 0 must not count twice: of +0 and
// −0 it proposes only +0 or, if w = 1, the table gives j = 0 half its weight. The acceptance of 0 is 1.
func (p *proposer) propose() (j, u, digit uint64, sign int64) {
	for {
		const open = 1<<42 - 1
		r := p.random.uint64() // bits 0 to 24: u; 25 to 40: digit; 41: the sign; 42 to 63: where U of the table begins
		j := p.table.draw(r&^open, open, p.random)
		u := r & (1<<p.shift - 1)
		sign := -int64(r >> 41 & 1)
		if j|u != 0 || sign == 0 || p.shift == 0 {
			return j, u, r >> 25 & (1<<16 - 1), sign
		}
	}
}

// number returns ±(w·j + u).
func (p *proposer) number(j, u uint64, sign int64) int64 {
	return (int64(j<<p.shift+u) ^ sign) - sign // −x is ^x + 1
}
