package noise

import (
	"encoding/binary"
	"math"
	"math/big"
	"testing"
)

func TestBernoulliExp(t *testing.T) {
	const draws = 200_000
	random := fixedStream(1)
	for _, c := range []struct{ n, d uint64 }{
		{0, 1}, {1, 1 << 40}, {1, 100}, {1, 3}, {9, 10}, {1<<63 - 1, 1 << 63}, {12345678901, 1 << 35},
	} {
		p := math.Exp(-float64(c.n) / float64(c.d))
		count := 0
		for range draws {
			if random.bernoulliExp(c.n, c.d, random.uint16()) {
				count++
			}
		}
		expected := p * draws
		if math.Abs(float64(count)-expected) > normalQuantile*math.Sqrt(expected*(1-p))+1 {
			t.Errorf("exp(−%d/%d): %d of %d, expected %.1f", c.n, c.d, count, draws, expected)
		}
	}
}

// FuzzBernoulli compares with the definition. The random digits stand for U = 0.d₁d₂…dₘ in base 2^16, and all ones
// after that, which is (D+1)/2^(16m) for the number D that the digits spell. U < n/d, except for U = n/d, where the
// digits of U are the smaller ones.
func FuzzBernoulli(f *testing.F) {
	f.Add(uint64(1), uint64(2), uint16(0x7fff), []byte{})
	f.Add(uint64(1), uint64(2), uint16(0x8000), []byte{0, 0})
	f.Add(uint64(1), uint64(3), uint16(0x5555), []byte{0x55, 0x55, 0x54, 0x55})
	f.Add(uint64(0), uint64(1), uint16(0), []byte{0, 0, 0, 0})
	f.Add(uint64(1<<63-1), uint64(1<<63), uint16(0xffff), []byte{0xff, 0xff, 0xff, 0xff, 0xfd, 0xff})
	f.Add(uint64(5), uint64(32768), uint16(10), []byte{0, 0})
	f.Fuzz(func(t *testing.T, n, d uint64, digit uint16, rest []byte) {
		d = max(1, d%(1<<63+1))
		n %= d
		rest = rest[:min(len(rest), 64)&^1]
		random := script(rest)
		random.reader = repeat(0xff)
		u := big.NewInt(int64(digit))
		for i := 0; i < len(rest); i += 2 {
			u.Lsh(u, 16).Or(u, big.NewInt(int64(binary.LittleEndian.Uint16(rest[i:]))))
		}
		u.Add(u, big.NewInt(1)).Mul(u, new(big.Int).SetUint64(d))
		limit := new(big.Int).SetUint64(n)
		limit.Lsh(limit, uint(16+8*len(rest)))
		if got, want := random.bernoulli(n, d, uint64(digit)), u.Cmp(limit) <= 0; got != want {
			t.Fatalf("Bernoulli(%d/%d) of %x %x is %v", n, d, digit, rest, got)
		}
	})
}
