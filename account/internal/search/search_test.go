package search

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestLeastWhere: Least returns a number that it has tried, with a value of at most 1. The value need not be monotone
// near 1: bounds on grids are not. For a monotone value the number is the least, except for the tolerance of done.
func TestLeastWhere(t *testing.T) {
	random := rand.New(rand.NewPCG(11, 12))
	for range 2000 {
		root, slope := math.Exp(10*random.Float64()-5), -3*random.Float64()
		ripple, step := 0.0, random.IntN(3) == 0
		if random.IntN(2) == 0 {
			ripple = 1e-3 * random.Float64()
		}
		asked := make(map[float64]float64)
		value := func(x float64) (float64, error) {
			v := math.Pow(x/root, slope) * (1 + ripple*math.Sin(1e5*x))
			switch { // as where ε is 0 from some noise on, or infinite up to it
			case step && x > root:
				v = 0
			case step && x < root/2:
				v = math.Inf(1)
			}
			asked[x] = v
			return v, nil
		}
		low, high := root*math.Exp(-4*random.Float64()), root*math.Exp(4*random.Float64())
		if v, _ := value(high); v > 1 {
			continue
		}
		x, err := Least(low, high, Within(1e-6), value)
		v, known := asked[x]
		if err != nil || !known || v > 1 || len(asked) > 120 {
			t.Fatalf("root %v of slope %v in [%v, %v]: %v, of value %v, after %d (%v)", root, slope, low, high, x, v,
				len(asked), err)
		}
		if ripple == 0 && slope < -0.01 && !(x >= root*(1-1e-12) && x <= root*(1+2e-6)) {
			t.Errorf("root %v of slope %v in [%v, %v]: %v", root, slope, low, high, x)
		}
	}
}
