package objective

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
		r := newRows(c.norm)
		if err := r.add(document(1, c.positive, c.x...)); err != nil {
			t.Fatal(err)
		}
		for i, want := range c.want {
			if math.Abs(r.x[i]-want) > 1e-15 {
				t.Errorf("%+v: %v", c, r.x)
			}
		}
	}
}

func TestSecondID(t *testing.T) {
	r := smallRows(t)
	err := r.add(document(0, true, 1))
	if err == nil || !strings.Contains(err.Error(), "two documents have the same id") ||
		strings.Contains(err.Error(), "MARKER") {
		t.Error(err)
	}
}

// TestDigest: rows of other content, order or number have another digest. Ids have no part in it.
func TestDigest(t *testing.T) {
	seen := make(map[string]int)
	for i, all := range [][]*Document{
		{}, {document(1, true)}, {document(1, false)}, {document(1, true, 1)}, {document(1, true, 0, 1)},
		{document(1, true, 2)},
		{document(1, true, 1, 2)},
		{document(1, true, 1), document(2, false, 1)}, {document(1, false, 1), document(2, true, 1)},
		{document(1, true, 1, 1)},
		{document(1, true, 1), document(2, true)}, {document(1, true), document(2, true, 1)},
		{document(1, true), document(2, true)},
	} {
		r := newRows(1)
		for _, d := range all {
			if err := r.add(d); err != nil {
				t.Fatal(err)
			}
		}
		sum := string(r.digest.Sum(nil))
		if before, found := seen[sum]; found {
			t.Errorf("cases %d and %d have one digest", before, i)
		}
		seen[sum] = i
	}
	a, b := newRows(1), newRows(1)
	if a.add(document(1, true, 1)) != nil || b.add(document(7, true, 1)) != nil ||
		string(a.digest.Sum(nil)) != string(b.digest.Sum(nil)) {
		t.Error("the digest depends on the id")
	}
}
