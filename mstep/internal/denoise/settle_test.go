package denoise

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestSettle: the value at each rank is the same as after sorting. The values come in any order, and many are equal.
// Ranks are at the ends and beside each other. All values stay.
func TestSettle(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for name, value := range map[string]func(i, n int) float64{
		"random":     func(int, int) float64 { return r.NormFloat64() },
		"equal":      func(int, int) float64 { return 3 },
		"few":        func(int, int) float64 { return float64(r.IntN(4)) },
		"ascending":  func(i, _ int) float64 { return float64(i) },
		"descending": func(i, _ int) float64 { return -float64(i) },
		"organ pipe": func(i, n int) float64 { return float64(min(i, n-i)) },
		"infinite":   func(i, _ int) float64 { return []float64{math.Inf(1), math.Inf(-1), r.Float64()}[i%3] },
	} {
		for _, n := range []int{0, 1, 2, few, few + 1, 1000, 1 << 16} {
			for _, groups := range []int{1, 2, 8, 50} {
				values := make([]float64, n)
				for i := range values {
					values[i] = value(i, n)
				}
				sorted := slices.Sorted(slices.Values(values))
				var ranks []int
				for g := range groups {
					if n > 0 {
						ranks = append(ranks, g*n/groups)
					}
				}
				if n > 2 {
					ranks = slices.Compact(append(ranks, n-2, n-1))
				}
				slices.Sort(ranks)
				settle(values, ranks, 0)
				for _, rank := range ranks {
					if values[rank] != sorted[rank] {
						t.Fatalf("%s, %d values, %d ranks: %v at %d, want %v", name, n, len(ranks), values[rank], rank,
							sorted[rank])
					}
				}
				slices.Sort(values)
				if !slices.Equal(values, sorted) {
					t.Fatalf("%s, %d values: others than before", name, n)
				}
			}
		}
	}
}

// TestRanked: the values at the ranks are the same as after sorting, with first bits in common and without.
func TestRanked(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for name, value := range map[string]func() float64{
		"wide":    func() float64 { return math.Exp(300 * r.NormFloat64()) },
		"narrow":  func() float64 { return 1 + r.Float64()/1e3 },
		"heaps":   func() float64 { return math.Ldexp(1+r.Float64()/1e3, r.IntN(3)) },
		"few":     func() float64 { return float64(r.IntN(4)) },
		"extreme": func() float64 { return []float64{0, 5e-324, math.Inf(1), r.Float64()}[r.IntN(4)] },
	} {
		for _, n := range []int{1, 2, 1000, 1 << 16} {
			values := make([]float64, n)
			for i := range values {
				values[i] = value()
			}
			sorted := slices.Sorted(slices.Values(values))
			ranks := []int{0, n / 8, n / 8, n / 3, n / 2, n - 1}
			slices.Sort(ranks)
			for i, got := range ranked(values, ranks) {
				if got != sorted[ranks[i]] {
					t.Errorf("%s, %d values: %v at %d, want %v", name, n, got, ranks[i], sorted[ranks[i]])
				}
			}
		}
	}
}
