package pld

import (
	"math"
	"math/rand/v2"
	"testing"
)

// randomPair is any pair of a list.
func randomPair(random *rand.Rand) (*Pair, error) {
	rate := math.Exp(-12 * random.Float64())
	if random.IntN(3) == 0 {
		rate = 1 - math.Exp(-36*random.Float64()) // next to 1
	}
	noise := math.Exp(6*random.Float64() - 2)
	switch random.IntN(6) {
	case 0:
		return Gaussian(rate, noise)
	case 1:
		return Laplace(rate, noise)
	case 2:
		return GaussianReplace(rate, noise)
	case 3:
		return GaussianReplaceOrthogonal(rate, noise)
	case 4:
		return GaussianWithoutReplacement(rate, noise)
	}
	return Pure(noise)
}

// TestNoMassIsLost: on any grid the lattices of a pair have all of its probability, in both directions.
func TestNoMassIsLost(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 400 {
		p, err := randomPair(random)
		if err != nil {
			t.Fatal(err)
		}
		from, to := p.span(-40)
		forward, backward := discretize(p, (to-from)/(20+200*random.Float64()), -40)
		for _, l := range []*lattice{forward, backward} {
			sum := l.infinite
			for _, m := range l.mass {
				sum += math.Exp(m)
			}
			if most := 2*l.error + 1e-12; !(sum >= 1-most && sum <= 1+most) || l.infinite > p.infinite+1e-15 {
				t.Errorf("%s: mass %v, of which %v is infinite, error %v", p.id, sum, l.infinite, l.error)
			}
		}
	}
}

// TestRatesNextToOne: a unit that is nearly sure to take part loses nearly as much as one that is.
func TestRatesNextToOne(t *testing.T) {
	for _, c := range []struct {
		build      func(rate, noise float64) (*Pair, error)
		rate       float64
		noise, eps float64
		low, high  float64
	}{
		{GaussianReplaceOrthogonal, 1 - 0x1p-53, 0.10065, 5.668, 0.999997, 1},
		{Gaussian, 1 - 0x1p-51, 0.104, 2.69, 0.999, 1},
	} {
		d, err := New([]Event{{pair(c.build(c.rate, c.noise)), 1}}, Options{})
		if err != nil {
			t.Fatal(err)
		}
		upper, lower, err := d.Delta(c.eps)
		if !(upper >= c.low && upper <= c.high && lower <= c.high) || err != nil {
			t.Errorf("rate 1−%v: δ(%v) from %v to %v (%v)", 1-c.rate, c.eps, lower, upper, err)
		}
	}
}
