package renyi

import (
	"privpipe/pipelines/testkit"
	"testing"
)

// sampled is a row of testdata/sampled.jsonl, whose first line names its source and its columns.
type sampled struct {
	ID              string
	Q, Sigma        float64
	Rounds          float64
	Epsilon, Delta  float64
	Solve           string
	Order           float64
	Low, High, True float64
}

// TestAgainstGoogle compares with dp_accounting: as tight as its best orders, and never below what its other accountant
// shows to be spent.
func TestAgainstGoogle(t *testing.T) {
	for _, r := range testkit.Rows[sampled](t, "testdata/sampled.jsonl", 141, nil) {
		curve := func(alpha float64) float64 { return r.Rounds * PoissonGaussian(r.Q, r.Sigma, alpha) }
		if r.Solve == "delta" {
			if got, order := Delta(curve, r.Epsilon); !(got >= r.True && got <= r.High) {
				t.Errorf("%s: δ %v at order %v, want %v to %v", r.ID, got, order, r.True, r.High)
			}
			continue
		}
		got, order := Epsilon(curve, r.Delta)
		if !(got >= r.True && got <= r.High) {
			t.Errorf("%s: ε %v at order %v, want %v to %v", r.ID, got, order, r.True, r.High)
		}
		// Beyond that the reference's own integer orders are better than what it calls the best.
		if r.Order < 160 && got < r.Low {
			t.Errorf("%s: ε %v at order %v, want at least %v", r.ID, got, order, r.Low)
		}
	}
}
