package chart

// inside tells whether a place is within the axes.
func (a *area) inside(p Point) bool {
	const slight = 1e-6
	return p.X >= a.left-slight && p.X <= a.right+slight && p.Y >= a.top-slight && p.Y <= a.bottom+slight
}

// curve draws a curve over the grid, but no Shade, which is below it; clip is the attribute that cuts a line at the
// axes.
func (a *area) curve(c *Curve, clip string) {
	look := c.Color.look()
	places := make([]Point, len(c.Points))
	for i, p := range c.Points {
		places[i] = Point{a.x(p.X), a.y(p.Y)}
	}
	switch c.Kind {
	case Steps:
		a.path(steps(places), look.color, 1.6, clip)
	case Level:
		a.path(places, look.color, 1.2, ` stroke-dasharray="`+look.dashes+`"`+clip)
	case Line, Marked:
		a.path(places, look.color, 1.6, clip)
	}
	if c.Kind == Marked {
		a.whiskers(c, places, look.color)
	}
	if c.Kind == Marked || c.Kind == Marks {
		for _, p := range places {
			if a.inside(p) {
				look.symbol(a.svg, p.X, p.Y, look.color)
			}
		}
	}
}

// steps lets the height of a point reach left to the point before.
func steps(places []Point) (all []Point) {
	for i, p := range places {
		if i > 0 {
			all = append(all, Point{places[i-1].X, p.Y})
		}
		all = append(all, p)
	}
	return all
}

func (a *area) whiskers(c *Curve, places []Point, color string) {
	const half, thin = 3, 0.8 // half the width of a cap
	for i, r := range c.Ranges {
		if r.Least < r.Greatest {
			x, low, high := places[i].X, a.y(r.Least), a.y(r.Greatest)
			a.stroke(x, low, x, high, color, thin)
			a.stroke(x-half, low, x+half, low, color, thin)
			a.stroke(x-half, high, x+half, high, color, thin)
		}
	}
}

// thumbnail draws a curve's look in the legend.
func (a *area) thumbnail(c *Curve, from, to, y float64) {
	look := c.Color.look()
	switch c.Kind {
	case Shade:
		a.rectangle(from, y-4, to-from, 8, look.color)
	case Level:
		a.path([]Point{{from, y}, {to, y}}, look.color, 1.2, ` stroke-dasharray="`+look.dashes+`"`)
	case Line, Steps, Marked:
		a.stroke(from, y, to, y, look.color, 1.6)
	}
	if c.Kind == Marked || c.Kind == Marks {
		look.symbol(a.svg, (from+to)/2, y, look.color)
	}
}
