package score

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

func near(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tolerance) {
		t.Errorf("%s is %v, want %v", what, got, want)
	}
}

// twin is AUC and DeLong's error from all pairs, as the paper defines them.
func twin(predictions []Prediction) Area {
	var positive, negative []float64
	for _, p := range predictions {
		if p.Positive {
			positive = append(positive, p.Probability)
		} else {
			negative = append(negative, p.Probability)
		}
	}
	psi := func(x, y float64) float64 {
		switch {
		case x > y:
			return 1
		case x == y:
			return 0.5
		}
		return 0
	}
	m, n := float64(len(positive)), float64(len(negative))
	theta := 0.0
	v10, v01 := make([]float64, len(positive)), make([]float64, len(negative))
	for i, x := range positive {
		for j, y := range negative {
			theta += psi(x, y) / (m * n)
			v10[i] += psi(x, y) / n
			v01[j] += psi(x, y) / m
		}
	}
	s10, s01 := 0.0, 0.0
	for _, v := range v10 {
		s10 += (v - theta) * (v - theta) / (m - 1)
	}
	for _, v := range v01 {
		s01 += (v - theta) * (v - theta) / (n - 1)
	}
	return Area{theta, math.Sqrt(s10/m + s01/n)}
}

// TestArea: random predictions with many ties, against all pairs.
func TestArea(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		predictions := []Prediction{{0.3, true}, {0.6, true}, {0.3, false}, {0.1, false}}
		for range random.IntN(60) {
			x := random.Float64()
			predictions = append(predictions, Prediction{math.Round(x*8) / 8, random.Float64() < x})
		}
		got, want := AreaOf(predictions), twin(predictions)
		near(t, "the area", got.AUC, want.AUC, 1e-12)
		near(t, "the error", got.Error, want.Error, 1e-12)
	}
}

// TestAreaByHand: of 2·3 pairs four are right and one is tied. One document of a class has no error.
func TestAreaByHand(t *testing.T) {
	a := AreaOf([]Prediction{{0.9, true}, {0.4, true}, {0.8, false}, {0.4, false}, {0.1, false}})
	near(t, "the area", a.AUC, 4.5/6, 1e-12)
	// Placements 1 and ½ of the positives, ½, ¾ and 1 of the negatives.
	near(t, "the error", a.Error, math.Sqrt(0.125/2+0.0625/3), 1e-12)
	low, high := a.Interval()
	width := 1.959963984540054 * a.Error / (0.75 * 0.25)
	near(t, "the lower end", low, 1/(1+math.Exp(-math.Log(3)+width)), 1e-12)
	near(t, "the upper end", high, 1/(1+math.Exp(-math.Log(3)-width)), 1e-12)

	a = AreaOf([]Prediction{{0.9, true}, {0.1, false}, {0.2, false}})
	low, high = a.Interval()
	if a.AUC != 1 || low != 1 || high != 1 {
		t.Errorf("a perfect ranking has %v and the interval %v, %v", a.AUC, low, high)
	}
	if a := AreaOf([]Prediction{{0.3, true}, {0.1, false}, {0.4, false}}); a.AUC != 0.5 || !math.IsNaN(a.Error) {
		t.Errorf("with one positive document: %v", a)
	}
}

// TestAreaIntervalCovers draws 400 samples from two normal distributions one deviation apart, with the area Φ(1/√2). 95
// % of the intervals hold this area, by 3.5 deviations of the binomial.
func TestAreaIntervalCovers(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	area := math.Erfc(-0.5) / 2
	held := 0
	for range 400 {
		var predictions []Prediction
		for i := range 120 {
			x := random.NormFloat64()
			if i%3 == 0 {
				x++
			}
			predictions = append(predictions, Prediction{x, i%3 == 0})
		}
		low, high := AreaOf(predictions).Interval()
		if low <= area && area <= high {
			held++
		}
	}
	if held < 365 || held > 395 {
		t.Errorf("%d of 400 intervals of 95 %% hold the area", held)
	}
}

func TestLogLoss(t *testing.T) {
	near(t, "the loss", LogLoss([]Prediction{{0.5, true}, {0.75, false}}), 1.5*math.Ln2, 1e-12)
	near(t, "the loss of certainty", LogLoss([]Prediction{{0, true}, {1, false}, {1, true}, {0, false}}),
		12.5*math.Ln2, 1e-12)
}

func TestCalibration(t *testing.T) {
	bins := Calibration([]Prediction{{0.25, true}, {0.2, false}, {0.2, false}, {0.2, true}, {1, true}})
	for i, b := range bins {
		near(t, "the width", b.To-b.From, 0.1, 1e-12)
		want := map[int]Bin{2: {Documents: 4, Predicted: 0.2125, Observed: 0.5},
			9: {Documents: 1, Predicted: 1, Observed: 1}}[i]
		if b.Documents != want.Documents {
			t.Errorf("bin %d has %d documents, want %d", i, b.Documents, want.Documents)
		}
		near(t, "the prediction", b.Predicted, want.Predicted, 1e-12)
		near(t, "the share", b.Observed, want.Observed, 1e-12)
		low, high := 0., 1.
		if b.Documents > 0 {
			low, high = ShareInterval(int(b.Observed*float64(b.Documents)), b.Documents)
		}
		near(t, "the lower end", b.Low, low, 1e-12)
		near(t, "the upper end", b.High, high, 1e-12)
	}
}

// TestROC: scikit-learn 1.9.1's roc_curve(drop_intermediate=False). Equal probabilities are one point.
func TestROC(t *testing.T) {
	got := ROC([]Prediction{{0.875, true}, {0.375, true}, {0.75, false}, {0.375, false}, {0.125, false}})
	want := []Point{{0, 0}, {0, 0.5}, {1. / 3, 0.5}, {2. / 3, 1}, {1, 1}}
	if !slices.Equal(got, want) {
		t.Errorf("the curve is %v, want %v", got, want)
	}
}
