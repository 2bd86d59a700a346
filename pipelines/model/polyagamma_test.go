package model

import (
	"math"
	"testing"
)

// TestMean: values from an integral of sech², tanh(z) = ∫₀^z sech², by Simpson's rule, and values by hand.
func TestMean(t *testing.T) {
	simpson := func(z float64) float64 {
		const n = 2000
		sech2 := func(x float64) float64 { return 1 / (math.Cosh(x) * math.Cosh(x)) }
		sum := sech2(0) + sech2(z)
		for i := 1; i < n; i++ {
			sum += float64(2+2*(i%2)) * sech2(z*float64(i)/n)
		}
		return sum * z / (3 * n)
	}
	for _, b := range []float64{0.5, 1, 7} {
		for _, c := range []float64{1e-6, 1.9e-3, 2.1e-3, 0.1, 1, 3, 12} {
			want := b / (2 * c) * simpson(c/2)
			for _, sign := range []float64{1, -1} {
				if got := PolyaGamma(b, sign*c); math.Abs(got-want) > 1e-12*want {
					t.Errorf("mean of PG(%v, %v) is %v, want %v", b, sign*c, got, want)
				}
			}
		}
	}
	for _, c := range []struct{ b, c, want float64 }{
		{1, 0, 0.25}, {6, 0, 1.5}, {0, 2, 0}, {1, 1e300, 0.5e-300}, {1, math.Inf(1), 0},
		{1, 2 * math.Log(3), 0.8 / (4 * math.Log(3))}, // tanh(log 3) = (9 − 1)/(9 + 1)
	} {
		if got := PolyaGamma(c.b, c.c); math.Abs(got-c.want) > 1e-14*c.want {
			t.Errorf("mean of PG(%v, %v) is %v, want %v", c.b, c.c, got, c.want)
		}
	}
}

// TestMeanFalls: the mean is at most b/4 and falls with |c|, also where the series ends. Privacy rests on the bound.
func TestMeanFalls(t *testing.T) {
	last := 0.25
	for c := 1e-9; c < 1e9; c *= 1.0003 {
		got := PolyaGamma(1, c)
		if got > last || got < 0 {
			t.Fatalf("mean of PG(1, %v) is %v, above %v or negative", c, got, last)
		}
		last = got
	}
}
