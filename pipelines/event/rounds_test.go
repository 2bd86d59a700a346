package event

import (
	"slices"
	"testing"
)

// FuzzRounds compares the set with a map. Each two bytes are a round that is added, and its shift.
func FuzzRounds(f *testing.F) {
	f.Add([]byte{1, 0, 2, 0, 3, 0, 5, 0, 4, 0, 7, 1, 6, 1, 7, 2, 0, 0, 255, 0, 254, 0})
	f.Add([]byte{3, 0, 1, 0, 2, 1})
	f.Add([]byte{1, 0, 5, 0})
	f.Fuzz(func(t *testing.T, b []byte) {
		var r rounds
		want := make(map[int]int)
		for i := 0; i+1 < len(b); i += 2 {
			n, number := int(b[i]), int(b[i])+int(b[i+1])
			r = r.with(n, number)
			if _, has := want[n]; !has {
				want[n] = number
			}
		}
		for n := -1; n <= 256; n++ {
			number, has := r.number(n)
			if wanted, wants := want[n]; number != wanted || has != wants || r.has(n) != wants {
				t.Fatalf("%v after %v: round %d has number %d (%v), want %d (%v)", r, b, n, number, has, wanted, wants)
			}
		}
		if !slices.IsSortedFunc(r, func(a, b span) int {
			if a.shift != b.shift {
				return a.first - b.last - 1
			}
			return a.first - b.last - 2
		}) {
			t.Errorf("%v after %v: want ranges in order, and no two that could be one", r, b)
		}
	})
}
