package dpvi

import (
	"math"
	"slices"
	"testing"
)

// TestAdagrad: two steps by hand. The first has the length of the rate, the second is 4/√(3²+4²) of it.
func TestAdagrad(t *testing.T) {
	o, x := newOptimiser(0.5, 2), []float64{1, 7}
	o.Step(x, []float64{-3, 0})
	if !slices.Equal(x, []float64{0.5, 7}) || !slices.Equal(o.Squares, []float64{9, 0}) {
		t.Fatalf("after a step: %v, %v", x, o.Squares)
	}
	o.Step(x, []float64{4, 1e-200}) // the square of the second is 0
	if math.Abs(x[0]-0.9) > 1e-15 || x[1] != 7 || !slices.Equal(o.Squares, []float64{25, 0}) {
		t.Errorf("after two steps: %v, %v", x, o.Squares)
	}
}
