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
		return shade(points[0].X, points[len(points)-1].X, colors[c.Color]), nil
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
		return marked{line, points, draw.GlyphStyle{Color: colors[c.Color], Radius: 3, Shape: shapes[c.Color]}}, nil
	case Steps:
		line.StepStyle = plotter.PreStep
	case Level:
		line.Width, line.Dashes = 1.2, dashes[c.Color]
	}
	return line, nil
}

// marked is a line with a symbol at each point.
type marked struct {
	*plotter.Line
	points plotter.XYs
	symbol draw.GlyphStyle
}

// Plot implements plot.Plotter.
func (m marked) Plot(c draw.Canvas, p *plot.Plot) {
	m.Line.Plot(c, p)
	x, y := p.Transforms(&c)
	for _, point := range m.points {
		c.DrawGlyph(m.symbol, vg.Point{X: x(point.X), Y: y(point.Y)})
	}
}

// shade fills the height of a panel between two values of X.
func shade(from, to float64, c color.Color) *shaded { return &shaded{from, to, c} }

type shaded struct {
	from, to float64
	color    color.Color
}

// Plot implements plot.Plotter.
func (s *shaded) Plot(c draw.Canvas, p *plot.Plot) {
	x, _ := p.Transforms(&c)
	c.SetColor(s.color)
	c.Fill(vg.Rectangle{Min: vg.Point{X: x(s.from), Y: c.Min.Y}, Max: vg.Point{X: x(s.to), Y: c.Max.Y}}.Path())
}

// Thumbnail implements plot.Thumbnailer.
func (s *shaded) Thumbnail(c *draw.Canvas) {
	c.SetColor(s.color)
	c.Fill(c.Rectangle.Path())
}

// nameBands writes the names of bands above the panel, those that have room between the names of their neighbours.
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

// withRoom returns where an axis of Y ends that has room for so many lines of the legend above its Max.
func (a Axis) withRoom(entries int) float64 {
	const height = 0.75 * panelHeight // about what the labels and the title leave
	room := math.Min(0.6, (legendLine*float64(entries)+10)/float64(height))
	low, high := a.scaled(a.Min), a.scaled(a.Max)
	return low + (high-low)/(1-room)
}

func center(s text.Style) text.Style {
	s.XAlign = draw.XCenter
	return s
}

// setText changes the font and the colour of a style and keeps its place.
func setText(s *text.Style, size float64) {
	to := style(size, black)
	s.Font, s.Color = to.Font, to.Color
}
