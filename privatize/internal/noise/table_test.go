package noise

import (
	"encoding/binary"
	"math/big"
	"slices"
	"sort"
	"testing"
)

// cumulative returns the table's F_j as integers: 2^256·F_j.
func (t *table) cumulative() []*big.Int {
	var all []*big.Int
	for j, first := range t.first {
		n := new(big.Int).SetUint64(first)
		for _, word := range t.rest[j] {
			n.Lsh(n, 64).Or(n, new(big.Int).SetUint64(word))
		}
		all = append(all, n)
	}
	return all
}

// weight is exp(−x) to 400 bits by another way than the table's: Taylor's series at x/2^k, squared k times. It loses k
// bits and a few.
func weight(x *big.Rat) *big.Float {
	const bits, halvings = 500, 40
	y := new(big.Float).SetPrec(bits).SetRat(x)
	y.SetMantExp(y, -halvings)
	sum := new(big.Float).SetPrec(bits).SetInt64(1)
	term := new(big.Float).SetPrec(bits).SetInt64(1)
	for n := int64(1); n < 16 && term.Sign() != 0; n++ {
		term.Mul(term, y).Quo(term, new(big.Float).SetInt64(-n))
		sum.Add(sum, term)
	}
	for range halvings {
		sum.Mul(sum, sum)
	}
	return sum
}

// The table is the true distribution, each F_j to all its 256 bits but the last two: claim.md counts on 2^-254. The
// weights are worked out one by one from their definition, to 30 times σ.
func TestTableIsExact(t *testing.T) {
	for _, scale := range []uint64{1, 2, 127, 128, 1<<20 + 7, MaxScale} {
		g := NewGaussian(scale)
		width := int64(1) << g.shift
		if scale >= 128 && (scale < 64*uint64(width) || scale >= 128*uint64(width)) {
			t.Errorf("σ = %d: width %d", scale, width)
		}
		var sums []*big.Float
		sum := new(big.Float).SetPrec(500)
		for j := int64(0); j*width <= 30*int64(scale); j++ {
			x := big.NewInt(j * width)
			x.Mul(x, x)
			variance := new(big.Int).SetUint64(scale)
			variance.Mul(variance, variance).Lsh(variance, 1)
			sum = new(big.Float).Add(sum, weight(new(big.Rat).SetFrac(x, variance)))
			sums = append(sums, sum)
		}
		for j, got := range g.table.cumulative() {
			f := new(big.Float).Quo(sums[j], sum)
			want, _ := f.SetMantExp(f, 256).Int(nil)
			if want.Sub(want, got).CmpAbs(big.NewInt(4)) > 0 {
				t.Fatalf("σ = %d: F_%d is off by %v·2^-256", scale, j, want)
			}
		}
	}
}

// least is the definition of draw: the least j with U < F_j, the last j for what is left.
func least(cumulative []*big.Int, u *big.Int) int {
	last := len(cumulative) - 1
	return sort.Search(last, func(j int) bool { return u.Cmp(cumulative[j]) < 0 })
}

// uniform is the script of U = u/2^256: its words, the first one first.
func uniform(u *big.Int) *source {
	b := u.FillBytes(make([]byte, 32))
	for i := 0; i < len(b); i += 8 {
		slices.Reverse(b[i : i+8])
	}
	return script(b)
}

// At F_j itself, one 2^-256 below and one above, the first word alone does not decide.
func TestDrawAtTheBoundaries(t *testing.T) {
	for _, scale := range []uint64{1, 100, 128, 1 << 20} {
		table := NewGaussian(scale).table
		cumulative := table.cumulative()
		try := func(u *big.Int) {
			t.Helper()
			if u.Sign() < 0 || u.BitLen() > 256 {
				return
			}
			if got, want := table.draw(uniform(u)), least(cumulative, u); got != want {
				t.Errorf("σ = %d, U = %x·2^-256: %d, want %d", scale, u, got, want)
			}
		}
		for _, f := range cumulative {
			for _, offset := range []int64{-1, 0, 1} {
				try(new(big.Int).Add(f, big.NewInt(offset)))
			}
			next := new(big.Int).Rsh(f, 192)
			try(next.Add(next, big.NewInt(1)).Lsh(next, 192)) // the least U of another first word
		}
		for i := range table.guide { // both ends of each part that the guide cuts
			u := new(big.Int).Lsh(big.NewInt(int64(i)), 256-guideBits)
			try(u)
			try(u.Sub(u, big.NewInt(1)))
		}
	}
}

func FuzzDraw(f *testing.F) {
	f.Add(uint32(1), uint64(0), uint64(0))
	f.Add(uint32(127), uint64(1<<63), uint64(1))
	f.Add(uint32(1<<20), ^uint64(0), ^uint64(0))
	f.Add(uint32(1<<31-1), ^uint64(0), uint64(5))
	f.Fuzz(func(t *testing.T, scale uint32, first, second uint64) {
		table := NewGaussian(1 + uint64(scale)%MaxScale).table
		words := binary.LittleEndian.AppendUint64(nil, first)
		words = binary.LittleEndian.AppendUint64(words, second)
		u := new(big.Int).SetUint64(first)
		u.Lsh(u, 64).Or(u, new(big.Int).SetUint64(second)).Lsh(u, 128)
		got := table.draw(script(append(words, make([]byte, 16)...)))
		if want := least(table.cumulative(), u); got != want {
			t.Fatalf("U = %x·2^-256: %d, want %d", u, got, want)
		}
	})
}

func BenchmarkNewGaussian(b *testing.B) {
	for b.Loop() {
		NewGaussian(1 << 20)
	}
}
