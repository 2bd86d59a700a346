package chart

import (
	"cmp"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// namesWidth is the part of a panel's width that the names of curves take, if they stand beside the curves.
const namesWidth = 0.3

// ticks returns the ticks of the axis, its own or round numbers.
func (a Axis) ticks() plot.Ticker {
	if a.Ticks == nil {
		return a.ticker()
	}
	return a.at(a.Ticks)
}

// nameCurves writes each curve's name beside its last point, in its colour, and no name over another.
func (panel *Panel) nameCurves(p *plot.Plot, c draw.Canvas) {
	if !panel.Direct {
		return
	}
	type name struct {
		text  string
		color Color
		at    vg.Point
	}
	var names []name
	x, y := p.Transforms(&c)
	for _, curve := range panel.Curves {
		if curve.Name != "" {
			last := curve.Points[len(curve.Points)-1]
			names = append(names,
				name{curve.Name, curve.Color, vg.Point{X: x(panel.X.scaled(last.X)), Y: y(panel.Y.scaled(last.Y))}})
		}
	}
	slices.SortStableFunc(names, func(a, b name) int { return cmp.Compare(a.at.Y, b.at.Y) })
	for i := range names {
		names[i].at.Y = max(names[i].at.Y, c.Min.Y+lineHeight/2)
		if i > 0 {
			names[i].at.Y = max(names[i].at.Y, names[i-1].at.Y+lineHeight)
		}
	}
	most := c.Max.Y - lineHeight/2
	for i := len(names) - 1; i >= 0; i-- {
		names[i].at.Y = min(names[i].at.Y, most)
		most = names[i].at.Y - lineHeight
	}
	for _, n := range names {
		s := style(textSize, colors[n.color])
		s.YAlign = draw.YCenter
		c.FillText(s, vg.Point{X: n.at.X + 7, Y: n.at.Y}, n.text)
	}
}
