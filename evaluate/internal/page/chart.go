package page

import (
	"cmp"
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

// An axis maps values to places in the drawing area.
type axis struct {
	low, high   float64
	logarithmic bool
	shares      bool // not counts
}

func (a axis) at(v, from, to float64) float64 {
	low, high := a.low, a.high
	if a.logarithmic {
		v, low, high = math.Log(v), math.Log(low), math.Log(high)
	}
	return from + (to-from)*(v-low)/(high-low)
}

// draw places series in the chart.
func (c *Chart) draw(x, y axis, all []series) {
	for _, t := range x.ticks(!x.shares) {
		c.XTicks = append(c.XTicks, Tick{x.at(t, Left, Right), label(t)})
	}
	for _, t := range y.ticks(false) {
		c.YTicks = append(c.YTicks, Tick{y.at(t, Bottom, Top), label(t)})
	}
	for _, s := range all {
		var points []string
		for i := range s.x {
			px, py := x.at(s.x[i], Left, Right), y.at(s.y[i], Bottom, Top)
			if s.steps && i > 0 {
				points = append(points, fmt.Sprintf("%.1f,%.1f", x.at(s.x[i-1], Left, Right), py))
			}
			points = append(points, fmt.Sprintf("%.1f,%.1f", px, py))
		}
		c.Lines = append(c.Lines, Line{s.name, s.class, strings.Join(points, " "), y.at(s.y[len(s.y)-1], Bottom, Top)})
	}
	c.separate()
}

// label formats a tick's number, without an exponent if that stays short.
func label(t float64) string {
	text := fmt.Sprintf("%.4g", t)
	if math.Abs(t) >= 1e4 && math.Abs(t) < 1e6 {
		text = fmt.Sprintf("%.0f", t)
	}
	return text
}

// separate moves names of lines apart if they would overlap.
func (c *Chart) separate() {
	const height = 16
	for range len(c.Lines) {
		for i := range c.Lines {
			for j := range i {
				a, b := &c.Lines[i], &c.Lines[j]
				if a.LabelY > b.LabelY {
					a, b = b, a
				}
				if gap := b.LabelY - a.LabelY; gap < height {
					a.LabelY -= (height - gap) / 2
					b.LabelY += (height - gap) / 2
				}
			}
		}
	}
	// Names that would leave the chart move back in, and push the others.
	byPlace := make([]*Line, len(c.Lines))
	for i := range c.Lines {
		byPlace[i] = &c.Lines[i]
	}
	slices.SortStableFunc(byPlace, func(a, b *Line) int { return cmp.Compare(a.LabelY, b.LabelY) })
	least := Top
	for _, line := range byPlace {
		line.LabelY = max(line.LabelY, least)
		least = line.LabelY + height
	}
	most := Bottom
	for _, line := range slices.Backward(byPlace) {
		line.LabelY = min(line.LabelY, most)
		most = line.LabelY - height
	}
}

// ticks returns round numbers within the axis. An axis of counts begins with a tick.
func (a axis) ticks(counts bool) []float64 {
	if a.logarithmic {
		return chart.LogNumbers(a.low, a.high)
	}
	all := chart.Numbers(a.low, a.high, counts)
	if counts && (len(all) == 0 || all[0] != a.low) {
		all = slices.Insert(all, 0, a.low)
	}
	return all
}
