package chart

// Lengths are in points. The height of a panel includes its axes and titles.
const (
	panelWidth, panelHeight = 360.0, 288.0
	margin                  = 14.0
	titleSize, textSize     = 13.0, 9.0
	lineHeight              = 13.0 // of text in the heading and in the legend
	symbolSize              = 3.0
	tickLength              = 4.0
)

// The layout was made with Liberation Sans. Arial and Helvetica have letters of the same width.
const fonts = "Liberation Sans,Arial,Helvetica,sans-serif"

// The colours of curves come from Okabe and Ito, Color Universal Design (2008).
const (
	black    = "#282828"
	gray     = "#6e6e6e"
	gridGray = "#e1e1e1"
	bandGray = "#f4f5f8"
)

// A look is how the curves of a colour are drawn. Dashes and symbols tell curves apart without their colours.
type look struct {
	color, dashes string
	symbol        func(s *svg, x, y float64, color string)
}

func (c Color) look() look {
	switch c {
	case First:
		return look{"#d55e00", "6,3", (*svg).pyramid}
	case Second:
		return look{"#009e73", "2,2", (*svg).box}
	case Third:
		return look{"#cc79a7", "8,2,2,2", (*svg).ring}
	case Fourth:
		return look{"#e69f00", "1,3", (*svg).cross}
	case Fifth:
		return look{"#56b4e9", "4,2", (*svg).square}
	case Alarm:
		return look{"#f6d7c4", "6,3", (*svg).circle}
	}
	return look{"#0072b2", "6,3", (*svg).circle}
}

// width is about how wide a text is. Digits are as wide as this, and most letters not wider.
func width(text string, size float64) float64 { return 0.556 * size * float64(len([]rune(text))) }
