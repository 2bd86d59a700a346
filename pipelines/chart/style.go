package chart

import (
	"image/color"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// The size of a panel with its axes, the size of the heading, and the margin around all.
const (
	panelWidth, panelHeight = 5 * vg.Inch, 4 * vg.Inch
	margin                  = 14
	titleSize, textSize     = 13, 9
	lineHeight              = 13
	namesHeight             = 14 // for the names of bands
	legendLine              = 13
)

// The colours come from Okabe and Ito, Color Universal Design (2008).
var colors = map[Color]color.NRGBA{
	Main:   {0, 114, 178, 255},
	First:  {213, 94, 0, 255},
	Second: {0, 158, 115, 255},
	Third:  {204, 121, 167, 255},
	Fourth: {230, 159, 0, 255},
	Fifth:  {86, 180, 233, 255},
	Alarm:  {213, 94, 0, 60},
}

// dashes tell levels apart without their colours.
var dashes = map[Color][]vg.Length{
	Main: {6, 3}, First: {6, 3}, Second: {2, 2}, Third: {8, 2, 2, 2}, Fourth: {1, 3}, Fifth: {4, 2}, Alarm: {6, 3},
}

var shapes = map[Color]draw.GlyphDrawer{
	Main: draw.CircleGlyph{}, First: draw.PyramidGlyph{}, Second: draw.BoxGlyph{}, Third: draw.RingGlyph{},
	Fourth: draw.CrossGlyph{}, Fifth: draw.SquareGlyph{}, Alarm: draw.CircleGlyph{},
}

var (
	black    = color.NRGBA{40, 40, 40, 255}
	gray     = color.NRGBA{110, 110, 110, 255}
	gridGray = color.NRGBA{225, 225, 225, 255}
	bandGray = color.NRGBA{244, 245, 248, 255}
)

// style returns the style for text with a size in points.
func style(size float64, c color.Color) text.Style {
	return text.Style{
		Color: c, Font: font.From(font.Font{Typeface: "Liberation", Variant: "Sans"}, vg.Points(size)),
		Handler: plot.DefaultTextHandler,
	}
}
