package parallel

import (
	"runtime"
	"sync/atomic"
	"testing"
)

// TestSplit: each index belongs to one part, each piece has the same part on any number of cores, and no part is empty.
func TestSplit(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	for _, n := range []int{0, 1, 2, Pieces - 1, Pieces, Pieces + 1, 1000} {
		var first []int32
		for _, cores := range []int{1, 3, 100} {
			runtime.GOMAXPROCS(cores)
			piece := make([]int32, n)
			var calls atomic.Int32
			Split(n, func(p, from, to int) {
				calls.Add(1)
				if from >= to {
					t.Errorf("%d: the part of piece %d, from %d to %d, is empty", n, p, from, to)
				}
				for i := from; i < to; i++ {
					piece[i] += int32(p) + 1
				}
			})
			if want := min(n, Pieces); int(calls.Load()) != want {
				t.Errorf("%d: %d parts, want %d", n, calls.Load(), want)
			}
			for i, p := range piece {
				if p == 0 || i > 0 && p < piece[i-1] || first != nil && p != first[i] {
					t.Fatalf("%d on %d cores: pieces %v, want each index once, ascending, and as before: %v", n, cores,
						piece, first)
				}
			}
			if first == nil {
				first = piece
			}
		}
	}
}
