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

// FuzzThreshold checks in exact arithmetic that a coin never falls more often than p says, nor 2^-96 less often (2^-64
// by a seed): the rate that is charged bounds the rate that ran. From 2^-44 on the two are equal.
func FuzzThreshold(f *testing.F) {
	for _, p := range []float64{0.05, 0.1, 1. / 3, 1e-9, 5e-324, 1 - 1e-16, 1, 0x1p-44, 0x1.fffffffffffffp-44,
		0x1.fffffffffffffp-45} {
		f.Add(p)
	}
	f.Fuzz(func(t *testing.T, p float64) {
		if !(p >= 0 && p <= 1) {
			return
		}
		exact := new(big.Rat).SetFloat64(p)
		threshold := NewThreshold(p)
		got := new(big.Int).SetUint64(threshold.high)
		got.Lsh(got, 64).Add(got, new(big.Int).SetUint64(threshold.low))
		short := new(big.Rat).Sub(exact, new(big.Rat).SetFrac(got, new(big.Int).Lsh(big.NewInt(1), 96)))
		if short.Sign() < 0 || short.Cmp(big.NewRat(1, 1).
			SetFrac(big.NewInt(1), new(big.Int).Lsh(big.NewInt(1), 96))) >= 0 {
			t.Errorf("p = %v: the threshold is %v, which is %v short", p, got, short)
		}
		if p >= 0x1p-44 && short.Sign() != 0 {
			t.Errorf("p = %v: the threshold is %v, which is not p", p, got)
		}
		whole := new(big.Int).Rsh(got, 32)
		for _, d := range []int64{-1, 0, 1} {
			if number := new(big.Int).Add(whole, big.NewInt(d)); number.IsUint64() &&
				threshold.Falls(number.Uint64()) != (d < 0) {
				t.Errorf("p = %v: the number %v falls: %v, want %v", p, number, d >= 0, d < 0)
			}
		}
	})
}
