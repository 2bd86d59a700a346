package chart

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"testing"
)

// TestNamesBeside: the names of curves that end at one place stand below each other, in the order of the curves' ends,
// within the panel, and there is no legend.
func TestNamesBeside(t *testing.T) {
	for _, end := range []float64{0, 0.5, 1} {
		panel := Panel{Title: "t", X: Axis{Label: "x", Max: 1}, Y: Axis{Label: "y", Max: 1}, Direct: true}
		for i := range 6 {
			// Each ends a little above the one before.
			points := []Point{{0, 0.5}, {1, end + float64(i)*1e-6}}
			panel.Curves = append(panel.Curves,
				Curve{Name: fmt.Sprint("curve ", i), Kind: Marked, Color: Color(i), Points: points})
		}
		document := drawn(t, &Figure{Title: "f", Panels: []Panel{panel}})
		var heights []float64
		for i := range 6 {
			all := regexp.MustCompile(fmt.Sprintf(`y="([-\d.]+)"[^>]*>curve %d<`, i)).
				FindAllStringSubmatch(document, -1)
			if len(all) != 1 {
				t.Fatalf("the name of curve %d stands there %d times", i, len(all))
			}
			var y float64
			fmt.Sscan(all[0][1], &y)
			heights = append(heights, math.Abs(y))
		}
		if !slices.IsSorted(heights) &&
			!slices.IsSortedFunc(heights, func(a, b float64) int { return int(math.Copysign(1, b-a)) }) {
			t.Errorf("ends at %v: names at %v are not in order", end, heights)
		}
		for i := 1; i < len(heights); i++ {
			if math.Abs(heights[i]-heights[i-1]) < lineHeight-0.01 {
				t.Errorf("ends at %v: names at %v stand over each other", end, heights)
			}
		}
	}
}

// TestOwnTicks: an axis has its own ticks, and no others.
func TestOwnTicks(t *testing.T) {
	axis := Axis{Min: 10, Max: 400, Log: true, Ticks: []float64{10, 50, 400}}
	var labels []string
	for _, tick := range axis.ticks() {
		labels = append(labels, tick.Label)
		if want := map[string]float64{"10": 10, "50": 50, "400": 400}[tick.Label]; tick.Value != want {
			t.Errorf("the tick %s stands at %v, want %v", tick.Label, tick.Value, want)
		}
	}
	if fmt.Sprint(labels) != "[10 50 400]" {
		t.Errorf("ticks %v", labels)
	}
	if got := (Axis{Max: 1}).ticks(); len(got) < 3 || got[0].Label != "0" {
		t.Errorf("an axis without its own has the ticks %v", got)
	}
}
