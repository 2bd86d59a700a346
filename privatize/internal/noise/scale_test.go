package noise

import (
	"math/big"
	"math/bits"
	"testing"
)

// TestScale: both factors of P[x] follow the scale that was asked for, at every size of scale. The table's factor is
// exp(−n/d)^(j²) or exp(−n/d)^j. TestBelowIsRight checks each of its entries. The acceptance takes the scale itself,
// and TestNextAsksWheneverItCouldReject checks its digits. Nothing is drawn, so a scale that is off by one is seen.
func TestScale(t *testing.T) {
	for size := range bits.Len64(MaxScale) {
		for _, scale := range []uint64{1 << size, 1<<size + 1<<size/3, 2<<size - 1} {
			if scale > MaxScale {
				continue
			}
			g, l := NewGaussian(scale), NewLaplace(scale)
			if g.scale != scale || l.scale != scale {
				t.Errorf("scale %d: accepts by %d and %d", scale, g.scale, l.scale)
			}
			// exp(−(wj)²/(2σ²)) and exp(−wj/t)
			w, s := new(big.Int).Lsh(big.NewInt(1), uint(g.shift)), new(big.Int).SetUint64(scale)
			square := new(big.Int).Mul(s, s)
			sameRatio(t, scale, g.table.law, new(big.Int).Mul(w, w), square.Lsh(square, 1))
			sameRatio(t, scale, l.table.law, new(big.Int).Lsh(big.NewInt(1), uint(l.shift)), s)
			if !g.table.law.square || l.table.law.square {
				t.Errorf("scale %d: the law of the other noise", scale)
			}
			for _, s := range []Sampler{g, l} {
				if p, twin := proposerOf(s), proposerOf(s.Twin()); twin.table != p.table || twin.shift != p.shift {
					t.Errorf("scale %d: a Twin has another table", scale)
				}
			}
			if g.Twin().(*Gaussian).scale != scale || l.Twin().(*Laplace).scale != scale {
				t.Errorf("scale %d: a Twin has another scale", scale)
			}
		}
	}
}

// sameRatio compares the exponent n/d of a law with what it must be.
func sameRatio(t *testing.T, scale uint64, l law, n, d *big.Int) {
	t.Helper()
	got := new(big.Rat).SetFrac(new(big.Int).SetUint64(l.n), new(big.Int).SetUint64(l.d))
	if want := new(big.Rat).SetFrac(n, d); got.Cmp(want) != 0 {
		t.Errorf("scale %d: the table is of the exponent %v, want %v", scale, got, want)
	}
}
