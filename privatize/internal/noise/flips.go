package noise

// FlipSteps is the number of steps in a probability of 1: a Bernoulli counts its probability in steps.
const FlipSteps = 1 << 32

// A Bernoulli draws independent bits that are 1 with probability p = n/FlipSteps exactly. It is not safe for concurrent
// use.
type Bernoulli struct {
	steps  uint32 // n: the binary digits of p after the point
	random *source
}

// NewBernoulli returns a Bernoulli of probability n/FlipSteps, n in [1, FlipSteps/2]. It panics for others: the caller
// checks the grant.
func NewBernoulli(n uint64) *Bernoulli {
	if n < 1 || n > FlipSteps/2 {
		panic("noise: probability out of range")
	}
	return &Bernoulli{uint32(n), newSource()}
}

// Fill draws every bit of words.
func (b *Bernoulli) Fill(words []uint64) {
	for i := range words {
		words[i] = b.next()
	}
}

// next draws 64 bits. Bit i is 1 if U < p, for a uniform U in [0, 1). The binary digits of U are bit i of the first
// word that is read, bit i of the second word, and so on. The first digit where U and p differ decides: bit i is 1 if p
// has the 1 there. Words are read until all 64 bits are decided, or until p has no digit left: then U ≥ p for the bits
// that are open.
func (b *Bernoulli) next() uint64 {
	ones, open := uint64(0), ^uint64(0)
	for digits := b.steps; digits != 0 && open != 0; digits <<= 1 {
		u := b.random.uint64()
		if digits>>31 == 1 {
			ones |= open &^ u
			open &= u
		} else {
			open &^= u
		}
	}
	return ones
}
