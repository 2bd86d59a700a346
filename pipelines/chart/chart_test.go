package chart

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"io"
	"math"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// example has a curve of each kind.
func example() *Figure {
	points := []Point{{0, 0}, {1, 2}, {3, 4}, {10, 5}}
	left := Panel{
		Title: "left", X: Axis{Label: "x", Max: 10, Counts: true}, Y: Axis{Label: "ε", Max: 5},
		Bands: []Band{{"a", 0, 3}, {"b", 3, 9}, {strings.Repeat("long", 20), 9, 10}},
	}
	for i, kind := range []Kind{Line, Steps, Level, Marks, Shade} {
		left.Curves = append(left.Curves,
			Curve{Name: fmt.Sprint("curve ", i), Kind: kind, Color: Color(i), Points: points})
	}
	right := Panel{
		Title: "right", X: Axis{Label: "x", Max: 10}, Y: Axis{Label: "δ", Min: 1e-12, Max: 1, Log: true},
		Curves: []Curve{{Points: []Point{{0, 0.5}, {5, 1e-6}, {10, 1e-300}}}},
	}
	return &Figure{Title: "A <title> & more", Lines: []string{"one", "two"}, Panels: []Panel{left, right}}
}

func drawn(t *testing.T, f *Figure) string {
	t.Helper()
	return string(f.SVG())
}

// TestSVG: the document is well-formed, its text is that of the figure, and no number in it is none.
func TestSVG(t *testing.T) {
	document := drawn(t, example())
	var texts []string
	for d := xml.NewDecoder(strings.NewReader(document)); ; {
		token, err := d.Token()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if text, ok := token.(xml.CharData); ok {
			texts = append(texts, string(text))
		}
	}
	for _, want := range []string{
		"A <title> & more", "one", "two", "left", "right", "x", "ε", "δ", "a", "b", "curve 4", "1e-12",
	} {
		if !slices.Contains(texts, want) {
			t.Errorf("no text is %q", want)
		}
	}
	if strings.Contains(document, "longlong") {
		t.Error("a name stands beyond its band")
	}
	if match := regexp.MustCompile(`NaN|Inf`).FindString(document); match != "" {
		t.Errorf("a number is %s", match)
	}
	if !strings.Contains(document, `font-family="Liberation Sans,Arial,`) {
		t.Error("there is no font but one")
	}
}

func TestSameBytes(t *testing.T) {
	if !bytes.Equal(example().SVG(), example().SVG()) {
		t.Error("a figure has other bytes the second time")
	}
}

// TestLooks: each colour has a look of its own.
func TestLooks(t *testing.T) {
	seen := make(map[string]bool)
	for c := Main; c <= Alarm; c++ {
		seen[c.look().color] = true
	}
	if len(seen) != int(Alarm)+1 {
		t.Errorf("%d colours, want %d", len(seen), Alarm+1)
	}
}

// TestWhiskers: a whisker stands where its range says, and a point without spread has none.
func TestWhiskers(t *testing.T) {
	panel := Panel{X: Axis{Max: 1}, Y: Axis{Max: 10}, Curves: []Curve{{
		Kind: Marked, Color: First, Points: []Point{{0, 5}, {1, 10}}, Ranges: []Range{{0, 10}, {10, 10}},
	}}}
	document := drawn(t, &Figure{Title: "t", Panels: []Panel{panel}})
	var ends [][]string
	for _, match := range regexp.MustCompile(`d="M([-\d.]+),([-\d.]+)L([-\d.]+),([-\d.]+)"[^>]*stroke="#d55e00"`).
		FindAllStringSubmatch(document, -1) {
		ends = append(ends, match[1:])
	}
	if len(ends) != 4 { // the line, and a stroke and two caps
		t.Fatalf("%d strokes, want 4", len(ends))
	}
	line, stroke := ends[0], ends[1]
	if stroke[0] != line[0] || stroke[2] != line[0] || stroke[3] != line[3] {
		t.Errorf("the whisker is %v, of the line %v", stroke, line)
	}
}

func TestTicks(t *testing.T) {
	for _, c := range []struct {
		axis Axis
		want string
	}{
		{Axis{Max: 1}, "0 0.2 0.4 0.6 0.8 1"},
		{Axis{Max: 0.75}, "0 0.1 0.2 0.3 0.4 0.5 0.6 0.7"},
		{Axis{Max: 2.2e-9}, "0 5e-10 1e-09 1.5e-09 2e-09"},
		{Axis{Max: 1, Counts: true}, "0 1"},
		{Axis{Max: 27, Counts: true}, "0 5 10 15 20 25"},
		{Axis{Max: 1e7, Counts: true}, "0 2e+06 4e+06 6e+06 8e+06 1e+07"},
		{Axis{Min: 1e-9, Max: 1, Log: true}, "1 0.01 0.0001 1e-06 1e-08"},
		{Axis{Min: 5e-4, Max: 1, Log: true}, "1 0.1 0.01 0.001"},
		{Axis{Min: 1577, Max: 8800, Log: true}, "2000 3000 4000 5000 6000 7000 8000"},
		{Axis{Min: 12, Max: 600, Log: true}, "20 50 100 200 500"},
		{Axis{Min: 1e-303, Max: 1, Log: true}, "1 1e-38 1e-76 1e-114 1e-152 1e-190 1e-228 1e-266"},
	} {
		var labels []string
		for _, tick := range c.axis.ticks() {
			if tick.Label != "" {
				labels = append(labels, tick.Label)
			}
			if at := c.axis.At(tick.Value, 0, 1); !(at >= -1e-9 && at <= 1+1e-9) {
				t.Errorf("%+v: a tick is at %v", c.axis, tick.Value)
			}
			if c.axis.Counts && tick.Value != math.Trunc(tick.Value) {
				t.Errorf("%+v: a tick is at %v releases", c.axis, tick.Value)
			}
		}
		if got := strings.Join(labels, " "); got != c.want {
			t.Errorf("%+v: ticks %s, want %s", c.axis, got, c.want)
		}
	}
}

// TestNumbers: no number has the sign of a negative zero, and multiples that are not exact stay within the axis.
func TestNumbers(t *testing.T) {
	for _, c := range []struct {
		low, high float64
		counts    bool
		want      string
	}{
		{-0.05, 1, false, "[0 0.2 0.4 0.6 0.8 1]"}, {-3, 3, false, "[-3 -2 -1 0 1 2 3]"}, {0, 1, true, "[0 1]"},
		{0.5, 0.9, true, "[]"}, {7, 2000, true, "[500 1000 1500 2000]"},
	} {
		if got := fmt.Sprintf("%.6g", Numbers(c.low, c.high, c.counts)); got != c.want {
			t.Errorf("from %v to %v, counts %v: %s, want %s", c.low, c.high, c.counts, got, c.want)
		}
	}
}

// TestFewTicks: an axis of any length has at least three labels, but for one of fewer counts, and no more than it has
// room for.
func TestFewTicks(t *testing.T) {
	for most := 1e-12; most < 1e12; most *= 1.07 {
		for _, axis := range []Axis{
			{Max: most}, {Max: math.Ceil(most), Counts: true}, {Min: 1e-2 / (1 + most), Max: 1, Log: true},
			{Min: most, Max: 1.21 * most, Log: true}, {Min: most, Max: 3 * most, Log: true},
			{Min: most, Max: 90 * most, Log: true},
			{Min: most, Max: 1.3 * most}, {Min: -most, Max: 2.9 * most},
		} {
			labelled := 0
			for _, tick := range axis.ticks() {
				if tick.Label != "" {
					labelled++
				}
			}
			if labelled < 3 && !(axis.Counts && axis.Max < 2) || labelled > labels {
				t.Errorf("%+v has %d labels", axis, labelled)
			}
		}
	}
}

// TestRoomForLegend: no curve reaches the legend. Lines of the legend stand above the highest point.
func TestRoomForLegend(t *testing.T) {
	number := `([-\d.]+)`
	y := func(document, pattern string) float64 {
		match := regexp.MustCompile(pattern).FindStringSubmatch(document)
		if match == nil {
			t.Fatalf("there is no %s", pattern)
		}
		var v float64
		fmt.Sscan(match[1], &v)
		return v
	}
	for entries := 1; entries <= 7; entries++ {
		panel := Panel{
			Title: "t", X: Axis{Label: "x", Max: 1}, Y: Axis{Label: "y", Max: 1},
			Curves: []Curve{{Name: "level", Kind: Level, Color: Second, Points: []Point{{0, 1}, {1, 1}}}},
		}
		for i := range entries - 1 {
			panel.Curves = append(panel.Curves,
				Curve{Name: fmt.Sprint("more ", i), Kind: Marks, Points: []Point{{0.5, 0.5}}})
		}
		last := "level"
		if entries > 1 {
			last = fmt.Sprint("more ", entries-2)
		}
		document := drawn(t, &Figure{Title: "f", Panels: []Panel{panel}})
		level := y(document, `d="M[-\d.]+,`+number+
			`L[-\d.]+,[-\d.]+"[^>]*stroke="#009e73"[^>]*stroke-dasharray="2,2"[^>]*clip-path`)
		text := y(document, `y="`+number+`"[^>]*>`+last+`<`)
		if text > level-2 {
			t.Errorf("%d entries: the last stands at %v, a curve at %v", entries, text, level)
		}
	}
}
