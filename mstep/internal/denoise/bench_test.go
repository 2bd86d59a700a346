package denoise

import (
	"math"
	"math/rand/v2"
	"testing"
)

func BenchmarkShrink(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 2))
	n := 50 * 7702
	noisy, expected, out := make([]float64, n), make([]float64, n), make([]float64, n)
	for i := range noisy {
		expected[i] = math.Exp(3*r.NormFloat64()) * 0.3
		noisy[i] = expected[i]*r.ExpFloat64()*math.Exp(r.NormFloat64()) + 7*r.NormFloat64()
	}
	m := Mixture{Ratios: []float64{.01, .05, .2, .6, 1.5, 4, 10, 22, 45}, Groups: 8, Steps: 2}
	for b.Loop() {
		m.Shrink(out, noisy, expected, 7)
	}
}
