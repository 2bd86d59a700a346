package coin

import (
	"math"
	"math/big"
	"testing"
)

func TestThreshold(t *testing.T) {
	for _, c := range []struct {
		p      float64
		falls  uint64 // the greatest number that is below the threshold
		always bool
	}{
		{p: 0.5, falls: 1<<63 - 1},
		{p: 0.25, falls: 1<<62 - 1},
		{p: math.Ldexp(1, -64), falls: 0},
		{p: math.Nextafter(1, 0), falls: math.MaxUint64 - 1<<11},
		{p: 1, falls: math.MaxUint64, always: true},
	} {
		threshold := NewThreshold(c.p)
		if !threshold.Falls(c.falls) {
			t.Errorf("p = %v: %x does not fall", c.p, c.falls)
		}
		if !c.always && threshold.Falls(c.falls+1) {
			t.Errorf("p = %v: %x falls", c.p, c.falls+1)
		}
	}
	for _, p := range []float64{0, math.SmallestNonzeroFloat64, math.Ldexp(1, -65)} {
		if NewThreshold(p).Falls(0) {
			t.Errorf("a coin of probability %v falls", p)
		}
	}
}

// FuzzThreshold checks in exact arithmetic that a coin never falls more often than p says, nor 2^-64 less often: the
// rate that is charged bounds the rate that ran.
func FuzzThreshold(f *testing.F) {
	for _, p := range []float64{0.05, 0.1, 1. / 3, 1e-9, 5e-324, 1 - 1e-16} {
		f.Add(p)
	}
	f.Fuzz(func(t *testing.T, p float64) {
		if !(p > 0 && p < 1) {
			return
		}
		exact := new(big.Rat).SetFloat64(p)
		exact.Mul(exact, new(big.Rat).SetInt(new(big.Int).Lsh(big.NewInt(1), 64)))
		got := new(big.Rat).SetInt(new(big.Int).SetUint64(NewThreshold(p).below))
		short := new(big.Rat).Sub(exact, got)
		if short.Sign() < 0 || short.Cmp(big.NewRat(1, 1)) >= 0 {
			t.Errorf("p = %v: the threshold is %v, want the whole part of %v", p, got, exact)
		}
	})
}
