package chart

import (
	"image/color"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// A drawn is a curve in the panel and in its legend.
type drawn interface {
	plot.Plotter
	plot.Thumbnailer
}

func (panel *Panel) plotter(c *Curve) (drawn, error) {
	points := make(plotter.XYs, len(c.Points))
	for i, p := range c.Points {
		points[i] = plotter.XY{X: panel.X.scaled(p.X), Y: panel.Y.scaled(p.Y)}
	}
	switch c.Kind {
	case Shade:
		return panel.shade(points[0].X, points[len(points)-1].X, colors[c.Color]), nil
	case Marks:
		marks, err := plotter.NewScatter(points)
		if err != nil {
			return nil, err
		}
		marks.GlyphStyle = draw.GlyphStyle{Color: colors[c.Color], Radius: 3.5, Shape: shapes[c.Color]}
		return marks, nil
	}
	line, err := plotter.NewLine(points)
	if err != nil {
		return nil, err
	}
	line.LineStyle = draw.LineStyle{Color: colors[c.Color], Width: 1.6}
	switch c.Kind {
	case Marked:
		symbol := draw.GlyphStyle{Color: colors[c.Color], Radius: 3, Shape: shapes[c.Color]}
		return marked{line, points, symbol, panel.whiskers(c)}, nil
	case Steps:
		line.StepStyle = plotter.PreStep
	case Level:
		line.Width, line.Dashes = 1.2, dashes[c.Color]
	}
	return line, nil
}

// A whisker reaches from one height to another.
type whisker struct{ x, from, to float64 }

func (panel *Panel) whiskers(c *Curve) []whisker {
	var all []whisker
	for i, r := range c.Ranges {
		if r.Least < r.Greatest {
			all = append(all, whisker{panel.X.scaled(c.Points[i].X), panel.Y.scaled(r.Least),
				panel.Y.scaled(r.Greatest)})
		}
	}
	return all
}

// marked is a line with a symbol at each point, and whiskers.
type marked struct {
	*plotter.Line
	points   plotter.XYs
	symbol   draw.GlyphStyle
	whiskers []whisker
}

// Plot implements plot.Plotter.
func (m marked) Plot(c draw.Canvas, p *plot.Plot) {
	m.Line.Plot(c, p)
	x, y := p.Transforms(&c)
	thin := m.LineStyle
	thin.Width /= 2
	const half = 3 // half the width of a cap
	for _, w := range m.whiskers {
		at, low, high := x(w.x), y(w.from), y(w.to)
		c.StrokeLine2(thin, at, low, at, high)
		c.StrokeLine2(thin, at-half, low, at+half, low)
		c.StrokeLine2(thin, at-half, high, at+half, high)
	}
	for _, point := range m.points {
		c.DrawGlyph(m.symbol, vg.Point{X: x(point.X), Y: y(point.Y)})
	}
}

// shade fills a panel's height between two values of X.
func (panel *Panel) shade(from, to float64, c color.Color) *plotter.Polygon {
	low, high := panel.Y.scaled(panel.Y.Min), panel.top()
	return &plotter.Polygon{XYs: []plotter.XYs{{{X: from, Y: low}, {X: from, Y: high}, {X: to, Y: high},
		{X: to, Y: low}}}, Color: c}
}

// nameBands writes the names of bands above the panel. It leaves out a name that has no room between the names of its
// neighbours.
func (panel *Panel) nameBands(p *plot.Plot, c draw.Canvas) {
	x, _ := p.Transforms(&c)
	names := center(style(textSize-1, gray))
	for _, b := range panel.Bands {
		from, to := x(b.From), x(b.To)
		if names.Width(b.Name)+4 <= to-from {
			c.FillText(names, vg.Point{X: (from + to) / 2, Y: c.Max.Y + 4}, b.Name)
		}
	}
}

// top is where the Y axis ends: above its Max there is room for the legend.
func (panel *Panel) top() float64 {
	const height = 0.75 * panelHeight // about what the labels and the title leave
	entries := 0.0
	for _, c := range panel.Curves {
		if c.Name != "" && !panel.Direct {
			entries++
		}
	}
	room := math.Min(0.6, (legendLine*entries+10)/float64(height))
	low, high := panel.Y.scaled(panel.Y.Min), panel.Y.scaled(panel.Y.Max)
	return low + (high-low)/(1-room)
}

func center(s text.Style) text.Style {
	s.XAlign = draw.XCenter
	return s
}

// setText changes a style's font and colour and keeps its place.
func setText(s *text.Style, size float64) {
	to := style(size, black)
	s.Font, s.Color = to.Font, to.Color
}
