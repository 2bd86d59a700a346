package renyi

import (
	"privpipe/pipelines/testkit"
	"testing"
)

// TestExtremes compares with 400 digits where δ is from 1e-300 to 1 and ε up to 10⁴.
func TestExtremes(t *testing.T) {
	type row struct {
		Sigma, Epsilon float64
		LogDelta       float64 `json:"log_delta"`
	}
	for _, r := range testkit.Rows[row](t, "testdata/extremes.jsonl", 124, nil) {
		got := logGaussianDelta(1/r.Sigma, r.Epsilon)
		if got < r.LogDelta || got > r.LogDelta+1e-9 {
			t.Errorf("σ %v ε %v: log δ %v, want %v: %v", r.Sigma, r.Epsilon, got, r.LogDelta, got-r.LogDelta)
		}
	}
}
