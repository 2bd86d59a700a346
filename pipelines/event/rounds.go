package event

import (
	"cmp"
	"slices"
)

// A rounds is a set of rounds: ranges in ascending order. Most runs charge their rounds in order, line after line, so
// that a long run has few ranges.
type rounds []span

// A span holds the rounds from first to last. Each has a number, such as its line: the round plus shift. Two spans that
// touch have different shifts.
type span struct{ first, last, shift int }

// search returns the index of the first range that ends at round n or later.
func (r rounds) search(n int) int {
	i, _ := slices.BinarySearchFunc(r, n, func(s span, n int) int { return cmp.Compare(s.last, n) })
	return i
}

// number returns the number of round n, if the set has the round.
func (r rounds) number(n int) (number int, has bool) {
	if i := r.search(n); i < len(r) && r[i].first <= n {
		return n + r[i].shift, true
	}
	return 0, false
}

func (r rounds) has(n int) bool {
	_, has := r.number(n)
	return has
}

// with returns the set with round n. The round gets the number, unless the set has the round already. r may change.
func (r rounds) with(n, number int) rounds {
	i, shift := r.search(n), number-n
	left := i > 0 && r[i-1].last == n-1 && r[i-1].shift == shift
	right := i < len(r) && r[i].first == n+1 && r[i].shift == shift
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
		r = slices.Insert(r, i, span{n, n, shift})
	}
	return r
}
