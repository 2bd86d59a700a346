package classic

import (
	"encoding/json"
	"os"
	"testing"
)

// TestExtremes compares with 400 digits where δ is from 1e-300 to 1 and ε up to 10⁴.
func TestExtremes(t *testing.T) {
	f, err := os.Open("testdata/extremes.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	d := json.NewDecoder(f)
	var head struct{ Source string }
	if err := d.Decode(&head); err != nil {
		t.Fatal(err)
	}
	rows := 0
	for ; d.More(); rows++ {
		var r struct {
			Sigma, Epsilon float64
			LogDelta       float64 `json:"log_delta"`
		}
		if err := d.Decode(&r); err != nil {
			t.Fatal(err)
		}
		got := logGaussianDelta(1/r.Sigma, r.Epsilon)
		if got < r.LogDelta || got > r.LogDelta+1e-9 {
			t.Errorf("σ %v ε %v: log δ %v, want %v: %v", r.Sigma, r.Epsilon, got, r.LogDelta, got-r.LogDelta)
		}
	}
	if rows < 80 {
		t.Errorf("%d rows", rows)
	}
}
