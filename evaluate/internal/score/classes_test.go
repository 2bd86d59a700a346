package score

import (
	"math/rand/v2"
	"testing"
)

func of(counts [][]int) *Confusion {
	c := NewConfusion(len(counts))
	for i, row := range counts {
		for j, n := range row {
			for range n {
				c.Add(i, j)
			}
		}
	}
	return c
}

// TestMacroF1Peer: numbers of scikit-learn 1.9.1, accuracy_score, f1_score(average="macro") and
// precision_recall_fscore_support. No two of accuracy, macro F1 and weighted F1 are equal. The fourth class is neither
// a document's nor predicted, so the mean F1 leaves it out.
func TestMacroF1Peer(t *testing.T) {
	c := of([][]int{{3, 1, 1, 0}, {1, 2, 0, 0}, {0, 1, 1, 0}, {0, 0, 0, 0}})
	share, _, _ := c.Accuracy()
	near(t, "the accuracy", share, 0.6, 1e-15)
	f1, _ := c.MacroF1()
	near(t, "macro F1", f1, 0.5793650793650794, 1e-15)
	for k, want := range []Class{
		{5, 4, 0.75, 0.6, 2. / 3}, {3, 4, 0.5, 2. / 3, 4. / 7}, {2, 2, 0.5, 0.5, 0.5}, {},
	} {
		got := c.Class(k)
		if got.Documents != want.Documents || got.Predicted != want.Predicted {
			t.Errorf("class %d: %+v, want %+v", k, got, want)
		}
		near(t, "the precision", got.Precision, want.Precision, 1e-15)
		near(t, "the recall", got.Recall, want.Recall, 1e-15)
		near(t, "F1", got.F1, want.F1, 1e-15)
	}
	if c.Largest() != 5 || c.Right() != 6 || c.Documents() != 10 {
		t.Errorf("%d of the largest class, %d right of %d", c.Largest(), c.Right(), c.Documents())
	}
}

var large = [][]int{{50, 3, 2}, {7, 30, 3}, {4, 6, 95}}

// TestError: the deviation of macro F1 over 400,000 bootstrap samples of numpy 2 is 0.02815; macro F1 itself is
// scikit-learn's.
func TestError(t *testing.T) {
	f1, standardError := of(large).MacroF1()
	near(t, "macro F1", f1, 0.8494639682320001, 1e-12)
	near(t, "its error", standardError, 0.02815, 0.0004)
	if f1, standardError := of([][]int{{3, 0}, {0, 2}}).MacroF1(); f1 != 1 || standardError != 0 {
		t.Errorf("all right: %v ± %v", f1, standardError)
	}
	if f1, standardError := of([][]int{{0, 3}, {2, 0}}).MacroF1(); f1 != 0 || standardError != 0 {
		t.Errorf("none right: %v ± %v", f1, standardError)
	}
}

// TestMacroF1Covers: of 400 samples 95 % of the intervals hold the macro F1 of the population, by 3.5 deviations of
// the binomial.
func TestMacroF1Covers(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 8))
	population, _ := of(large).MacroF1()
	held := 0
	for range 400 {
		sample := NewConfusion(3)
		for range 300 {
			at := random.IntN(200)
		search:
			for i, row := range large {
				for j, n := range row {
					if at -= n; at < 0 {
						sample.Add(i, j)
						break search
					}
				}
			}
		}
		low, high := LogitInterval(sample.MacroF1())
		if low <= population && population <= high {
			held++
		}
	}
	if held < 365 || held > 395 {
		t.Errorf("%d of 400 intervals of 95 %% hold macro F1", held)
	}
}
