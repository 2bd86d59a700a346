package coin

import (
	"cmp"
	"math/bits"
	"slices"
)

// smallest adds the size units with the smallest numbers among n units. Ties keep the order of the units. With a
// secret, units with different keys have different numbers. With a seed, numbers differ if the first halves of the keys
// do.
//
// If two data sets differ by one replaced unit, the order of all other units is the same. So the two sets of smallest
// numbers differ by at most one replaced member.
//
// It takes time in proportion to n and hardly any memory: it counts units by the first bits of their numbers, and sorts
// only the units at the boundary.
func smallest(chosen Set, n, size int, number func(unit int) (high, low uint64)) {
	shift := 64 - min(bits.Len(uint(n)), 16)
	counts := make([]int, 1<<(64-shift))
	for i := range n {
		high, _ := number(i)
		counts[high>>shift]++
	}
	edge := uint64(0)
	for ; size > counts[edge]; edge++ {
		size -= counts[edge]
	}
	type numbered struct {
		high, low uint64
		unit      int
	}
	var at []numbered
	for i := range n {
		switch high, low := number(i); {
		case high>>shift < edge:
			chosen.Add(i)
		case high>>shift == edge:
			at = append(at, numbered{high, low, i})
		}
	}
	slices.SortFunc(at, func(a, b numbered) int {
		return cmp.Or(cmp.Compare(a.high, b.high), cmp.Compare(a.low, b.low), cmp.Compare(a.unit, b.unit))
	})
	for _, u := range at[:size] {
		chosen.Add(u.unit)
	}
}
