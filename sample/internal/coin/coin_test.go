package coin

import (
	"encoding/hex"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"
)

// scripted returns a Source of the given numbers.
func scripted(numbers ...uint64) *Source {
	i := -1
	return New(func() uint64 { i++; return numbers[i] })
}

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

// FuzzBelow compares Below with big integers: the numbers v whose v·n modulo 2^64 is under 2^64 modulo n are drawn
// again, which leaves each result as many v.
func FuzzBelow(f *testing.F) {
	f.Add(uint64(1), uint64(0), uint64(1))
	f.Add(uint64(3), uint64(0), uint64(1))
	f.Add(uint64(1)<<63+1, uint64(1)<<62, uint64(math.MaxUint64))
	f.Add(uint64(math.MaxUint64), uint64(1), uint64(5))
	f.Fuzz(func(t *testing.T, n, first, second uint64) {
		if n == 0 {
			return
		}
		numbers := []uint64{first, second, math.MaxUint64 - first, 1 << 63, n}
		size := new(big.Int).Lsh(big.NewInt(1), 64)
		bound := new(big.Int).SetUint64(n)
		least := new(big.Int).Mod(size, bound)
		for _, v := range numbers {
			high, low := new(big.Int).DivMod(new(big.Int).Mul(new(big.Int).SetUint64(v), bound), size, new(big.Int))
			if low.Cmp(least) >= 0 {
				if got := scripted(numbers...).Below(n); got != high.Uint64() || got >= n {
					t.Errorf("below %d of %x: got %d, want %d", n, numbers, got, high)
				}
				return
			}
		}
	})
}

// TestBelowIsUniform has a false-rejection rate of 1e-6; its coins are seeded, so it is deterministic.
func TestBelowIsUniform(t *testing.T) {
	const n, draws, alpha = 1000, 500_000, 1e-6
	counts := make([]float64, n)
	coins := New(rand.NewPCG(1, 1).Uint64)
	for range draws {
		counts[coins.Below(n)]++
	}
	statistic := 0.0
	for _, c := range counts {
		statistic += (c - draws/n) * (c - draws/n) / (draws / n)
	}
	chi := distuv.ChiSquared{K: n - 1}
	if statistic < chi.Quantile(alpha/2) || statistic > chi.Quantile(1-alpha/2) {
		t.Errorf("got χ² = %.0f of %d degrees of freedom", statistic, n-1)
	}
}

// TestSeed pins the numbers of seeds: in a test that a seed repeats they must stay what they are, in whichever version.
func TestSeed(t *testing.T) {
	for _, c := range []struct {
		seed   Seed
		round  int
		digest uint64
		want   uint64 // by Python's struct and hashlib
	}{
		{0, 1, 0, 0x196424d8174003b9},
		{1, 1, 0xd24ec4f1a98c6e5b, 0x363bbbfb82bfe3cd},
		{1, 2, 0xd24ec4f1a98c6e5b, 0xceb9223e197a079d},
		{math.MaxUint64, 1 << 31, math.MaxUint64, 0x37cf1e112842a4d5},
	} {
		if got := c.seed.Number(c.round, c.digest); got != c.want {
			t.Errorf("number of unit %x in round %d by seed %d: got %x, want %x", c.digest, c.round, c.seed, got, c.want)
		}
	}
	const want = "2e90568ec5f93d158eec67527a77a30b2087dd47affca71cd82830da8ae9056e"
	if got := hex.EncodeToString(Seed(7).Key()); got != want {
		t.Errorf("key of seed 7: got %s, want %s", got, want)
	}
}

// TestSecret draws more numbers than a Source holds ready. That two of n are equal has a probability below
// n²/2^65 < 1e-10. The share of heads is compared with its expectation at a false-rejection rate below 1e-6. No seed
// can repeat this test.
func TestSecret(t *testing.T) {
	const n = 40_000
	seen := make(map[uint64]bool)
	for _, coins := range []*Source{Secret(), Secret()} {
		heads := 0
		for range n / 2 {
			v := coins.Next()
			if seen[v] {
				t.Fatal("a number comes twice")
			}
			seen[v] = true
			if NewThreshold(0.25).Falls(coins.Next()) {
				heads++
			}
		}
		// 6 standard deviations: at 20,000 draws the binomial's tails are within a factor of 2 of the normal's 2e-9.
		if deviation := math.Abs(float64(heads)-n/8) / math.Sqrt(n/2*0.25*0.75); deviation > 6 {
			t.Errorf("got %d heads of %d, %.1f standard deviations from a quarter", heads, n/2, deviation)
		}
	}
}
