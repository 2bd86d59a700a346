package event

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestExchangedNorm: a charge states its grant's bound on a unit's norm, and never less. A charge that another
// grant may have made states no norm.
func TestExchangedNorm(t *testing.T) {
	for name, c := range map[string]struct {
		change      func(*Grant)
		norm        uint64
		nonNegative bool
		ok          bool
	}{
		"of any sign":   {func(*Grant) {}, 1 << 20, false, true},
		"none negative": {func(g *Grant) { g.NonNegative = true }, 1 << 20, true, true},
		"L1":            {func(g *Grant) { g.Clipping = ClipUnitL1 }, 1 << 20, false, true},
		"L1, none negative": {func(g *Grant) { g.Clipping, g.NonNegative = ClipUnitL1, true }, 1 << 20, true,
			true},
		"much noise": {func(g *Grant) { g.NoiseMultiplier = 1 << 25 }, 1 << 4, false, true},
		"much noise, non-neg.": {func(g *Grant) { g.NoiseMultiplier, g.NonNegative = 1<<25, true }, 1 << 4, true,
			true},
		"one step":              {func(g *Grant) { g.NoiseMultiplier, g.NonNegative = 1<<29, true }, 1, false, true},
		"by a proof, two clips": {func(g *Grant) { g.Clipping, g.Proved = ClipProved, 2 }, 1 << 20, false, true},
		"proved clip":           {func(g *Grant) { g.Clipping = ClipProved }, 1 << 20, false, true},
		"proved clip, non-neg.": {func(g *Grant) { g.Clipping, g.NonNegative = ClipProved, true }, 0, false, false},
		"by a proof, √2":        {func(g *Grant) { g.Clipping, g.Proved = ClipProved, math.Sqrt2 }, 0, false, false},
		"by a proof, one clip":  {func(g *Grant) { g.Clipping, g.Proved = ClipProved, 1 }, 0, false, false},
		"proved clip, much noise": {func(g *Grant) { g.Clipping, g.NoiseMultiplier = ClipProved, 1<<20 }, 0, false,
			false},
		"batch":     {func(g *Grant) { g.Clipping = ClipBatch }, 0, false, false},
		"unbounded": {func(g *Grant) { g.Clipping = ClipUnbounded }, 0, false, false},
	} {
		g := &Grant{Mechanism: Gaussian, Adjacency: ReplaceOne, NoiseMultiplier: 1.5}
		c.change(g)
		norm, nonNegative, ok := g.Charge(1, Scheme{}).ExchangedNorm()
		if ok != c.ok || ok && (norm != c.norm || nonNegative != c.nonNegative) {
			t.Errorf("%s: norm %d, non-negative %v, %v, want %d, %v, %v", name, norm, nonNegative, ok, c.norm,
				c.nonNegative, c.ok)
		}
	}
	random := rand.New(rand.NewPCG(3, 4))
	for range 10_000 {
		g := &Grant{Mechanism: Gaussian, Adjacency: ReplaceOne, NonNegative: random.IntN(2) == 0}
		g.NoiseMultiplier = math.Ldexp(1+random.Float64(), random.IntN(33)-3)
		g.Clipping = []string{"", ClipUnit, ClipUnitL1, ClipProved, ClipBatch}[random.IntN(5)]
		if g.Clipping == ClipProved && random.IntN(3) > 0 {
			g.Proved, g.NonNegative = 1+random.Float64(), false
		}
		bound, _ := g.Steps()
		clipped := g.Clipping != ClipProved && g.Clipping != ClipBatch
		norm, nonNegative, ok := g.Charge(1, Scheme{}).ExchangedNorm()
		if ok && (norm != bound || nonNegative && !g.NonNegative) || clipped && !ok || clipped && bound > 1 &&
			nonNegative != g.NonNegative {
			t.Fatalf("%+v: norm %d, non-negative %v, %v; the bound is %d", g, norm, nonNegative, ok, bound)
		}
	}
	for _, sensitivity := range []uint64{0, 1, 3<<19 + 1, 1482910, 1482912, 4 << 20, 1 << 62} { // no grant's
		if norm, _, ok := (&Charge{Mechanism: Gaussian, Sensitivity: sensitivity}).ExchangedNorm(); ok {
			t.Errorf("sensitivity %d: norm %d", sensitivity, norm)
		}
	}
}
