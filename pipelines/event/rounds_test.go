package event

import (
	"slices"
	"testing"
)

// FuzzRounds compares the set with a map. Each byte is a round that is added.
func FuzzRounds(f *testing.F) {
	f.Add([]byte{1, 2, 3, 5, 4, 9, 7, 8, 7, 1, 0, 255, 254})
	f.Add([]byte{3, 1, 2})
	f.Fuzz(func(t *testing.T, b []byte) {
		var r rounds
		want := make(map[int]bool)
		for _, n := range b {
			r = r.with(int(n))
			want[int(n)] = true
		}
		for n := -1; n <= 256; n++ {
			if r.has(n) != want[n] {
				t.Fatalf("%v after %v: has(%d) is %v", r, b, n, r.has(n))
			}
		}
		if !slices.IsSortedFunc(r, func(a, b span) int { return a.first - b.last - 2 }) {
			t.Errorf("%v after %v: want ranges in order, with gaps", r, b)
		}
	})
}
