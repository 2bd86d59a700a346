package chart

import (
	"cmp"
	"math"
	"slices"
	"strconv"
)

// labels is the most labels that an axis has room for.
const labels = 8

// At returns the place of a value on a line from the axis's Min, at from, to its Max, at to.
func (a Axis) At(v, from, to float64) float64 {
	low, high := a.Min, a.Max
	if a.Log {
		v, low, high = math.Log(v), math.Log(low), math.Log(high)
	}
	return from + (to-from)*(v-low)/(high-low)
}

// A tick is a labelled place on an axis.
type tick struct {
	Value float64
	Label string
}

// ticks returns the axis's own ticks, or round numbers. A longer logarithmic axis has powers of ten.
func (a Axis) ticks() (all []tick) {
	numbers := a.Ticks
	if numbers == nil && a.Log {
		if numbers = decades(a.Min, a.Max); len(numbers) < 3 {
			numbers = LogNumbers(a.Min, a.Max)
		}
	} else if numbers == nil {
		numbers = Numbers(a.Min, a.Max, a.Counts)
	}
	for _, v := range numbers {
		all = append(all, tick{v, strconv.FormatFloat(v, 'g', 6, 64)})
	}
	return all
}

// decades returns powers of ten from high down to low.
func decades(low, high float64) (all []float64) {
	least, most := int(math.Ceil(math.Log10(low)-1e-9)), int(math.Floor(math.Log10(high)+1e-9))
	every := (most-least)/labels + 1
	for e := most; e >= least; e -= every {
		all = append(all, math.Pow10(e))
	}
	return all
}

// Separate moves the places of names apart where they are closer than a height, and keeps them from least to most. The
// order of places stays; of equal ones the later goes first.
func Separate(places []float64, height, least, most float64) {
	var ordered []*float64
	for i := range slices.Backward(places) {
		ordered = append(ordered, &places[i])
	}
	slices.SortStableFunc(ordered, func(a, b *float64) int { return cmp.Compare(*a, *b) })
	for range ordered {
		for i := 1; i < len(ordered); i++ {
			if gap := *ordered[i] - *ordered[i-1]; gap < height {
				*ordered[i-1] -= (height - gap) / 2
				*ordered[i] += (height - gap) / 2
			}
		}
	}
	// Names that would leave the chart move back in, and push the others.
	for _, place := range ordered {
		*place = max(*place, least)
		least = *place + height
	}
	for _, place := range slices.Backward(ordered) {
		*place = min(*place, most)
		most = *place - height
	}
}
