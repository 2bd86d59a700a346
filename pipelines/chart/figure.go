package chart

import "errors"

// A Figure is panels under one heading.
type Figure struct {
	Title  string
	Lines  []string // below the title
	Panels []Panel  // from left to right, at least one
}

// A Panel is curves over two axes, with their legend above everything that is drawn.
type Panel struct {
	Title string
	X, Y  Axis
	// Bands are intervals of X, shaded in turn and without overlap. Their names stand above if there is room for them.
	Bands  []Band
	Curves []Curve // later ones are drawn over earlier ones, and shades below all
	// Direct writes the names of curves beside their last points, not into a legend.
	Direct bool
}

// An Axis reaches from Min to Max, both finite, Min < Max. The room for the legend comes on top of Y.
type Axis struct {
	Label    string
	Min, Max float64
	Log      bool // Min > 0
	Counts   bool // ticks at integers only
	// Ticks are the places of the ticks; nil: at round numbers.
	Ticks []float64
}

// A Band is the interval on an axis that one name stands for.
type Band struct {
	Name     string
	From, To float64
}

// A Point has finite numbers; on an axis with Log they are above 0. Points outside of the axes are cut off.
type Point struct{ X, Y float64 }

// A Curve is points, at least one, drawn in one of the ways below.
type Curve struct {
	Name   string // in the legend; none if it is empty
	Kind   Kind
	Color  Color
	Points []Point
	// Ranges are whiskers around the points of a Marked curve; nil: none. There is one for each point.
	Ranges []Range
}

// A Range is the least and the greatest Y that a point stands for; a whisker is drawn if they differ.
type Range struct{ Least, Greatest float64 }

// A Kind is how a curve is drawn.
type Kind int

const (
	Line   Kind = iota // from point to point
	Marked             // from point to point, with a symbol at each
	Steps              // a point's Y reaches left to the point before
	Level              // dashed, from point to point
	Marks              // a symbol at each point
	Shade              // below the grid, all between the X of the first and the last point
)

// A Color tells curves apart; people who do not see all colours see these apart, too.
type Color int

const (
	Main Color = iota
	First
	Second
	Third
	Fourth
	Fifth
	Alarm
)

// NoPNG refuses a flag's value that asks for a PNG image.
func NoPNG(flag string) error {
	return errors.New(flag + ": figures are SVG: write FILE.svg, and convert it: " +
		"rsvg-convert -z 2 -o FILE.png FILE.svg, or a browser")
}
