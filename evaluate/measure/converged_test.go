package measure

import (
	"math"
	"testing"
)

// TestConverged: the rule wants --for small changes on end, and holds from the first of them.
func TestConverged(t *testing.T) {
	for _, c := range []struct {
		most float64
		more int
		want int
	}{{2, 0, 2}, {2, 1, 2}, {2, 2, -1}, {1, 0, 3}, {1, 1, -1}, {9, 3, 2}, {9, 4, -1}, {50, 4, 1}, {0, 0, -1}} {
		if got := converged([]float64{100, 50, 48, 49, 40, 39}, c.most, c.more); got != c.want {
			t.Errorf("changes of at most %v, %d more: index %d, want %d", c.most, c.more, got, c.want)
		}
	}
	if got := converged([]float64{math.NaN(), math.NaN()}, 1, 0); got >= 0 {
		t.Errorf("no numbers converge at %d", got)
	}
}
