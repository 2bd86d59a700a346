package choose

import (
	"cmp"
	"math/bits"
	"slices"
)

// smallest adds the units, of n, that have the size smallest numbers. Units of equal numbers come in their order.
// (By a secret, units of different keys have different numbers. By a seed, those whose keys differ in the first half do.)
//
// Between data sets that differ in one unit exchanged for another the order of all others is the same, so that the sets
// differ in at most one member exchanged for another.
//
// It takes time in proportion to n and next to no memory: units are counted by the first bits of their numbers, and only
// those at the edge are sorted.
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
