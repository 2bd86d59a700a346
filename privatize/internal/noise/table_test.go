package noise

import (
	"encoding/binary"
	"math/big"
	"slices"
	"sort"
	"testing"
)

// trueBits is the precision of what the tests below take for the truth.
const trueBits = 600

// weight is exp(−x) for x ≤ 2^9, by another way than the table's: Taylor's series at x/2^50, squared 50 times. It loses
// 50 bits and a few, and the series beyond its 16th term, of which each is below 2^-41 of the one before.
func weight(x *big.Rat) *big.Float {
	const halvings = 50
	y := truth(0).SetRat(x)
	y.SetMantExp(y, -halvings)
	sum, term := truth(1), truth(1)
	for n := int64(1); n < 16 && term.Sign() != 0; n++ {
		term.Mul(term, y).Quo(term, truth(-n))
		sum.Add(sum, term)
	}
	for range halvings {
		sum.Mul(sum, sum)
	}
	return sum
}

func truth(x int64) *big.Float { return new(big.Float).SetPrec(trueBits).SetInt64(x) }

// exact returns F_0, …, F_(count−1), to 500 bits. For Laplace noise they are 1 − q^(j+1), or 1 − 2q^(j+1)/(1+q) with
// half the weight at 0; for Gaussian noise they are sums of weights, each worked out from its definition, to 30 times
// σ.
func (l law) exact(count int) []*big.Float {
	exponent := func(j int64) *big.Rat {
		x := new(big.Rat).SetFrac(new(big.Int).SetUint64(l.n), new(big.Int).SetUint64(l.d))
		return x.Mul(x, new(big.Rat).SetInt64(j))
	}
	var all []*big.Float
	if !l.square {
		q := weight(exponent(1))
		above := truth(1) // 1 − F_(j−1)
		if l.half {
			above.Quo(truth(2), truth(0).Add(truth(1), q))
		}
		for range count {
			above.Mul(above, q)
			all = append(all, truth(0).Sub(truth(1), above))
		}
		return all
	}
	sum := truth(0)
	for j := int64(0); ; j++ {
		x := exponent(j * j)
		if x.Cmp(big.NewRat(450, 1)) > 0 {
			break
		}
		f := weight(x)
		if l.half && j == 0 {
			f.SetMantExp(f, -1)
		}
		sum.Add(sum, f)
		all = append(all, truth(0).Set(sum))
	}
	for _, f := range all {
		f.Quo(f, sum)
	}
	return all[:min(count, len(all))]
}

// laws are one of each kind: a small scale, w = 1 at its largest, and the narrowest and the widest w.
func laws() map[string]law {
	all := make(map[string]law)
	for _, scale := range []uint64{1, 127, 128, 1<<20 + 7, MaxScale - 1} {
		name := big.NewInt(int64(scale)).String()
		all["σ = "+name] = NewGaussian(scale).table.law
		all["t = "+name] = NewLaplace(scale).table.law
	}
	return all
}

// The bracket of each F_j is right, at the table's precision and at two that find uses, and the last leaves nothing
// above it: claim.md counts on both.
func TestBelowIsRight(t *testing.T) {
	for name, l := range laws() {
		for _, precision := range []uint{64, 128, 256} {
			below := l.below(precision)
			for j, f := range l.exact(len(below)) {
				f.SetMantExp(f, int(precision))
				c := truth(0).SetInt(below[j])
				c.Add(c, truth(2)).Sub(c, f)
				if c.Cmp(truth(2)) >= 0 || c.Cmp(truth(-2)) <= 0 {
					t.Fatalf("%s, %d bits: c_%d is off by %g", name, precision, j, c)
				}
			}
			last := new(big.Int).Add(below[len(below)-1], big.NewInt(4))
			if last.BitLen() <= int(precision) {
				t.Errorf("%s, %d bits: U may be above the last F", name, precision)
			}
		}
	}
}

// drawWith draws with U = u/2^(64·words), and only zeros after these bits.
func (t *table) drawWith(u *big.Int, words int) uint64 {
	b := u.FillBytes(make([]byte, 8*words))
	for i := 0; i < len(b); i += 8 {
		slices.Reverse(b[i : i+8])
	}
	random := script(b) // draw takes the first word again if 22 bits of it do not decide
	random.reader = repeat(0)
	const open = 1<<42 - 1
	return t.draw(binary.LittleEndian.Uint64(b)&^open, open, random)
}

// least is the definition: the least j with U < F_j.
func least(exact []*big.Float, u *big.Int, words int) uint64 {
	x := truth(0).SetInt(u)
	x.SetMantExp(x, -64*words)
	return uint64(sort.Search(len(exact), func(j int) bool { return x.Cmp(exact[j]) < 0 }))
}

// TestExpOfNothing: exp(−0) is 1, and the series ends.
func TestExpOfNothing(t *testing.T) {
	if got := arithmetic(64).expNegative(new(big.Float)); got.Cmp(big.NewFloat(1)) != 0 {
		t.Errorf("exp(−0) is %v", got)
	}
}

// At F_j cut after 64, 128 or 256 bits, and a few units of that place above and below, 22 bits do not decide, nor do
// the bits that the next try of the four begins with.
func TestDrawAtTheBoundaries(t *testing.T) {
	for name, l := range laws() {
		table := newTable(l)
		exact := l.exact(13_000)
		try := func(u *big.Int, words int) {
			if u.Sign() < 0 || u.BitLen() > 64*words {
				return
			}
			if got, want := table.drawWith(u, words), least(exact, u, words); got != want {
				t.Errorf("%s, U = %x·2^%d: %d, want %d", name, u, -64*words, got, want)
			}
		}
		at := func(j, words int) *big.Int {
			u, _ := truth(0).SetMantExp(exact[j], 64*words).Int(nil)
			return u
		}
		for j := 0; j < len(table.below) && table.below[j] < 1<<64-1<<10; j += 7 { // beyond, one F is close to the next
			for offset := int64(5); offset >= -5; offset -= 10 { // 64 bits decide
				u := at(j, 1)
				try(u.Add(u, big.NewInt(offset)), 1)
			}
		}
		for j, words := range map[int]int{0: 2, 1: 2, 40: 4} { // find decides at its first try, or its second
			for _, offset := range []int64{-3, 3} {
				u := at(min(j, len(table.below)-1), words)
				try(u.Add(u, big.NewInt(offset)), words)
			}
		}
		for i := range table.guide { // both ends of each part that the guide cuts
			u := new(big.Int).Lsh(big.NewInt(int64(i)), 64-guideBits)
			try(u, 1)
			try(u.Sub(u, big.NewInt(1)), 1)
		}
		ones := new(big.Int).Lsh(big.NewInt(1), 64)
		try(ones.Sub(ones, big.NewInt(1)), 1) // 64 ones, then zeros: the tail beyond the table
	}
}

// U from the bits of its words, or, with j, from those of F_j and an offset in the last place.
func FuzzDraw(f *testing.F) {
	tables, exact := make([]*table, 0), make([][]*big.Float, 0)
	for _, l := range []law{
		NewGaussian(1).table.law, NewGaussian(1 << 20).table.law, NewLaplace(2).table.law, NewLaplace(16).table.law,
		NewLaplace(127).table.law,
	} {
		tables, exact = append(tables, newTable(l)), append(exact, l.exact(13_000))
	}
	f.Add(uint8(0), uint64(0), uint64(0), uint16(0))
	f.Add(uint8(1), uint64(1<<63), uint64(1), uint16(0))
	f.Add(uint8(2), ^uint64(0), uint64(0), uint16(0))
	f.Add(uint8(3), uint64(0), uint64(0), uint16(100))
	f.Add(uint8(4), uint64(1), ^uint64(2), uint16(5))
	f.Fuzz(func(t *testing.T, which uint8, first, second uint64, j uint16) {
		i := int(which) % len(tables)
		u := new(big.Int).SetUint64(first)
		u.Lsh(u, 64).Or(u, new(big.Int).SetUint64(second))
		if j > 0 {
			f := exact[i][int(j)%len(exact[i])]
			u, _ = truth(0).SetMantExp(f, 128).Int(nil)
			u.Add(u, big.NewInt(int64(second)))
			if u.Sign() < 0 || u.BitLen() > 128 {
				return
			}
		}
		if got, want := tables[i].drawWith(u, 2), least(exact[i], u, 2); got != want {
			t.Fatalf("U = %x·2^-128: %d, want %d", u, got, want)
		}
	})
}
