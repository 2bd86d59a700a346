package page

import (
	"math"
	"strings"
	"testing"

	"privpipe/evaluate/internal/score"
)

// TestCoefficients: the largest magnitude first, 1.96 deviations on each side, and 0 in the middle of the bar.
func TestCoefficients(t *testing.T) {
	c := NewCoefficients([]string{"a", "b", "c"}, []float64{1, -3, 0}, []float64{1, 0.5, 0})
	want := []Coefficient{
		{Feature: "b", Mean: -3, Low: -3.98, High: -2.02, At: 12.31, From: 0, To: 24.62},
		{Feature: "a", Mean: 1, Low: -0.96, High: 2.96, At: 62.56, From: 37.94, To: 87.19},
		{Feature: "c", At: 50, From: 50, To: 50},
	}
	near := func(a, b float64) bool { return math.Abs(a-b) < 0.006 }
	for i, got := range c.All {
		w := want[i]
		if got.Feature != w.Feature || !near(got.Mean, w.Mean) || !near(got.Low, w.Low) || !near(got.High, w.High) ||
			!near(got.At, w.At) ||
			!near(got.From, w.From) || !near(got.To, w.To) || got.Sure() != (i == 0) {
			t.Errorf("coefficient %d is %+v, want %+v", i, got, w)
		}
	}
	if c.Point || c.Hidden != 0 {
		t.Errorf("point %v, %d hidden", c.Point, c.Hidden)
	}
	c = NewCoefficients(make([]string, mostCoefficients+2), make([]float64, mostCoefficients+2), nil)
	if !c.Point || c.Hidden != 2 || len(c.All) != mostCoefficients || c.All[0].At != 50 {
		t.Errorf("point %v, %d hidden, %d shown, the first at %v", c.Point, c.Hidden, len(c.All), c.All[0].At)
	}
	// A hostile model may overflow; no place may be NaN, which is no SVG.
	c = NewCoefficients([]string{"a"}, []float64{math.MaxFloat64}, []float64{math.MaxFloat64})
	if of := c.All[0]; of.At != 50 || of.From != 50 || of.To != 50 {
		t.Errorf("a coefficient that overflows is at %v, %v, %v", of.At, of.From, of.To)
	}
}

// TestUnits: the largest norm first; shades in proportion to each unit's largest weight, with their signs.
func TestUnits(t *testing.T) {
	u := NewUnits(score.Size{Rows: 2, Columns: 2}, []float64{
		0.1, 0, -0.1, 0.05,
		3, -2, 0.4, -0.6,
		0, 0, 0, 0,
	})
	if u.Hidden != 0 || len(u.All) != 3 || u.All[0].ID != 1 || u.All[1].ID != 0 || u.All[2].ID != 2 {
		t.Fatalf("units %+v", u)
	}
	of := u.All[0]
	want := []score.Path{{Shade: -2, D: "M1 0h1v1h-1z"}, {Shade: -1, D: "M1 1h1v1h-1z"}, {Shade: 3, D: "M0 0h1v1h-1z"}}
	if len(of.Paths) != 3 || of.Paths[0] != want[0] || of.Paths[1] != want[1] || of.Paths[2] != want[2] {
		t.Errorf("paths %v, want %v", of.Paths, want)
	}
	if math.Abs(of.Norm-math.Sqrt(9+4+0.16+0.36)) > 1e-12 || of.Largest != 3 || u.All[1].Largest != 0.1 ||
		len(u.All[2].Paths) != 0 {
		t.Errorf("units %+v", u.All)
	}
	if of.Paths[0].Strength() != 2 {
		t.Errorf("the strength of shade −2 is %d", of.Paths[0].Strength())
	}
	if u := NewUnits(score.Size{Rows: 1, Columns: 1}, make([]float64, mostUnits+3)); u.Hidden != 3 ||
		len(u.All) != mostUnits {
		t.Errorf("%d hidden of %d units", u.Hidden, mostUnits+3)
	}
}

// TestROCPoints: of many predictions the curve keeps few points, and its ends.
func TestROCPoints(t *testing.T) {
	var all []score.Prediction
	for i := range 100_000 {
		all = append(all, score.Prediction{Probability: float64(i) / 100_000, Positive: i*i%7 > i%3})
	}
	b := NewBinary("1", all)
	points := strings.Fields(b.ROC.Lines[0].Points)
	if n := len(points); n < 200 || n > 802 || points[0] != "64.0,232.0" || points[n-1] != "560.0,26.3" {
		t.Errorf("the curve has %d points, from %s to %s", n, points[0], points[n-1])
	}
	// Ten bins; the first has its dot at its mean probability, 0.049995 of the width.
	if d := b.Reliability.Dots; len(d) != 10 || math.Abs(d[0].X-(64+0.049995*496)) > 1e-6 ||
		!(d[0].High < d[0].Y && d[0].Y < d[0].Low) {
		t.Errorf("dots %+v", d)
	}
}

// TestPredictionsOfClasses: twenty classes have a matrix, more have not.
func TestPredictionsOfClasses(t *testing.T) {
	for n, want := range map[int]bool{mostConfused: true, mostConfused + 1: false} {
		confusion := score.NewConfusion(n)
		confusion.Add(0, 0)
		confusion.Add(1, 0)
		c := NewClasses(confusion, make([]string, n))
		if (c.Confusion != nil) != want || len(c.Of) != n || c.Accuracy != 0.5 || c.Majority != 0.5 ||
			c.MacroF1 != 1./3 || c.MacroF1Low == nil {
			t.Errorf("%d classes: %+v", n, c)
		}
		html, err := (&Page{Predictions: &Predictions{Source: "p", Classes: c}}).HTML()
		if err != nil || strings.Contains(string(html), "are predicted to be of which") != want {
			t.Errorf("%d classes: %v", n, err)
		}
	}
}
