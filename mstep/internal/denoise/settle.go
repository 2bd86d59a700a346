package denoise

import (
	"math/bits"
	"slices"
)

// few values are sorted faster than they are parted.
const few = 64

// settle moves values so that those of the given ranks are where sorting would put them, and returns in a time linear in their number:
// quickselect for several ranks, which only parts the sides that hold a rank (Hoare, Algorithm 65: Find, CACM 1961). ranks ascend and are
// numbers of values, counted from base on.
func settle(values []float64, ranks []int, base int) {
	for depth := 2 * bits.Len(uint(len(values))); len(ranks) > 0; depth-- {
		if len(values) <= few || depth == 0 { // parted badly so often, it would take quadratic time
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

// part moves values below a pivot to the front and values above it to the end. The values from less to before more equal the pivot.
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
