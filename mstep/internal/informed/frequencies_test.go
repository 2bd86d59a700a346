package informed

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestFrequencies: the error of an estimate is about as large as it says, and neither depends on the unit of the
// counts.
func TestFrequencies(t *testing.T) {
	const words, total, noise = 600, 20000.0, 20.0
	text, base, _ := made(words)
	r := rand.New(rand.NewPCG(21, 22))
	counts, deviations := make([]float64, words), make([]float64, words)
	truth, size := make([]float64, words), 0.0
	for v, f := range base {
		truth[v] = f * math.Exp(float64(text.Topics[1][v]))
		size += truth[v]
	}
	for v := range truth {
		truth[v] /= size
		deviations[v] = noise * (0.5 + r.Float64())
		counts[v] = total*truth[v] + deviations[v]*r.NormFloat64()
	}
	frequencies, errors := NewFrequencies(text, counts, deviations).Estimate(counts, deviations, true)
	square, expected := 0.0, 0.0
	for v, f := range frequencies {
		square += (f - truth[v]) * (f - truth[v])
		expected += errors[v] * errors[v]
	}
	t.Logf("squared errors are %.2f of what the estimate says", square/expected)
	if ratio := square / expected; ratio < 0.5 || ratio > 2 {
		t.Errorf("squared errors are %.2f of what the estimate says", ratio)
	}
	for v := range counts {
		counts[v], deviations[v] = 7*counts[v], 7*deviations[v]
	}
	again, errorsAgain := NewFrequencies(text, counts, deviations).Estimate(counts, deviations, true)
	for v := range again {
		if math.Abs(again[v]-frequencies[v]) > 1e-3*frequencies[v]+1e-9 ||
			math.Abs(errorsAgain[v]-errors[v]) > 1e-2*errors[v]+1e-9 {
			t.Fatalf("word %d has frequency %v ± %v in one unit, and %v ± %v in another",
				v, frequencies[v], errors[v], again[v], errorsAgain[v])
		}
	}
}

// TestGuess: an estimate before the last one expects the guess that the first counts spoke for. If the text is like no
// public topic, the guess is no public topic.
func TestGuess(t *testing.T) {
	const words, noise = 600, 20.0
	text, _, _ := made(words)
	r := rand.New(rand.NewPCG(31, 32))
	guesses := make(map[bool]int)
	for _, like := range []bool{false, true} {
		counts, deviations := make([]float64, words), make([]float64, words)
		for v := range counts {
			truth := 20000.0 / words
			if like {
				truth = 20000 * text.Frequencies[v] * math.Exp(float64(text.Topics[1][v])) / 1.6
			}
			deviations[v] = noise
			counts[v] = truth + noise*r.NormFloat64()
		}
		guesses[like] = NewFrequencies(text, counts, deviations).rows.guess
	}
	if guesses[false] != 3 || guesses[true] > 1 {
		t.Errorf("equal words expect guess %d, and those of a public topic %d", guesses[false], guesses[true])
	}
}
