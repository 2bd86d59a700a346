package denoise

import (
	"math"
	"math/rand/v2"
	"testing"
)

// FuzzFrequencies: frequencies are positive with sum 1 whatever the counts.
func FuzzFrequencies(f *testing.F) {
	f.Add(uint64(1), uint16(1), 0.0, 0.0)
	f.Add(uint64(1), uint16(7), 1.0, 0.0)
	f.Add(uint64(2), uint16(300), 5.0, 2.0)
	f.Add(uint64(3), uint16(300), -5.0, 1e-3)
	f.Add(uint64(4), uint16(300), -1e9, 0.0)
	f.Add(uint64(5), uint16(40), 1e12, 1e3)
	f.Fuzz(func(t *testing.T, seed uint64, words uint16, mean, tau float64) {
		if words == 0 || words > 500 || !(math.Abs(mean) < 1e15) || !(tau >= 0 && tau < 1e9) || tau > 0 && tau < 1e-6 {
			t.Skip()
		}
		r := rand.New(rand.NewPCG(seed, 1))
		noisy := make([]float64, words)
		for v := range noisy {
			noisy[v] = mean*r.ExpFloat64() + tau*r.NormFloat64()
		}
		total := 0.0
		for v, p := range Frequencies(noisy, tau) {
			if !(p > 0) {
				t.Fatalf("frequency of word %d is %v", v, p)
			}
			total += p
		}
		near(t, "sum", total, 1, 1e-9)
	})
}

// TestFrequenciesOfCounts: without noise they are the relative counts, and a word that never occurs has a thousandth of
// the mean.
func TestFrequenciesOfCounts(t *testing.T) {
	const total = 5 + 3 + 2*2e-3
	for v, p := range Frequencies([]float64{5, 0, 3, 0}, 0) {
		near(t, "frequency", p, []float64{5, 2e-3, 3, 2e-3}[v]/total, 1e-12)
	}
}

// TestFrequenciesOfNoise: counts that are all noise say nothing about words, so none may stand out by much.
func TestFrequenciesOfNoise(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	noisy := make([]float64, 2000)
	for v := range noisy {
		noisy[v] = 100 * r.NormFloat64()
	}
	for v, p := range Frequencies(noisy, 100) {
		if p > 20.0/2000 {
			t.Errorf("word %d has frequency %v, %.0f times the mean, out of noise", v, p, p*2000)
		}
	}
}
