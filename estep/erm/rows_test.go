package erm

import (
	"math"
	"strings"
	"testing"
)

// TestNorm: a row is divided by R, or by its norm where that is larger, and times −1 in the negative class.
func TestNorm(t *testing.T) {
	for _, c := range []struct {
		norm     float64
		x        []float32
		positive bool
		want     []float64
	}{
		{5, []float32{3, 4}, true, []float64{.6, .8}},
		{10, []float32{3, 4}, true, []float64{.3, .4}},
		{10, []float32{3, 4}, false, []float64{-.3, -.4}},
		{2.5, []float32{3, 4}, false, []float64{-.6, -.8}},
		{1, []float32{math.MaxFloat32, 0}, true, []float64{1}},
	} {
		r := rows{norm: c.norm, features: len(c.x)}
		if err := r.add(document(1, c.positive, c.x...), c.positive); err != nil {
			t.Fatal(err)
		}
		for i, want := range c.want {
			if math.Abs(r.x[i]-want) > 1e-15 {
				t.Errorf("%+v: %v", c, r.x)
			}
		}
	}
}

// TestFeature: a feature that --vocab lacks is refused, and not named.
func TestFeature(t *testing.T) {
	r := rows{norm: 1, features: 2}
	if err := r.add(document(1, true, 1, 1), true); err != nil {
		t.Fatal(err)
	}
	if err := r.add(document(2, true, 1, 0, 1), true); err == nil || strings.Contains(err.Error(), "MARKER") {
		t.Errorf("a third feature of two: %v", err)
	}
}
