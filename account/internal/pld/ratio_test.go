package pld

import (
	"math"
	"math/big"
	"math/rand/v2"
	"sort"
	"testing"
)

// drawn is a ratio with random values and masses.
func drawn(random *rand.Rand, base float64, count int) *ratio {
	r := &ratio{base: base}
	for range count {
		r.value = append(r.value, math.Exp(2*random.NormFloat64())-base)
		r.mass = append(r.mass, random.ExpFloat64()/float64(count))
	}
	sort.Float64s(r.value)
	return r
}

// TestSums: each pair of values is in its cell once, with its probability, whichever of the values is the larger part.
func TestSums(t *testing.T) {
	random := rand.New(rand.NewPCG(41, 1))
	for range 50 {
		base := float64(random.IntN(2))
		x, y := drawn(random, base, 1+random.IntN(60)), drawn(random, base, 1+random.IntN(60))
		for _, c := range []struct {
			operation
			x, y *ratio
		}{{meanOf(3, 5), x, y}, {meanOf(1, 1000), x, y}, {meanOf(4, 4), x, x}, {times, x, y}, {times, y, y}} {
			if c.product && base == 0 {
				continue
			}
			values := []float64{-base}
			for _, loss := range lossEdges(0, 1, -7, 9, 0.1) {
				values = append(values, math.Exp(loss)-base)
			}
			values = append(values, 1e9)
			want := make([]cell, len(values)-1)
			for i, v := range c.x.value {
				for j, w := range c.y.value {
					v, p := c.of(v, w), c.x.mass[i]*c.y.mass[j]
					at := sort.SearchFloat64s(values, v) - 1
					want[at].mass += p
					want[at].moment += p * (v - values[at])
				}
			}
			got, _ := sums(c.operation, c.x, c.y, values)
			for i, w := range want {
				if g := got[i]; math.Abs(g.mass-w.mass) > 1e-12*w.mass ||
					math.Abs(g.moment-w.moment) > 1e-10*w.mass*(values[i+1]-values[i]) || g.mass > 0 && !(g.away >= 0) {
					t.Fatalf("%+v of %d and %d values: cell %d has %+v, want %+v", c.operation, len(c.x.value),
						len(c.y.value), i, g, w)
				}
			}
		}
	}
}

// TestTrimmed: trimming moves the tails to infinity and to 0 in an upper bound, so that both divergences
// grow. In a lower bound both fall.
func TestTrimmed(t *testing.T) {
	for _, base := range []float64{0, 1} {
		make := func() *ratio {
			r := &ratio{base: base, infinite: 1e-40}
			for _, x := range [][2]float64{ // R, and its probability
				{0.1, 1e-31}, {0.2, 4e-31}, {0.5, 0.5}, {1.5, 0.5}, {40, 1e-33}, {50, 1e-32},
			} {
				r.put(x[0]-base, x[1])
			}
			return r
		}
		// E(R − a)₊ of the values above 2, and E(1 − aR)₊ of the values below 1/3: the other values stay.
		removed := func(r *ratio, a float64) float64 {
			sum := r.infinite
			for i, v := range r.value {
				if v+base > 2 {
					sum += r.mass[i] * max(0, v+base-a)
				}
			}
			return sum
		}
		added := func(r *ratio, a float64) (sum float64) {
			for i, v := range r.value {
				if v+base < 1./3 {
					sum += r.mass[i] * max(0, 1-a*(v+base))
				}
			}
			return sum
		}
		above, below := make().trimmed(spread), make().trimmed(contracted)
		for _, a := range []float64{2, 4, 7, 30, 45, 1000} {
			r := make()
			if !(removed(above, a) >= removed(r, a) && removed(below, a) <= removed(r, a)) {
				t.Errorf("base %v, E(R − %v)₊: %g from %g to %g", base, a, removed(r, a), removed(below, a),
					removed(above, a))
			}
			if !(added(above, a) >= added(r, a) && added(below, a) <= added(r, a)) {
				t.Errorf("base %v, E(1 − %v·R)₊: %g from %g to %g", base, a, added(r, a), added(below, a),
					added(above, a))
			}
		}
		// Also the mean of the left tail, 9e-32, goes to infinity.
		tails := 40*1e-33 + 50*1e-32 + 0.1*1e-31 + 0.2*4e-31
		if !(above.infinite >= tails && above.infinite < 1.001*tails) || len(above.value) != 3 ||
			len(below.value) != 2 {
			t.Errorf("base %v: %+v and %+v", base, above, below)
		}
	}
}

// TestCombineCoversRounding: in an upper bound both E(R − a)₊ and E(a − R)₊ are at least their exact values, although
// cells are so narrow that rounding moves probability between their edges. The bound needs no help of steps, which
// covers the rounding of values a second time.
func TestCombineCoversRounding(t *testing.T) {
	random := rand.New(rand.NewPCG(41, 2))
	for _, c := range []struct{ x, y float64 }{{1, 1}, {0.3, 1.7}, {5, 0.01}, {1e-3, 1e-3}} {
		for _, scale := range []float64{1e-7, 1e-9, 1e-11} {
			near := func(center float64) *ratio {
				r := &ratio{apart: fineness}
				for range 15 {
					r.value = append(r.value, center*(1+scale*random.NormFloat64()))
					r.mass = append(r.mass, 1./15)
				}
				sort.Float64s(r.value)
				return r
			}
			x, y := near(c.x), near(c.y)
			o := meanOf(3, 5)
			r := combine(o, x, y, spread)
			// beyond returns E(R − a)₊ and E(a − R)₊.
			beyond := func(a float64, each func(add func(value *big.Float, mass float64))) [2]float64 {
				var sums [2]big.Float
				each(func(value *big.Float, mass float64) {
					over := new(big.Float).SetPrec(300).Sub(value, big.NewFloat(a))
					side := 0
					if over.Sign() < 0 {
						side = 1
						over.Neg(over)
					}
					sums[side].SetPrec(300).Add(&sums[side], over.Mul(over, big.NewFloat(mass)))
				})
				above, _ := sums[0].Float64()
				below, _ := sums[1].Float64()
				return [2]float64{above, below}
			}
			for _, a := range r.value {
				bound := beyond(a, func(add func(*big.Float, float64)) {
					for i, v := range r.value {
						add(big.NewFloat(v), r.mass[i])
					}
				})
				exact := beyond(a, func(add func(*big.Float, float64)) {
					for i, v := range x.value {
						for j, w := range y.value {
							first := new(big.Float).SetPrec(300).Mul(big.NewFloat(o.share), big.NewFloat(v))
							second := new(big.Float).SetPrec(300).Mul(big.NewFloat(o.rest), big.NewFloat(w))
							add(first.Add(first, second), x.mass[i]*y.mass[j])
						}
					}
				})
				for side := range exact {
					if exact[side] > bound[side]*(1+r.error) {
						t.Fatalf("%+v, scale %g: side %d of %v has %g, bound %g", c, scale, side, a, exact[side],
							bound[side])
					}
				}
			}
		}
	}
}
