package dpevents

import (
	"fmt"
	"math"
	"math/big"
)

// fraction returns the sizes of a sample and a population, in lowest terms, with the given rate (see size). Only the
// rate counts. The sizes are a convergent of the rate's continued fraction: among all fractions so near, the one with
// the smallest numbers.
func fraction(rate float64) (size, population int, err error) {
	quotient := rate
	if rate < 1 {
		quotient = math.Nextafter(rate, 0)
	}
	var rest big.Rat
	if rest.SetFloat64(quotient) == nil || quotient <= 0 {
		return 0, 0, fmt.Errorf("no sizes have the rate %v", rate)
	}
	// The convergents h/k: h_n = a_n·h_(n−1) + h_(n−2), likewise k (Hardy and Wright, An Introduction to the Theory of
	// Numbers, §10.2).
	h, before := big.NewInt(1), big.NewInt(0)
	k, below := big.NewInt(0), big.NewInt(1)
	for {
		a := new(big.Int).Div(rest.Num(), rest.Denom())
		h, before = new(big.Int).Add(new(big.Int).Mul(a, h), before), h
		k, below = new(big.Int).Add(new(big.Int).Mul(a, k), below), k
		if k.Cmp(big.NewInt(mostUnits)) > 0 {
			return 0, 0, fmt.Errorf("no sizes below 2^53 have the rate %v", rate)
		}
		if float64(h.Int64())/float64(k.Int64()) == quotient {
			return int(h.Int64()), int(k.Int64()), nil
		}
		rest.Sub(&rest, new(big.Rat).SetInt(a))
		if rest.Sign() == 0 {
			return 0, 0, fmt.Errorf("no sizes have the rate %v", rate)
		}
		rest.Inv(&rest)
	}
}
