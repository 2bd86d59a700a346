package event

import (
	"cmp"
	"slices"
)

// A rounds is a set of rounds: ranges in ascending order, with a gap between any two. Most runs charge their rounds in
// order, so that a long run has few ranges.
type rounds []span

// A span holds the rounds from first to last.
type span struct{ first, last int }

// search returns the index of the first range that ends at round n or later.
func (r rounds) search(n int) int {
	i, _ := slices.BinarySearchFunc(r, n, func(s span, n int) int { return cmp.Compare(s.last, n) })
	return i
}

func (r rounds) has(n int) bool {
	i := r.search(n)
	return i < len(r) && r[i].first <= n
}

// with returns the set with round n. It may change r.
func (r rounds) with(n int) rounds {
	i := r.search(n)
	left, right := i > 0 && r[i-1].last == n-1, i < len(r) && r[i].first == n+1
	switch {
	case i < len(r) && r[i].first <= n:
	case left && right:
		r[i-1].last = r[i].last
		r = slices.Delete(r, i, i+1)
	case left:
		r[i-1].last = n
	case right:
		r[i].first = n
	default:
		r = slices.Insert(r, i, span{n, n})
	}
	return r
}
