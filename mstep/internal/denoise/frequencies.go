package denoise

import "math"

// marginalPrior is the prior of a word's frequency around 1/V.
var marginalPrior = Mixture{Ratios: []float64{.03, .1, .3, .7, 1.5, 3, 7, 15}, Groups: 1, Steps: 50}

// Frequencies estimates the frequency of each word from noisy counts. The noise has standard deviation tau. All frequencies are
// positive, and their sum is 1.
func Frequencies(noisy []float64, tau float64) []float64 {
	total := 0.0
	for _, y := range noisy {
		total += y
	}
	mean := max(total/float64(len(noisy)), tau/math.Sqrt(float64(len(noisy))), math.SmallestNonzeroFloat32)
	expected := make([]float64, len(noisy))
	for v := range expected {
		expected[v] = mean
	}
	frequency := make([]float64, len(noisy))
	marginalPrior.Shrink(frequency, noisy, expected, tau)
	total = 0
	for v, f := range frequency {
		frequency[v] = max(f, 1e-3*mean)
		total += frequency[v]
	}
	for v := range frequency {
		frequency[v] /= total
	}
	return frequency
}
