package noise

import (
	"math/big"
	"slices"
)

// guideBits is how many bits of the uniform number choose the place in the table where the search begins.
const guideBits = 12

// A law is the distribution P[j] ∝ q^j on j = 0, 1, 2, …, or P[j] ∝ q^(j²) if square, with q = exp(−n/d), n ≤ d; if
// half, P[0] ∝ 1/2. F_j = P[J ≤ j] are its cumulative probabilities.
type law struct {
	n, d         uint64
	square, half bool
}

// A table draws from a law, exactly. Let U be a uniform real in [0, 1). The table returns the least j with U < F_j, and
// draws only as many bits of U as decide it. Let u be the first 64 bits of U. Then u ≤ below[j] means U < F_j, u ≥
// below[j] + 4 means U ≥ F_j, and the three numbers between need more bits.
type table struct {
	law   law
	below []uint64
	guide [1 << guideBits]uint16
}

func newTable(l law) *table {
	t := &table{law: l}
	for _, below := range l.below(64) {
		t.below = append(t.below, below.Uint64())
	}
	j := 0
	for i := range t.guide {
		for from := uint64(i) << (64 - guideBits); from > t.below[j] && from-t.below[j] >= 4; {
			j++ // every U that begins with the bits of i is at least F_j
		}
		t.guide[i] = uint16(j)
	}
	return t
}

// draw draws j. U begins with the bits of u. The bits of open are not drawn yet, and are 0 in u.
func (t *table) draw(u, open uint64, random *source) uint64 {
	for j := int(t.guide[u>>(64-guideBits)]); ; {
		switch below := t.below[j]; {
		case u|open <= below: // U < F_j
			return uint64(j)
		case u > below && u-below >= 4: // U ≥ F_j. This is never the last j, whose below is at least 2^64 − 4.
			j++
		case open != 0:
			u |= random.uint64() & open
			open = 0
		default:
			return t.law.find(u, random)
		}
	}
}

// find returns the least j with U < F_j. first is the first 64 bits of U. find draws more bits, and works out F_j to as
// many bits, until they decide. A sampler calls find once in 10^14 draws, or less.
func (l law) find(first uint64, random *source) uint64 {
	u := new(big.Int).SetUint64(first)
	for precision := uint(128); ; precision *= 2 {
		for range precision / 128 {
			u.Lsh(u, 64).Or(u, new(big.Int).SetUint64(random.uint64()))
		}
		below := l.below(precision)
		j, _ := slices.BinarySearchFunc(below, u, (*big.Int).Cmp) // the least with u ≤ below[j]
		if j == len(below) {
			continue
		}
		if j == 0 || new(big.Int).Sub(u, below[j-1]).Cmp(big.NewInt(4)) >= 0 {
			return uint64(j)
		}
	}
}

// below returns the integers b_j for j = 0, 1, … until F_j is nearly 1. b_j is c_j − 2 for a c_j that is off
// 2^precision·F_j by less than 2. Let u be the first precision bits of U, as an integer. Then u ≤ b_j means U < F_j,
// and u ≥ b_j + 4 means U ≥ F_j.
func (l law) below(precision uint) []*big.Int {
	a := arithmetic(2*precision + 64)
	q := a.expNegative(a.ratio(l.n, l.d))
	growth := a.number(1)
	if l.square {
		growth.Mul(q, q) // q^((j+1)²) = q^(j²)·q·(q²)^j
	}
	weight, factor, sum := a.number(1), a.number(0).Set(q), a.number(0)
	least := a.number(0).SetMantExp(a.number(1), -int(precision)-16)
	var sums []*big.Float // Σ_{i≤j} of the weights
	for weight.Cmp(least) > 0 {
		sum.Add(sum, weight)
		if l.half && len(sums) == 0 {
			sum.SetMantExp(sum, -1)
		}
		sums = append(sums, a.number(0).Set(sum))
		weight.Mul(weight, factor)
		factor.Mul(factor, growth)
	}
	steps := a.number(0).Quo(a.number(1), sum)
	steps.SetMantExp(steps, int(precision))
	all, two := make([]*big.Int, len(sums)), big.NewInt(2)
	for j, s := range sums {
		c, _ := s.Mul(s, steps).Int(nil)
		all[j] = c.Sub(c, two)
	}
	return all
}

// arithmetic is big.Float arithmetic with a number of bits: each operation is right to a share of 2^-bits of its
// result.
type arithmetic uint

func (a arithmetic) number(x uint64) *big.Float { return new(big.Float).SetPrec(uint(a)).SetUint64(x) }

func (a arithmetic) ratio(n, d uint64) *big.Float { return a.number(0).Quo(a.number(n), a.number(d)) }

// expNegative returns exp(−x) for 0 ≤ x ≤ 1, by Taylor's series until its terms no longer count.
func (a arithmetic) expNegative(x *big.Float) *big.Float {
	sum, term := a.number(1), a.number(1)
	for n := uint64(1); term.Sign() != 0 && term.MantExp(nil) > -int(a)-8; n++ {
		term.Quo(term.Mul(term, x), a.number(n))
		if n%2 == 1 {
			sum.Sub(sum, term)
		} else {
			sum.Add(sum, term)
		}
	}
	return sum
}
