package page

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"privpipe/pipelines/chart"
)

// A Chart is lines over a public count, which is releases or rounds, or over shares. It is drawn as SVG.
type Chart struct {
	ID, Title, Text string // Text says in words what the chart shows
	XLabel, YLabel  string
	XTicks, YTicks  []Tick
	Lines           []Line
	Bands           []Band
	Dots            []Dot
}

// The drawing area, in units of the chart's view box. The names of lines stand to its right.
const (
	Left, Right, Top, Bottom = 64.0, 560.0, 16.0, 232.0
)

// A Tick is a mark on an axis.
type Tick struct {
	At   float64
	Text string
}

// A Line is a curve with its name beside its end.
type Line struct {
	Name, Class string
	Points      string
	LabelY      float64
}

// A Band is a named stretch of the X axis.
type Band struct {
	X, Width float64
	Name     string
}

// A Dot is a point with a whisker.
type Dot struct{ X, Y, Low, High float64 }

// A series is a line in its axes' units.
type series struct {
	name, class string
	x, y        []float64
	steps       bool // y holds from the point before it: an upper bound in between
}

// draw places series in the chart.
func (c *Chart) draw(x, y chart.Axis, all []series) {
	for _, t := range ticks(x) {
		c.XTicks = append(c.XTicks, Tick{x.At(t, Left, Right), label(t)})
	}
	for _, t := range ticks(y) {
		c.YTicks = append(c.YTicks, Tick{y.At(t, Bottom, Top), label(t)})
	}
	for _, s := range all {
		var points []string
		for i := range s.x {
			px, py := x.At(s.x[i], Left, Right), y.At(s.y[i], Bottom, Top)
			if s.steps && i > 0 {
				points = append(points, fmt.Sprintf("%.1f,%.1f", x.At(s.x[i-1], Left, Right), py))
			}
			points = append(points, fmt.Sprintf("%.1f,%.1f", px, py))
		}
		c.Lines = append(c.Lines, Line{s.name, s.class, strings.Join(points, " "), y.At(s.y[len(s.y)-1], Bottom, Top)})
	}
	const height = 16
	places := make([]float64, len(c.Lines))
	for i := range c.Lines {
		places[i] = c.Lines[i].LabelY
	}
	chart.Separate(places, height, Top, Bottom)
	for i := range c.Lines {
		c.Lines[i].LabelY = places[i]
	}
}

// label formats a tick's number, without an exponent if that stays short.
func label(t float64) string {
	text := fmt.Sprintf("%.4g", t)
	if math.Abs(t) >= 1e4 && math.Abs(t) < 1e6 {
		text = fmt.Sprintf("%.0f", t)
	}
	return text
}

// ticks returns round numbers within the axis. An axis of counts begins with a tick.
func ticks(a chart.Axis) []float64 {
	if a.Log {
		return chart.LogNumbers(a.Min, a.Max)
	}
	all := chart.Numbers(a.Min, a.Max, a.Counts)
	if a.Counts && (len(all) == 0 || all[0] != a.Min) {
		all = slices.Insert(all, 0, a.Min)
	}
	return all
}
