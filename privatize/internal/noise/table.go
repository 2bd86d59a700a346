package noise

import (
	"math/big"
	"slices"
)

const (
	// words is the precision of the table, in words of 64 bits. See claim.md for what 256 bits leave open.
	words = 4

	// precision of the arithmetic that makes the table, in bits: 256 and a reserve for rounding.
	precision = 64*words + 64

	// guideBits is how many bits of the uniform number look up where to begin in the table.
	guideBits = 10
)

// A table holds the distribution P[j] ∝ exp(−(wj)²/(2σ²)) on j = 0, 1, 2, … as its cumulative probabilities
// F_j = P[J ≤ j], binary fractions of 256 bits. The last j stands for itself and all beyond.
type table struct {
	first []uint64            // the first word of F_j
	rest  [][words - 1]uint64 // its other words
	guide [1 << guideBits]uint16
}

// draw returns the least j with U < F_j, for a uniform U in [0, 1) of 256 bits. The first word of U nearly always
// decides; the others are drawn when it does not.
func (t *table) draw(random *source) int {
	u := random.uint64()
	var others *[words - 1]uint64
	j := int(t.guide[u>>(64-guideBits)])
	for ; j < len(t.first)-1; j++ {
		if u < t.first[j] {
			break
		}
		if u == t.first[j] {
			if others == nil {
				others = new([words - 1]uint64)
				for i := range others {
					others[i] = random.uint64()
				}
			}
			if slices.Compare(others[:], t.rest[j][:]) < 0 {
				break
			}
		}
	}
	return j
}

// newTable makes the table for a scale σ in [1, MaxScale] and a width w of at least σ/128.
func newTable(scale, width uint64) *table {
	// The weights f_j = q^(j²) with q = exp(−w²/(2σ²)), by f_{j+1} = f_j·q^(2j+1).
	q := expNegative(ratio(width*width, 2*scale*scale))
	square := number(0).Mul(q, q)
	weight, factor, sum := number(1), number(0).Set(q), number(0)
	least := number(0).SetMantExp(number(1), -64*words-8)
	var sums []*big.Float // Σ_{i≤j} f_i
	for weight.Cmp(least) > 0 {
		sum = number(0).Add(sum, weight)
		sums = append(sums, sum)
		weight = number(0).Mul(weight, factor)
		factor = number(0).Mul(factor, square)
	}
	t := new(table)
	for _, s := range sums {
		t.append(number(0).Quo(s, sum))
	}
	j := 0
	for i := range t.guide {
		for j < len(t.first)-1 && t.first[j] < uint64(i)<<(64-guideBits) {
			j++ // every U that begins with the bits of i is at least F_j
		}
		t.guide[i] = uint16(j)
	}
	return t
}

// append appends a cumulative probability, truncated to 256 bits; 1 becomes the largest fraction below it.
func (t *table) append(f *big.Float) {
	n, _ := number(0).SetMantExp(f, 64*words).Int(nil)
	if n.BitLen() > 64*words {
		n.Sub(n, big.NewInt(1))
	}
	var word [words]uint64
	mask := new(big.Int).SetUint64(1<<64 - 1)
	for i := words - 1; i >= 0; i-- {
		word[i] = new(big.Int).And(n, mask).Uint64()
		n.Rsh(n, 64)
	}
	t.first = append(t.first, word[0])
	t.rest = append(t.rest, [words - 1]uint64(word[1:]))
}

func number(x uint64) *big.Float { return new(big.Float).SetPrec(precision).SetUint64(x) }

func ratio(n, d uint64) *big.Float { return number(0).Quo(number(n), number(d)) }

// expNegative returns exp(−x) for 0 ≤ x ≤ 1/2, by Taylor's series until its terms no longer count.
func expNegative(x *big.Float) *big.Float {
	sum, term := number(1), number(1)
	for n := uint64(1); term.Sign() != 0 && term.MantExp(nil) > -precision-8; n++ {
		term = number(0).Quo(number(0).Mul(term, x), number(n))
		if n%2 == 1 {
			sum = number(0).Sub(sum, term)
		} else {
			sum = number(0).Add(sum, term)
		}
	}
	return sum
}
