package clusters

import (
	"math"
	"sync/atomic"
	"testing"

	"privpipe/pipelines/model"
	"privpipe/pipelines/model/lda"
	"privpipe/pipelines/model/modeltest"
	"privpipe/pipelines/wire"
)

// TestWords: a document has the roots of its counts in the row of its own vector's cluster. Without a vector of its
// name, which is its id and its user, it has nothing.
func TestWords(t *testing.T) {
	m := &Words{clusters: map[name]uint32{{"u", "d"}: 2, {"v", "d"}: 0, {"w", "d"}: noCluster},
		joined: new(atomic.Bool)}
	statistics := lda.Family.Statistics(model.Size{Words: 4, Components: 3})
	for _, c := range []struct {
		user string
		row  int
	}{{"u", 2}, {"v", 0}, {"", -1}, {"w", -1}} {
		d := &wire.Document{Id: "d", User: c.user, WordGaps: []uint32{1, 2}, Counts: []uint32{9, 7}}
		parts, err := m.NewWorker().Contribute(d, nil)
		if err != nil {
			t.Fatal(err)
		}
		want := make([]float64, 12)
		if c.row >= 0 {
			want[4*c.row+1], want[4*c.row+3] = 0.75, math.Sqrt(7)/4
		}
		if m.joined.Swap(false) != (c.row >= 0) {
			t.Errorf("user %q: joined is %v", c.user, c.row < 0)
		}
		square := 0.0
		for i, got := range modeltest.Dense(statistics, parts) {
			square += got * got
			if math.Abs(got-want[i]) > 1e-6 {
				t.Errorf("user %q: cell %d is %v, want %v", c.user, i, got, want[i])
			}
		}
		if square > 1 {
			t.Errorf("user %q: the square of the norm is %v", c.user, square)
		}
	}
}
