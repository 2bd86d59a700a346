package mixture

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// explainReference is Explain in one line a sum, in float64.
func explainReference(counts []float32, beta [][]float32, theta []float32) []float64 {
	p := make([]float64, len(counts))
	for i, c := range counts {
		sum := 0.0
		for k := range beta {
			sum += float64(theta[k]) * float64(beta[k][i])
		}
		p[i] = float64(c) / sum
	}
	return p
}

// shareReference is Share in one line a sum, in float64.
func shareReference(beta [][]float32, p []float32) []float64 {
	s := make([]float64, len(beta))
	for k := range beta {
		for i := range p {
			s[k] += float64(p[i]) * float64(beta[k][i])
		}
	}
	return s
}

// FuzzKernel compares the kernels of this machine and the plain ones with their twins, on sizes around their steps, some
// in rows that are followed by other numbers. The terms of a sum have one sign, so rounding loses at most a few units of
// float32's last place for each of n terms.
func FuzzKernel(f *testing.F) {
	for components := 1; components < 10; components++ {
		f.Add(uint64(components), uint8(components), uint8(3*components))
		f.Add(uint64(components), uint8(components), uint8(30+components))
	}
	f.Fuzz(func(t *testing.T, seed uint64, components, observations uint8) {
		random := rand.New(rand.NewPCG(seed, 1))
		n := Lanes * (1 + int(observations)%48)
		beta := make([][]float32, 1+int(components)%70)
		theta := make([]float32, len(beta))
		for k := range beta {
			theta[k] = random.Float32()
			beta[k] = slices.Repeat([]float32{float32(math.NaN())}, n+1)[:n] // whoever reads on will show it
			for i := range beta[k] {
				beta[k][i] = max(1e-18, float32(math.Exp(-40*random.Float64())))
			}
		}
		theta[random.IntN(len(theta))] = 1
		counts := make([]float32, n)
		for i := range counts {
			counts[i] = float32(1 + random.IntN(9))
		}
		for _, kernel := range []struct {
			explain func(p, counts []float32, beta [][]float32, theta []float32)
			share   func(s []float32, beta [][]float32, p []float32)
		}{{Explain, Share}, {plainExplain, plainShare}} {
			p, s := make([]float32, n+1)[:n], make([]float32, len(beta)+1)[:len(beta)]
			kernel.explain(p, counts, beta, theta)
			for i, want := range explainReference(counts, beta, theta) {
				near(t, "p", float64(p[i]), want)
			}
			kernel.share(s, beta, p)
			for k, want := range shareReference(beta, p) {
				near(t, "s", float64(s[k]), want)
			}
			if p[:n+1][n] != 0 || s[:len(s)+1][len(s)] != 0 {
				t.Error("a kernel writes after the end of its result")
			}
		}
	})
}

// near allows for rounding.
func near(t *testing.T, what string, got, want float64) {
	t.Helper()
	if !(math.Abs(got-want) <= 1e-5*want) {
		t.Errorf("%s is %v, want %v", what, got, want)
	}
}
