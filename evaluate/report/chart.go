package report

import (
	"encoding/csv"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"privpipe/pipelines/chart"
	"privpipe/pipelines/endpoint"
	"privpipe/pipelines/exit"
	"privpipe/pipelines/filter"
	"privpipe/pipelines/wire"
)

// Chart draws a CSV of curves.
type Chart struct {
	Title  string   `required:"" placeholder:"TEXT" help:"Write TEXT above the figure."`
	Note   []string `sep:"none" placeholder:"TEXT" help:"Write TEXT below the title. May be repeated."`
	X      string   `name:"x" required:"" placeholder:"TEXT" help:"Name the horizontal axis, with its unit."`
	Y      string   `name:"y" required:"" placeholder:"TEXT" help:"Name the vertical axis, with its unit."`
	LogX   bool     `help:"Draw the horizontal axis in logarithms, with a tick at each value."`
	Zero   bool     `help:"Let the vertical axis begin at 0."`
	Output string   `short:"o" required:"" placeholder:"FILE" help:"Write the figure to FILE.svg."`
	Input  string   `arg:"" help:"CSV with the columns panel, series, kind, x and y; kind is line or level. Rows of one x after each other are runs."`
}

// Help is kong's hook.
func (Chart) Help() string {
	return "Draws curves in panels side by side, all in one look. Panels and series keep the order of the file, and " +
		"a series of one name " +
		"has one colour in all panels, of which each has at most six series. A level is dashed: a baseline. Several " +
		"runs at one x are drawn as their mean, with a whisker from the " +
		"least to the greatest."
}

// Validate is kong's hook.
func (c *Chart) Validate() error {
	switch filepath.Ext(c.Output) {
	case ".svg":
		return nil
	case ".png":
		return chart.NoPNG("--output")
	}
	return fmt.Errorf("--output must end in .svg, is %s", c.Output)
}

// Run is kong's hook.
func (c *Chart) Run(r *filter.Run) error {
	b, err := endpoint.ReadFile(r, c.Input, mostChart)
	if err != nil {
		return err
	}
	figure, err := c.figure(string(b))
	if err != nil {
		return exit.Errorf(exit.Malformed, "%s: %w", c.Input, err)
	}
	if r.DryRun() {
		return nil
	}
	return endpoint.WriteFile(r, c.Output, wire.Side_PUBLIC, figure.SVG())
}

// The limits of a readable figure: the bytes of its CSV, its panels, and the series in one panel. Six series are as
// many as there are colours.
const mostChart, mostPanels, mostSeries = 1 << 20, 4, 6

// figure draws the rows of the CSV.
func (c *Chart) figure(text string) (*chart.Figure, error) {
	rows, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	if err != nil {
		return nil, err
	}
	columns := []string{"panel", "series", "kind", "x", "y"}
	if len(rows) < 2 || !slices.Equal(rows[0], columns) {
		return nil, fmt.Errorf("must have the columns %s, and a row", strings.Join(columns, ","))
	}
	f := &chart.Figure{Title: c.Title, Lines: c.Note}
	colors := make(map[string]chart.Color)
	for i, row := range rows[1:] {
		if err := c.add(f, colors, row); err != nil {
			return nil, fmt.Errorf("row %d: %w", i+2, err)
		}
	}
	for _, p := range f.Panels {
		for i := range p.Curves {
			summarize(&p.Curves[i])
		}
	}
	c.setAxes(f)
	return f, nil
}

// add adds one point to its curve. colors maps the series so far to their colours.
func (c *Chart) add(f *chart.Figure, colors map[string]chart.Color, row []string) error {
	x, xErr := strconv.ParseFloat(row[3], 64)
	y, yErr := strconv.ParseFloat(row[4], 64)
	kind, known := map[string]chart.Kind{"line": chart.Marked, "level": chart.Level}[row[2]]
	switch {
	case xErr != nil || yErr != nil || x-x != 0 || y-y != 0:
		return fmt.Errorf("x and y must be finite numbers, are %q and %q", row[3], row[4])
	case c.LogX && !(x > 0):
		return fmt.Errorf("x must be positive for --log-x, is %v", x)
	case !known:
		return fmt.Errorf("kind must be line or level, is %q", row[2])
	}
	panel := slices.IndexFunc(f.Panels, func(p chart.Panel) bool { return p.Title == row[0] })
	if panel < 0 {
		panel = len(f.Panels)
		f.Panels = append(f.Panels, chart.Panel{Title: row[0], Direct: true})
	}
	if len(f.Panels) > mostPanels {
		return fmt.Errorf("a figure has at most %d panels", mostPanels)
	}
	p := &f.Panels[panel]
	curve := slices.IndexFunc(p.Curves, func(c chart.Curve) bool { return c.Name == row[1] })
	if curve < 0 {
		color, err := colorOf(row[1], p, colors)
		if err != nil {
			return err
		}
		curve = len(p.Curves)
		p.Curves = append(p.Curves, chart.Curve{Name: row[1], Kind: kind, Color: color})
	}
	of := &p.Curves[curve]
	if n := len(of.Points); of.Kind != kind || n > 0 && x < of.Points[n-1].X {
		return errors.New("the points of a series must be of one kind, and their x must not fall")
	}
	of.Points = append(of.Points, chart.Point{X: x, Y: y})
	return nil
}

// colorOf returns the colour for a series that is new in its panel. A series keeps its colour from earlier panels.
// Other series get a colour that no series has yet or, if all are in use, one that is free in this panel.
func colorOf(series string, p *chart.Panel, colors map[string]chart.Color) (chart.Color, error) {
	taken := func(color chart.Color) bool {
		return slices.ContainsFunc(p.Curves, func(c chart.Curve) bool { return c.Color == color })
	}
	color, known := colors[series]
	if !known {
		if color = chart.Color(len(colors)); color >= mostSeries {
			for color = 0; taken(color); color++ {
			}
		}
		colors[series] = color
	}
	if color == mostSeries || taken(color) {
		return 0, fmt.Errorf("a panel has at most %d series, each of a colour of its own", mostSeries)
	}
	return color, nil
}

// summarize replaces the points with equal x by their mean, and records their range.
func summarize(c *chart.Curve) {
	runs := c.Points
	c.Points = nil
	for len(runs) > 0 {
		x, sum, r := runs[0].X, 0.0, chart.Range{Least: runs[0].Y, Greatest: runs[0].Y}
		n := 0
		for ; n < len(runs) && runs[n].X == x; n++ {
			y := runs[n].Y
			sum += y
			r.Least, r.Greatest = min(r.Least, y), max(r.Greatest, y)
		}
		c.Points = append(c.Points, chart.Point{X: x, Y: sum / float64(n)})
		c.Ranges = append(c.Ranges, r)
		runs = runs[n:]
	}
}

// setAxes gives all panels the same axes, wide enough for all points.
func (c *Chart) setAxes(f *chart.Figure) {
	x, y := chart.Axis{Label: c.X, Log: c.LogX}, chart.Axis{Label: c.Y}
	x.Min, x.Max, y.Min, y.Max = math.Inf(1), math.Inf(-1), math.Inf(1), math.Inf(-1)
	for _, p := range f.Panels {
		for _, curve := range p.Curves {
			for i, point := range curve.Points {
				x.Min, x.Max = min(x.Min, point.X), max(x.Max, point.X)
				y.Min, y.Max = min(y.Min, curve.Ranges[i].Least), max(y.Max, curve.Ranges[i].Greatest)
				if at, found := slices.BinarySearch(x.Ticks, point.X); !found {
					x.Ticks = slices.Insert(x.Ticks, at, point.X)
				}
			}
		}
	}
	if c.Zero {
		y.Min = min(0, y.Min)
	}
	const room = 0.05 // of the axis, beside the points
	if x.Max == x.Min {
		x.Max = x.Min + max(1, math.Abs(x.Min))
	}
	if y.Max == y.Min {
		y.Max = y.Min + max(1, math.Abs(y.Min))
	}
	y.Max += room * (y.Max - y.Min)
	if !c.Zero {
		y.Min -= room * (y.Max - y.Min)
	}
	if c.LogX {
		x.Min /= math.Pow(x.Max/x.Min, room/2)
	} else {
		x.Min -= room / 2 * (x.Max - x.Min)
	}
	const fewTicks = 8
	if len(x.Ticks) > fewTicks {
		x.Ticks = nil
	}
	for i := range f.Panels {
		f.Panels[i].X, f.Panels[i].Y = x, y
	}
}
