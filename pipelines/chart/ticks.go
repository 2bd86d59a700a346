package chart

import (
	"math"
	"strconv"

	"gonum.org/v1/plot"
)

// ticker returns where an axis has ticks: none in the room for the legend.
func (a Axis) ticker() plot.Ticker {
	return plot.TickerFunc(func(float64, float64) []plot.Tick {
		switch {
		case a.Log:
			return decades(a.scaled(a.Min), a.scaled(a.Max))
		case a.Counts:
			return multiples(a.Min, a.Max, max(1, step(a.Max-a.Min)))
		}
		return multiples(a.Min, a.Max, step(a.Max-a.Min))
	})
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

// step is the least of 1, 2 and 5 times a power of ten that divides span into fewer parts than there are labels.
func step(span float64) float64 {
	power := math.Pow(10, math.Floor(math.Log10(span/labels)))
	for _, times := range []float64{1, 2, 5} {
		if span/(times*power) < labels {
			return times * power
		}
	}
	return 10 * power
}

func multiples(least, most, step float64) (ticks []plot.Tick) {
	const slack = 1e-9 // of a step, for rounding
	for i := math.Ceil(least/step - slack); i <= most/step+slack; i++ {
		// Through six digits, so that 3·0.1 is 0.3.
		value := i*step + 0 // never -0
		ticks = append(ticks, plot.Tick{Value: value, Label: strconv.FormatFloat(value, 'g', 6, 64)})
	}
	return ticks
}

// decades returns ticks at powers of ten, of an axis of their exponents.
func decades(least, most float64) (ticks []plot.Tick) {
	low, high := int(math.Ceil(least-1e-9)), int(math.Floor(most+1e-9))
	every := (high-low)/labels + 1
	for e := high; e >= low; e -= every {
		ticks = append(ticks, plot.Tick{Value: float64(e), Label: strconv.FormatFloat(math.Pow10(e), 'g', 1, 64)})
	}
	return ticks
}
