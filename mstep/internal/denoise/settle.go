package denoise

import (
	"math"
	"math/bits"
	"slices"
)

// ranked returns the values that sorting would give the ranks. The values are at least 0, so their bits have their
// order. It first counts the values by their first bits, and settles only those that share their first bits with a
// value at a rank. ranks ascend.
func ranked(values []float64, ranks []int) []float64 {
	const first = 14 // bits: the exponent's, and three more
	var counts [1 << first]int32
	for _, v := range values {
		counts[math.Float64bits(v)>>(63-first)]++
	}
	found := make([]float64, len(ranks))
	below := 0 // values with smaller first bits
	for bucket, count := range counts {
		upTo, _ := slices.BinarySearch(ranks, below+int(count))
		if upTo > 0 {
			alike := make([]float64, 0, count)
			for _, v := range values {
				if math.Float64bits(v)>>(63-first) == uint64(bucket) {
					alike = append(alike, v)
				}
			}
			settle(alike, ranks[:upTo], below)
			for _, rank := range ranks[:upTo] {
				found[len(found)-len(ranks)] = alike[rank-below]
				ranks = ranks[1:]
			}
		}
		below += int(count)
	}
	return found
}

// few values are sorted faster than they are partitioned.
const few = 64

// settle moves the values with the given ranks to the places that sorting would give them. It takes time linear in the
// number of values. It is quickselect for several ranks, and only partitions the sides that hold a rank (Hoare,
// Algorithm 65: Find, CACM 1961). ranks ascend, and count values from base on.
func settle(values []float64, ranks []int, base int) {
	for depth := 2 * bits.Len(uint(len(values))); len(ranks) > 0; depth-- {
		// After that many bad partitions quickselect would take quadratic time.
		if len(values) <= few || depth == 0 {
			slices.Sort(values)
			return
		}
		less, more := part(values, middle(values[0], values[len(values)/2], values[len(values)-1]))
		below, _ := slices.BinarySearch(ranks, base+less)
		settle(values[:less], ranks[:below], base)
		above, _ := slices.BinarySearch(ranks, base+more)
		values, ranks, base = values[more:], ranks[above:], base+more
	}
}

// part moves values below the pivot to the front and values above it to the end. The values from less to before more
// equal the pivot.
func part(values []float64, pivot float64) (less, more int) {
	more = len(values)
	for i := 0; i < more; {
		switch v := values[i]; {
		case v < pivot:
			values[i], values[less] = values[less], v
			less++
			i++
		case v > pivot:
			more--
			values[i], values[more] = values[more], v
		default:
			i++
		}
	}
	return less, more
}

// middle returns the median of three values.
func middle(a, b, c float64) float64 { return max(min(a, b), min(max(a, b), c)) }
