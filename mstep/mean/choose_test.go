package mean

import (
	"slices"
	"testing"
)

// TestChoose: the most frequent words, and those to keep whatever their frequency; the most frequent first, equal ones
// in their order.
func TestChoose(t *testing.T) {
	frequencies := []float64{.1, .3, .05, .3, .2, .05}
	for _, c := range []struct {
		keep   []int
		number int
		want   []int
	}{
		{nil, 3, []int{1, 3, 4}},
		{nil, 1, []int{1}},
		{nil, 9, []int{1, 3, 4, 0, 2, 5}},
		{[]int{5, 2}, 3, []int{1, 2, 5}},
		{[]int{5, 2}, 1, []int{2, 5}},
		{[]int{1}, 2, []int{1, 3}},
	} {
		if got := choose(frequencies, c.keep, c.number); !slices.Equal(got, c.want) {
			t.Errorf("keep %v, %d words: got %v, want %v", c.keep, c.number, got, c.want)
		}
	}
}
