package renyi

import (
	"math"
	"testing"
)

// TestLogAdd: sums within float64's range, and far beyond it.
func TestLogAdd(t *testing.T) {
	for _, c := range [][3]float64{
		{0, 0, math.Ln2}, {1, 2, math.Log(math.E + math.E*math.E)}, {-800, -800, -800 + math.Ln2}, {5000, 0, 5000},
		{math.Inf(-1), 3, 3}, {3, math.Inf(-1), 3},
	} {
		if got := LogAdd(c[0], c[1]); math.Abs(got-c[2]) > 1e-15*math.Abs(c[2]) {
			t.Errorf("LogAdd(%v, %v) is %v, want %v", c[0], c[1], got, c[2])
		}
	}
	if got := LogAdd(math.Inf(-1), math.Inf(-1)); !math.IsInf(got, -1) {
		t.Errorf("0 and 0 are e^%v", got)
	}
}

// TestLogExpm1: small numbers keep their digits, large ones are themselves.
func TestLogExpm1(t *testing.T) {
	for _, c := range [][2]float64{{1e-300, math.Log(1e-300)}, {math.Ln2, 0}, {40, 40}, {1e300, 1e300}} {
		if got := LogExpm1(c[0]); math.Abs(got-c[1]) > 1e-15*math.Max(1, math.Abs(c[1])) {
			t.Errorf("LogExpm1(%v) is %v, want %v", c[0], got, c[1])
		}
	}
	if got := LogExpm1(0); !math.IsInf(got, -1) {
		t.Errorf("LogExpm1(0) is %v", got)
	}
}
