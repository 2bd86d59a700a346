package chart

import (
	"fmt"
	"slices"
)

// SVG returns the figure as an SVG document.
func (f *Figure) SVG() []byte {
	panels := float64(len(f.Panels))
	heading := titleSize + lineHeight*float64(len(f.Lines)) + 16
	wide, high := panelWidth*panels+2*margin, panelHeight+heading+2*margin
	var s svg
	s.add(`<?xml version="1.0"?>`)
	s.add(`<svg xmlns="http://www.w3.org/2000/svg" width="%spt" height="%spt" viewBox="0 0 %s %s" font-family="`+fonts+
		`">`, wide, high, wide, high)
	s.rectangle(0, 0, wide, high, "#ffffff")
	y := margin + titleSize
	s.text(margin, y, titleSize, black, "start", f.Title)
	y += 5
	for _, line := range f.Lines {
		y += lineHeight
		s.text(margin, y, textSize, gray, "start", line)
	}
	labels := 0.0 // the width of the widest label of a vertical axis, so that all panels have one size
	for _, panel := range f.Panels {
		for _, tick := range panel.Y.ticks() {
			labels = max(labels, width(tick.Label, textSize-1))
		}
	}
	each := (panelWidth*panels - 2*margin*(panels-1)) / panels
	for i := range f.Panels {
		left := margin + (each+2*margin)*float64(i)
		a := area{
			svg: &s, panel: &f.Panels[i],
			left: left + textSize + 6 + labels + tickLength + 3, right: left + each - 10,
			top: margin + heading + 32, bottom: margin + heading + panelHeight - 32,
		}
		a.draw(fmt.Sprint("panel", i))
	}
	s.add(`</svg>`)
	return []byte(s.String())
}

// An area is the rectangle between a panel's axes.
type area struct {
	*svg
	panel                    *Panel
	left, right, top, bottom float64
}

// x is where a value stands on the horizontal axis. Names beside the curves take a part of the width.
func (a *area) x(v float64) float64 {
	const names = 0.3
	right := a.right
	if a.panel.Direct {
		right -= names * (right - a.left)
	}
	return a.panel.X.At(v, a.left, right)
}

// y is where a value stands on the vertical axis. The legend takes the room above the axis's Max.
func (a *area) y(v float64) float64 {
	room := min(0.6*(a.bottom-a.top), lineHeight*float64(len(a.legend()))+10)
	return a.panel.Y.At(v, a.bottom, a.top+room)
}

// legend returns the curves that are named in the legend.
func (a *area) legend() (all []Curve) {
	for _, c := range a.panel.Curves {
		if c.Name != "" && !a.panel.Direct {
			all = append(all, c)
		}
	}
	return all
}

func (a *area) draw(id string) {
	middle := (a.left + a.right) / 2
	a.text(middle, a.top-20, textSize+1, black, "middle", a.panel.Title)
	for i, b := range a.panel.Bands {
		from, to := a.x(b.From), a.x(b.To)
		if i%2 == 1 {
			a.rectangle(from, a.top, to-from, a.bottom-a.top, bandGray)
		}
		if width(b.Name, textSize-1)+4 <= to-from {
			a.text((from+to)/2, a.top-4, textSize-1, gray, "middle", b.Name)
		}
	}
	for _, c := range a.panel.Curves {
		if c.Kind == Shade {
			from, to := a.x(c.Points[0].X), a.x(c.Points[len(c.Points)-1].X)
			a.rectangle(from, a.top, to-from, a.bottom-a.top, c.Color.look().color)
		}
	}
	a.axes()
	a.add(`<clipPath id="`+id+`"><rect x="%s" y="%s" width="%s" height="%s"/></clipPath>`, a.left, a.top,
		a.right-a.left, a.bottom-a.top)
	for _, c := range a.panel.Curves {
		a.curve(&c, ` clip-path="url(#`+id+`)"`)
	}
	for i, c := range a.legend() {
		const wide = 20
		y := a.top + 4 + lineHeight*(float64(i)+0.5)
		a.thumbnail(&c, a.left+5, a.left+5+wide, y)
		a.text(a.left+5+wide+4, y+textSize/3, textSize, black, "start", c.Name)
	}
	a.nameCurves()
}

// axes draws the grid, the axes and what stands beside them.
func (a *area) axes() {
	const thin, small = 0.5, textSize - 1
	for _, tick := range a.panel.X.ticks() {
		x := a.x(tick.Value)
		a.stroke(x, a.top, x, a.bottom, gridGray, thin)
		a.stroke(x, a.bottom, x, a.bottom+tickLength, gray, thin)
		a.text(x, a.bottom+tickLength+small, small, black, "middle", tick.Label)
	}
	for _, tick := range a.panel.Y.ticks() {
		y := a.y(tick.Value)
		a.stroke(a.left, y, a.right, y, gridGray, thin)
		a.stroke(a.left-tickLength, y, a.left, y, gray, thin)
		a.text(a.left-tickLength-3, y+small/3, small, black, "end", tick.Label)
	}
	a.path([]Point{{a.left, a.top}, {a.left, a.bottom}, {a.right, a.bottom}}, gray, thin, "")
	a.text((a.left+a.right)/2, a.bottom+28, textSize, black, "middle", a.panel.X.Label)
	widest := 0.0
	for _, tick := range a.panel.Y.ticks() {
		widest = max(widest, width(tick.Label, small))
	}
	x, y := a.left-tickLength-3-widest-6, (a.top+a.bottom)/2
	a.add(`<g transform="translate(%s,%s) rotate(-90)">`, x, y)
	a.text(0, 0, textSize, black, "middle", a.panel.Y.Label)
	a.add(`</g>`)
}

// nameCurves writes each curve's name beside its last point, in its colour, and no name over another.
func (a *area) nameCurves() {
	if !a.panel.Direct {
		return
	}
	named := slices.DeleteFunc(slices.Clone(a.panel.Curves), func(c Curve) bool { return c.Name == "" })
	places := make([]float64, len(named))
	for i, c := range named {
		places[i] = a.y(c.Points[len(c.Points)-1].Y)
	}
	Separate(places, lineHeight, a.top+lineHeight/2, a.bottom-lineHeight/2)
	for i, c := range named {
		a.text(a.x(c.Points[len(c.Points)-1].X)+7, places[i]+textSize/3, textSize, c.Color.look().color, "start",
			c.Name)
	}
}
