package model

import "testing"

// TestRulesOfCells: a rule holds for cells if it holds for each, wherever the cell that breaks it stands. The blocks of
// a matrix are any number of cells.
func TestRulesOfCells(t *testing.T) {
	for _, rule := range []Rule{{}, Positive, NotNegative, Probability, Share} {
		m := Matrix[float64]{Name: "m", Rule: rule}
		for _, n := range []int{0, 1, 2, 5} {
			for at := range max(n, 1) {
				for _, x := range []float64{-1, 0, 1e-300, 0.5, 1, 1.0000001, 7} {
					cells, want := make([]float64, n), true
					for i := range cells {
						cells[i] = 0.5
					}
					if n > 0 {
						cells[at] = x
					}
					for _, cell := range cells {
						want = want && (rule.holds == nil || rule.holds(cell))
					}
					if got := m.allows(cells); got != want {
						t.Errorf("%q allows %v: %v, want %v", rule.text, cells, got, want)
					}
				}
			}
		}
	}
}
