package pld

import (
	"math"
	"testing"
)

// discreteDelta is max(P(S) − e^ε·Q(S)) of one release of an integer with noise, by its sum.
func discreteDelta(weight func(k float64) float64, sensitivity int, epsilon float64) (delta float64) {
	const far = 3000
	total := 0.0
	for k := -far; k <= far; k++ {
		total += weight(float64(k))
	}
	for k := -far; k <= far; k++ {
		p, q := weight(float64(k-sensitivity)), weight(float64(k))
		delta += math.Max(0, p-math.Exp(epsilon)*q)
	}
	return delta / total
}

// TestDiscrete compares single releases with their sums.
func TestDiscrete(t *testing.T) {
	for _, sensitivity := range []int{1, 2, 5} {
		for _, sigma := range []float64{0.3, 1, 7.5, 100} {
			gaussian := func(k float64) float64 { return math.Exp(-k * k / (2 * sigma * sigma)) }
			laplace := func(k float64) float64 { return math.Exp(-math.Abs(k) / sigma) }
			laplacePair, laplaceErr := DiscreteLaplace(sigma, sensitivity)
			gaussianPair, gaussianErr := DiscreteGaussian(sigma*sigma, sensitivity)
			for _, x := range []struct {
				name   string
				pair   *Pair
				err    error
				weight func(float64) float64
			}{{"laplace", laplacePair, laplaceErr, laplace}, {"gaussian", gaussianPair, gaussianErr, gaussian}} {
				if x.err != nil {
					t.Fatal(x.err)
				}
				for _, epsilon := range []float64{0, 0.01, 0.3, 2} {
					want := discreteDelta(x.weight, sensitivity, epsilon)
					upper, lower, err := distribution(t, Event{x.pair, 1}).Delta(epsilon)
					close := upper <= want*1.001+1e-13
					if err != nil || !(upper >= want*(1-1e-9)-1e-15 && close && lower <= want*(1+1e-9)+1e-15) {
						t.Errorf("%s %v, %d, ε %v: δ from %v to %v, want %v (%v)",
							x.name, sigma, sensitivity, epsilon, lower, upper, want, err)
					}
				}
			}
		}
	}
}

// TestDiscreteRefusals: parameters out of range.
func TestDiscreteRefusals(t *testing.T) {
	for _, x := range []struct {
		parameter   float64
		sensitivity int
	}{{0, 1}, {math.NaN(), 1}, {1, 0}, {1, -1}, {1, 1000}, {1e9, 1}} {
		if _, err := DiscreteGaussian(x.parameter, x.sensitivity); err == nil {
			t.Errorf("DiscreteGaussian(%v, %d): no error", x.parameter, x.sensitivity)
		}
		if _, err := DiscreteLaplace(x.parameter, x.sensitivity); err == nil {
			t.Errorf("DiscreteLaplace(%v, %d): no error", x.parameter, x.sensitivity)
		}
	}
}

// TestResponse compares randomized response over buckets with the convolution of its three points, with 60 digits
// (mpmath): ε at δ, and δ at half of that ε. For the first list dp_accounting 0.6.0 has 71.479, on a grid of 1e-4.
func TestResponse(t *testing.T) {
	for _, c := range []struct {
		noise           float64
		buckets, rounds int
		delta           float64
		epsilon, atHalf float64
	}{
		{0.95, 1000, 100, 1e-6, 71.47813809201996706733121, 0.033009038990835851621},
		{0.95, 1000, 1, 1e-6, 3.982118426778293689080222, 0.0439928777501038964},
		{0.5, 2, 10, 1e-6, 10.98610512879679280717544, 0.42455381460379304915},
		{0.5, 3, 20, 1e-5, 27.69206921830007648234895, 0.42460377352202473688},
		{0.9, 10, 50, 1e-9, 20.02311878143893810602422, 0.0059688834599338997359},
		{0.99, 100000, 200, 1e-6, 80.66753467648508694508686, 0.012452297442140096166},
		{0.01, 4, 3, 1e-3, 17.95078547683524232008977, 0.99157943972645878643},
		{0.999999, 2, 100, 1e-8, 0.00005816483623171189057612274, 6.4886924010077350707e-7},
		{0.75, math.MaxInt32, 7, 1e-6, 142.7061324655162180627231, 0.070554502804418964268},
		{0.3, 5, 1, 0.05, 2.470920407813260470033967, 0.55360232559449707964},
	} {
		d := distribution(t, Event{pair(Response(c.noise, c.buckets)), c.rounds})
		upper, lower, err := d.Epsilon(c.delta)
		if !(lower <= c.epsilon*(1+1e-13) && upper >= c.epsilon*(1-1e-13) && upper-lower <= 1e-3*upper) || err != nil {
			t.Errorf("%+v: ε from %v to %v (%v)", c, lower, upper, err)
		}
		upper, lower, err = d.Delta(c.epsilon / 2)
		if !(lower <= c.atHalf*(1+1e-9) && upper >= c.atHalf*(1-1e-9) && upper <= c.atHalf*1.001) || err != nil {
			t.Errorf("%+v: δ(%v) from %v to %v (%v)", c, c.epsilon/2, lower, upper, err)
		}
	}
	for _, c := range []struct {
		noise   float64
		buckets int
	}{{0, 2}, {1, 2}, {0.5, 1}, {math.NaN(), 2}, {1e-310, 1000}, {0.5, math.MaxInt32 + 1}} {
		if _, err := Response(c.noise, c.buckets); err == nil {
			t.Errorf("noise %v, %d buckets: no error", c.noise, c.buckets)
		}
	}
	// Two buckets are a bit that is reported wrong with half of the noise.
	a := distribution(t, Event{pair(Response(0.3, 2)), 5})
	b := distribution(t, Event{pair(bit(0.15)), 5})
	one, _, _ := a.Epsilon(1e-4)
	other, _, _ := b.Epsilon(1e-4)
	if math.Abs(one/other-1) > 1e-9 {
		t.Errorf("ε %v of two buckets, %v of a bit", one, other)
	}
}
