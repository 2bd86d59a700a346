package chart

import (
	"math"
	"strconv"

	"gonum.org/v1/plot"
)

// ticker returns where an axis has ticks: none in the room for the legend.
func (a Axis) ticker() plot.ConstantTicks {
	if a.Log {
		return decades(a.scaled(a.Min), a.scaled(a.Max))
	}
	var ticks plot.ConstantTicks
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

// scaled is where a value stands on an axis that is drawn as a linear one. (On a plot.LogScale, package plot takes the label of
// the axis to be near its top, and makes room for it there.)
func (a Axis) scaled(v float64) float64 {
	if a.Log {
		return math.Log10(v)
	}
	return v
}

// labels is the most labels that an axis has room for.
const labels = 8

// decades returns ticks at powers of ten, of an axis of their exponents. In place of plot.LogTicks, of version 0.17: that labels each of
// hundreds of decades, and multiplies by 10 until rounding takes it beyond the axis, from 1e-11 to 10.
func decades(least, most float64) (ticks plot.ConstantTicks) {
	low, high := int(math.Ceil(least-1e-9)), int(math.Floor(most+1e-9))
	every := (high-low)/labels + 1
	for e := high; e >= low; e -= every {
		ticks = append(ticks, plot.Tick{Value: float64(e), Label: strconv.FormatFloat(math.Pow10(e), 'g', 1, 64)})
	}
	return ticks
}
