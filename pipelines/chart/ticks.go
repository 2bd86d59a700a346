package chart

import (
	"math"
	"strconv"

	"gonum.org/v1/plot"
)

// ticker returns the ticks of an axis: none in the room for the legend. It has three labels if there is room for them.
func (a Axis) ticker() (ticks plot.ConstantTicks) {
	if a.Log {
		ticks = decades(a.scaled(a.Min), a.scaled(a.Max))
	} else {
		ticks = a.linear()
	}
	labelled := 0
	for _, tick := range ticks {
		if tick.Label != "" {
			labelled++
		}
	}
	if labelled >= 3 {
		return ticks
	}
	numbers := Numbers(a.Min, a.Max, a.Counts)
	if a.Log {
		numbers = LogNumbers(a.Min, a.Max)
	}
	return a.at(numbers)
}

// at returns labelled ticks at numbers.
func (a Axis) at(numbers []float64) (ticks plot.ConstantTicks) {
	for _, v := range numbers {
		ticks = append(ticks, plot.Tick{Value: a.scaled(v), Label: strconv.FormatFloat(v, 'g', 6, 64)})
	}
	return ticks
}

// linear returns the ticks on a linear axis as package plot has them, which may be two.
func (a Axis) linear() (ticks plot.ConstantTicks) {
	for _, tick := range (plot.DefaultTicks{}).Ticks(a.Min, a.Max) {
		if tick.Label != "" {
			tick.Label = strconv.FormatFloat(tick.Value, 'g', 6, 64) // 25, not 25.00
		}
		if !a.Counts || tick.Value == math.Trunc(tick.Value) {
			ticks = append(ticks, tick)
		}
	}
	return ticks
}

// scaled is where a value stands on an axis that is drawn as a linear one. (On a plot.LogScale, package plot takes the
// axis's label to be near its top, and makes room for it there.)
func (a Axis) scaled(v float64) float64 {
	if a.Log {
		return math.Log10(v)
	}
	return v
}

// labels is the most labels that an axis has room for.
const labels = 8

// decades returns ticks at powers of ten, on an axis for their exponents. It replaces plot.LogTicks, version 0.17,
// which labels each of hundreds of decades. From 1e-11 to 10, plot.LogTicks multiplies by 10 until rounding takes it
// beyond the axis.
func decades(least, most float64) (ticks plot.ConstantTicks) {
	low, high := int(math.Ceil(least-1e-9)), int(math.Floor(most+1e-9))
	every := (high-low)/labels + 1
	for e := high; e >= low; e -= every {
		ticks = append(ticks, plot.Tick{Value: float64(e), Label: strconv.FormatFloat(math.Pow10(e), 'g', 1, 64)})
	}
	return ticks
}
