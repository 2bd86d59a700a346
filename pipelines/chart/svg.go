package chart

import (
	"encoding/xml"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// An svg collects the elements of a document.
type svg struct{ strings.Builder }

// number writes a length, to a hundredth of a point. Far beyond the document all lengths are alike.
func number(v float64) string {
	const far = 1e5
	return strconv.FormatFloat(math.Round(100*max(-far, min(far, v)))/100+0, 'f', -1, 64)
}

func escape(text string) string {
	var b strings.Builder
	xml.EscapeText(&b, []byte(text)) // a strings.Builder does not fail
	return b.String()
}

// add writes an element. Its format may have %s for numbers.
func (s *svg) add(format string, numbers ...float64) {
	all := make([]any, len(numbers))
	for i, n := range numbers {
		all[i] = number(n)
	}
	fmt.Fprintf(s, format+"\n", all...)
}

// path draws a line through points, with more attributes.
func (s *svg) path(points []Point, color string, width float64, more string) {
	var d strings.Builder
	for i, p := range points {
		d.WriteByte("ML"[min(i, 1)])
		d.WriteString(number(p.X) + "," + number(p.Y))
	}
	s.add(`<path d="`+d.String()+`" fill="none" stroke="`+color+`" stroke-width="%s"`+more+`/>`, width)
}

func (s *svg) stroke(x1, y1, x2, y2 float64, color string, width float64) {
	s.path([]Point{{x1, y1}, {x2, y2}}, color, width, "")
}

func (s *svg) rectangle(x, y, width, height float64, color string) {
	s.add(`<rect x="%s" y="%s" width="%s" height="%s" fill="`+color+`"/>`, x, y, width, height)
}

// text writes a text; anchor is start, middle or end.
func (s *svg) text(x, y, size float64, color, anchor, text string) {
	s.add(`<text x="%s" y="%s" font-size="%s" fill="`+color+`" text-anchor="`+anchor+`">`+
		strings.ReplaceAll(escape(text), "%", "%%")+`</text>`, x, y, size)
}

func (s *svg) circle(x, y float64, color string) {
	s.add(`<circle cx="%s" cy="%s" r="%s" fill="`+color+`"/>`, x, y, symbolSize)
}

func (s *svg) ring(x, y float64, color string) {
	s.add(`<circle cx="%s" cy="%s" r="%s" fill="none" stroke="`+color+`"/>`, x, y, symbolSize)
}

func (s *svg) box(x, y float64, color string) {
	const r = symbolSize - 0.3
	s.rectangle(x-r, y-r, 2*r, 2*r, color)
}

func (s *svg) square(x, y float64, color string) {
	const r = symbolSize - 0.3
	s.add(`<rect x="%s" y="%s" width="%s" height="%s" fill="none" stroke="`+color+`"/>`, x-r, y-r, 2*r, 2*r)
}

func (s *svg) pyramid(x, y float64, color string) {
	const r = symbolSize + 0.5
	s.add(`<path d="M%s,%sL%s,%sL%s,%sZ" fill="`+color+`"/>`, x-r, y+0.7*r, x, y-r, x+r, y+0.7*r)
}

func (s *svg) cross(x, y float64, color string) {
	const r = symbolSize - 0.3
	s.add(`<path d="M%s,%sL%s,%sM%s,%sL%s,%s" stroke="`+color+`"/>`, x-r, y-r, x+r, y+r, x-r, y+r, x+r, y-r)
}
