package score

import (
	"math"
	"testing"
)

func nearly(a, b float64) bool { return math.Abs(a-b) < 1e-9 }

// TestDistance: by hand. Of (1, 0) and (½, ½) the middle is (¾, ¼): ½·log₂(4/3) + ½·(½·log₂(2/3) + ½·log₂ 2).
func TestDistance(t *testing.T) {
	for _, c := range []struct {
		p, q []float64
		want float64
	}{
		{[]float64{.2, .8}, []float64{.2, .8}, 0},
		{[]float64{1, 0, 0}, []float64{0, .5, .5}, 1},
		{[]float64{1, 0}, []float64{.5, .5}, math.Sqrt(math.Log2(4./3)/2 + (math.Log2(2./3)+1)/4)},
	} {
		if d, back := JensenShannon(c.p, c.q), JensenShannon(c.q, c.p); !nearly(d, c.want) || !nearly(back, c.want) {
			t.Errorf("distance of %v and %v is %v and %v, want %v", c.p, c.q, d, back, c.want)
		}
	}
}

// TestMap: where a plane holds all distances, the map keeps them.
func TestMap(t *testing.T) {
	for name, topics := range map[string][][]float64{
		"a triangle": {{1, 0, 0}, {0, 1, 0}, {.2, .2, .6}},
		"a line":     {{1, 0}, {0, 1}},
		"one":        {{.5, .5}},
		"equal":      {{.5, .5}, {.5, .5}, {.5, .5}},
	} {
		m := MapOf(topics)
		if !nearly(m.Kept, 1) {
			t.Errorf("%s: the plane keeps %v, want all", name, m.Kept)
		}
		for i := range topics {
			for j := range topics {
				if got, want := math.Hypot(m.X[i]-m.X[j], m.Y[i]-m.Y[j]),
					JensenShannon(topics[i], topics[j]); !(math.Abs(got-want) < 1e-7) {
					t.Errorf("%s: %d and %d are %v apart, want %v", name, i, j, got, want)
				}
			}
		}
	}
}

// TestMapKept: four topics that share no word are the corners of a tetrahedron. A plane shows two of the tetrahedron's
// three equal axes.
func TestMapKept(t *testing.T) {
	m := MapOf([][]float64{{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}, {0, 0, 0, 1}})
	if !nearly(m.Kept, 2./3) {
		t.Errorf("the plane keeps %v, want 2/3", m.Kept)
	}
	for _, axis := range [][]float64{m.X, m.Y} {
		largest := 0.0
		for _, x := range axis {
			if math.Abs(x) > math.Abs(largest)*(1+1e-9) {
				largest = x
			}
		}
		if !(largest > 0) {
			t.Errorf("the largest coordinate of %v is negative", axis)
		}
	}
}
