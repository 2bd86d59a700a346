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
