package denoise

import (
	"math"
	"slices"
)

// marginalPrior is the prior of a word's frequency around 1/V.
var marginalPrior = Mixture{Ratios: []float64{.03, .1, .3, .7, 1.5, 3, 7, 15}, Groups: 1, Steps: 50}

// Frequencies estimates the frequency of each word from noisy counts. The noise has standard deviation tau. All
// frequencies are positive, and their sum is 1.
func Frequencies(noisy []float64, tau float64) []float64 {
	frequencies, _ := FrequenciesOf(noisy, slices.Repeat([]float64{tau}, len(noisy)))
	return frequencies
}

// FrequenciesOf is Frequencies with its own noise deviation for each word. The deviations are all positive, or all 0.
// errors are the standard deviations of the true frequencies given the counts (ShrinkOwn).
func FrequenciesOf(noisy, deviations []float64) (frequency, errors []float64) {
	total, square := 0.0, 0.0
	for v, y := range noisy {
		total += y
		square += deviations[v] * deviations[v]
	}
	mean := max(total/float64(len(noisy)), math.Sqrt(square)/float64(len(noisy)), math.SmallestNonzeroFloat32)
	frequency, errors = make([]float64, len(noisy)), make([]float64, len(noisy))
	expected, tau := make([]float64, len(noisy)), 1.0
	for v, d := range deviations {
		if d == 0 {
			d, tau = 1, 0
		}
		frequency[v], expected[v] = noisy[v]/d, mean/d
	}
	marginalPrior.ShrinkOwn(frequency, errors, frequency, expected, tau)
	for v, d := range deviations {
		if errors[v] = math.Sqrt(errors[v]) * d; d > 0 {
			frequency[v] *= d
		}
	}
	total = 0
	for v, f := range frequency {
		frequency[v] = max(f, 1e-3*mean)
		total += frequency[v]
	}
	for v := range frequency {
		frequency[v] /= total
		errors[v] /= total
	}
	return frequency, errors
}
