package erm

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestPerturb has Algorithm 2's numbers by hand: with part = c/(nΛ), ε′ is ε − log(1 + 2·part + part²).
func TestPerturb(t *testing.T) {
	for _, c := range []struct {
		epsilon, lambda float64
		n               int
		more, rest      float64
	}{
		{1, .25, 10, 0, 1 - math.Log(1.21)},                                  // part is 1/10
		{math.Log(4), .025, 10, .25/(10*(math.Sqrt2-1)) - .025, math.Log(2)}, // part is 1, so ε′ would be 0
		{.5, 1e-5, 32561, .25/(32561*(math.Exp(.125)-1)) - 1e-5, .25},
		{2, 1e-5, 32561, 0, 2 - math.Log(1+2*.25/.32561+.25*.25/(.32561*.32561))},
		{512, 1e-12, 1, 0, 512 - 2*math.Log(.25e12)},
	} {
		p := perturb(c.epsilon, c.lambda, c.n)
		if math.Abs(p.more-c.more) > 1e-12 || math.Abs(2*p.rate-c.rest) > 1e-6 || p.more < 0 {
			t.Errorf("ε %v, Λ %v, n %d: Δ %v and ε′ %v, want %v and %v", c.epsilon, c.lambda, c.n, p.more, 2*p.rate,
				c.more, c.rest)
		}
	}
}

// ksLimit is above sup |F_n − F| but with probability 10⁻⁶ (Massart 1990), for a fresh stream of coins; the tests use
// fixed streams.
func ksLimit(draws int) float64 { return math.Sqrt((6*math.Ln10 + math.Ln2) / float64(2*draws)) }

// farthest is sup |F_n − F|.
func farthest(x []float64, below func(float64) float64) (far float64) {
	slices.Sort(x)
	for i, v := range x {
		far = max(far, below(v)-float64(i)/float64(len(x)), float64(i+1)/float64(len(x))-below(v))
	}
	return far
}

// TestNormOfB: |b| has the distribution Gamma(d, 1/rate), whose tail is a Poisson sum for whole d.
func TestNormOfB(t *testing.T) {
	const draws = 20_000
	coins := rand.New(rand.NewChaCha8([32]byte{1}))
	for _, d := range []int{1, 2, 7, 106} {
		p := perturb(1, 1e-3, 1000)
		erlang := func(x float64) float64 {
			term, tail := math.Exp(-x*p.rate), 0.0
			for k := range d {
				tail += term
				term *= x * p.rate / float64(k+1)
			}
			return 1 - tail
		}
		norms := make([]float64, draws)
		for i := range norms {
			norms[i] = norm(p.draw(d, coins))
		}
		if far := farthest(norms, erlang); far > ksLimit(draws) {
			t.Errorf("%d features: the norms are %v from their distribution, at most %v", d, far, ksLimit(draws))
		}
	}
}

// TestDirectionOfB: on the sphere of 3 dimensions each coordinate is uniform on [−1, 1] (Archimedes), also along other
// axes; in the plane the angle is uniform. The direction does not depend on the norm.
func TestDirectionOfB(t *testing.T) {
	const draws = 20_000
	coins := rand.New(rand.NewChaCha8([32]byte{2}))
	p := perturbation{rate: 3}
	along := make([][]float64, 5)
	var angles []float64
	for i := range draws {
		b := p.draw(3, coins)
		for j, axis := range [][]float64{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {.6, -.8, 0}, {2. / 3, 1. / 3, -2. / 3}} {
			if j < 3 || (norm(b) > 1) == (i%2 == 0) { // some half of the draws, chosen by their norms
				along[j] = append(along[j], inner(b, axis)/norm(b))
			}
		}
		b = p.draw(2, coins)
		angles = append(angles, math.Atan2(b[1], b[0]))
	}
	for j, x := range along {
		if far := farthest(x, func(v float64) float64 { return (v + 1) / 2 }); far > ksLimit(len(x)) {
			t.Errorf("axis %d: %v from uniform, at most %v", j, far, ksLimit(len(x)))
		}
	}
	if far := farthest(angles, func(v float64) float64 { return (v + math.Pi) / (2 * math.Pi) }); far > ksLimit(draws) {
		t.Errorf("angles are %v from uniform, at most %v", far, ksLimit(draws))
	}
}

// TestUniform: the least and the largest number.
func TestUniform(t *testing.T) {
	for bits, want := range map[uint64]float64{0: 0x1p-53, math.MaxUint64: 1} {
		if got := uniform(rand.New(fixed(bits))); got != want {
			t.Errorf("of the bits %x it is %v, want %v", bits, got, want)
		}
	}
}

// fixed is a source of one number.
type fixed uint64

func (f fixed) Uint64() uint64 { return uint64(f) }
