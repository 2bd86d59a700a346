package renyi

import (
	"math"
	"testing"
)

// exactStray is what StrayWord bounds, by sums of the discrete Gaussian's probabilities.
func exactStray(bound, scale, threshold, words int) float64 {
	sigma := float64(scale)
	normalizer, reach := 0.0, 12*scale+1
	for x := -reach; x <= reach; x++ {
		normalizer += math.Exp(-float64(x*x) / (2 * sigma * sigma))
	}
	most := 0.0
	for t := 1; t <= words; t++ {
		tail := 0.0
		for x := threshold - int(float64(bound)/math.Sqrt(float64(t))); x <= threshold+reach; x++ {
			tail += math.Exp(-float64(x*x)/(2*sigma*sigma)) / normalizer
		}
		most = max(most, -math.Expm1(float64(t)*math.Log1p(-tail)))
	}
	return most
}

// TestStrayWord compares with sums for each number of words: never below, and close. The bound's one step less at 6σ is
// worth a factor exp(6/σ), the blocks up to 5 %.
func TestStrayWord(t *testing.T) {
	for _, bound := range []int{1, 100, 4000} {
		for _, scale := range []int{40, 200} {
			for _, words := range []int{1, 7, 300} {
				for _, sigmas := range []float64{0, 1, 3, 6} {
					threshold := bound + int(sigmas*float64(scale)) + 2
					got := StrayWord(uint64(bound), uint64(scale), uint64(threshold), words)
					want := exactStray(bound, scale, threshold, words)
					if !(got >= want && got <= want*1.05*math.Exp(8/float64(scale)) || got == 1) {
						t.Errorf("bound %d, σ %d, threshold %d, %d words: %v, want %v", bound, scale, threshold, words,
							got, want)
					}
				}
			}
		}
	}
}

// TestStrayWordEnds: a threshold within the weight, and tails beyond float64.
func TestStrayWordEnds(t *testing.T) {
	if got := StrayWord(100, 10, 100, 5); got != 1 {
		t.Errorf("a word of the threshold's weight is selected with %v", got)
	}
	if got := StrayWord(1<<20, 1<<20, 1<<40, 1<<20); !(got > 0 && got < 1e-290) {
		t.Errorf("the farthest tail is %v, want little but not 0", got)
	}
	if got := StrayWord(1<<20, 1, math.MaxUint64, 1<<20); !(got > 0 && got < 1e-290) {
		t.Errorf("the farthest tail is %v", got)
	}
}

// TestNormalTail: values of Φ(−z) from Abramowitz and Stegun, Handbook of Mathematical Functions, table 26.2.
func TestNormalTail(t *testing.T) {
	for z, logTail := range map[float64]float64{5: -6.54265, 10: -23.11805, 20: -88.56010} { // to base 10
		got := math.Log10(normalTail(z))
		if math.Abs(got-logTail) > 1e-5 {
			t.Errorf("tail beyond %v is 10^%v, want 10^%v", z, got, logTail)
		}
	}
	for z := 0.0; z < 40; z += 0.01 {
		if got := normalTail(z); got < math.Erfc(z/math.Sqrt2)/2 || got > 1 {
			t.Errorf("tail beyond %v is %v, below the truth", z, got)
		}
	}
}
