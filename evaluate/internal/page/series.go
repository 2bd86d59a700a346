package page

import (
	"cmp"
	_ "embed"
	"fmt"
	"html/template"
	"math"
	"slices"
	"strings"
	"sync"
)

// A Series is the contents of the page of topics over time. All of it is public.
type Series struct {
	Title      string
	Protection *Protection // nil: no ledger was given
	Unit       string      // "documents" or "users"
	Windows    []string    // in order
	Total      Reading     // of all documents of the newest window
	Topics     []*Multiple
	Learned    bool   // the topics follow the text: a window is counted under topics learned before it
	News       []News // alarms, the newest first
	Settings   []Row
	Sources    []Row
}

// A Reading is a number with its band.
type Reading struct{ Value, Low, High float64 }

// A Point is one topic in one window.
type Point struct {
	Window           string
	Documents, Share Reading
	Change           float64 // of the share since the window before; NaN: none
	Baseline         float64 // share in the windows before; NaN: none
	Alarm            bool
}

// A Multiple is a topic over all windows, and its small chart.
type Multiple struct {
	Group, Topic, Name string
	Now                string // the topic's leading words now; empty: not known
	Points             []Point
	Stretches          []Stretch // of windows with enough documents
	Alarms             []Dot
	Text               string // says what the chart shows
}

// A Stretch is windows in a row: the points of the chart's line, and of the area between the ends of its bands.
type Stretch struct{ Line, Band string }

// News is one alarm.
type News struct {
	Window, Group, Name string
	Share, Baseline     float64
	Rose                bool
}

// The small chart's size in its view box.
const (
	MultipleWidth, MultipleHeight = 300.0, 52.0
	multipleEdge                  = 5.0
)

// Label is the name of a topic, or its number.
func (m *Multiple) Label() string {
	switch {
	case m.Topic == "none":
		return "no known word"
	case m.Name == "":
		return "topic " + m.Topic
	}
	return m.Name
}

// Newest is the point of the last window.
func (m *Multiple) Newest() Point { return m.Points[len(m.Points)-1] }

// Percent is the newest share in percent, and empty if the documents are too few for one.
func (m *Multiple) Percent() string {
	if p := m.Newest(); p.Clear() {
		return fmt.Sprintf("%.2f", 100*p.Share.Value)
	}
	return ""
}

// SharePercent and BaselinePercent are in percent.
func (n News) SharePercent() float64    { return 100 * n.Share }
func (n News) BaselinePercent() float64 { return 100 * n.Baseline }

// Against is the newest share less that of the windows before, in percentage points.
func (m *Multiple) Against() string {
	p := m.Newest()
	if math.IsNaN(p.Baseline) || !p.Clear() {
		return ""
	}
	return fmt.Sprintf("%.2f", 100*(p.Share.Value-p.Baseline))
}

// Clear reports whether the window has enough documents for a share. Else its band is all of [0, 1].
func (p Point) Clear() bool { return p.Share.Low > 0 || p.Share.High < 1 }

// A measure is what the small charts show of a point.
type measure struct {
	of    func(Point) Reading
	clear func(Point) bool // whether the point has it
	least float64          // highest value of a chart whose topic has nearly none
	print func(float64) string
}

// count prints a number of documents. Noise may have made it negative.
func count(x float64) string { return fmt.Sprintf("%.0f", max(0, x)) }

// draw makes the chart over the windows.
func (m *Multiple) draw(by measure) {
	top, highest := by.least, -1
	for i, p := range m.Points {
		if !by.clear(p) {
			continue
		}
		top = max(top, 1.3*by.of(p).Value)
		if highest < 0 || by.of(p).Value > by.of(m.Points[highest]).Value {
			highest = i
		}
	}
	x := func(i int) float64 {
		if len(m.Points) == 1 {
			return MultipleWidth / 2
		}
		return multipleEdge + (MultipleWidth-2*multipleEdge)*float64(i)/float64(len(m.Points)-1)
	}
	y := func(value float64) float64 {
		return MultipleHeight - 1 - (MultipleHeight-multipleEdge-1)*max(0, min(1, value/top))
	}
	place := func(i int, value float64) string { return fmt.Sprintf("%.1f,%.1f", x(i), y(value)) }
	for from := 0; from < len(m.Points); from++ {
		var stretch Stretch
		var upper, lower, line []string
		for ; from < len(m.Points) && by.clear(m.Points[from]); from++ {
			s := by.of(m.Points[from])
			line, upper = append(line, place(from, s.Value)), append(upper, place(from, s.High))
			lower = append(lower, place(from, s.Low))
		}
		if len(line) == 0 {
			continue
		}
		if len(line) == 1 { // a lone window is a dash
			line = append(line, line[0])
		}
		slices.Reverse(lower)
		stretch.Line, stretch.Band = strings.Join(line, " "), strings.Join(append(upper, lower...), " ")
		m.Stretches = append(m.Stretches, stretch)
	}
	if highest < 0 { // no window has enough documents of this group
		m.Text = m.Label() + ": too few for a share in each window"
		return
	}
	m.Text = fmt.Sprintf("%s: highest %s in %s", m.Label(), by.print(by.of(m.Points[highest]).Value),
		m.Points[highest].Window)
	if p := m.Newest(); by.clear(p) {
		m.Text += fmt.Sprintf(", %s in %s", by.print(by.of(p).Value), p.Window)
	}
	for i, p := range m.Points {
		if p.Alarm {
			m.Alarms = append(m.Alarms, Dot{X: x(i), Y: y(by.of(p).Value)})
			m.Text += ", alarm in " + p.Window
		}
	}
}

//go:embed series.html
var seriesHTML string

var seriesTemplate = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("series").Funcs(template.FuncMap{
		"percent": percent, "count": count,
	}).Parse(seriesHTML))
})

// HTML returns the page.
func (s *Series) HTML() ([]byte, error) {
	// Shares have gaps where the documents are too few for one. Counts are always there.
	by := measure{func(p Point) Reading { return p.Share }, Point.Clear, 0.005, percent}
	if s.Counted() {
		by = measure{func(p Point) Reading { return p.Documents }, func(Point) bool { return true }, 5, count}
	}
	for _, m := range s.Topics {
		m.draw(by)
		for _, p := range m.Points {
			if p.Alarm {
				s.News = append(s.News, News{p.Window, m.Group, m.Label(), p.Share.Value, p.Baseline,
					p.Share.Value > p.Baseline})
			}
		}
	}
	slices.SortStableFunc(s.Topics, func(a, b *Multiple) int { return cmp.Compare(b.mass(), a.mass()) })
	place := make(map[string]int)
	for i, w := range s.Windows {
		place[w] = i
	}
	slices.SortStableFunc(s.News, func(a, b News) int {
		return cmp.Or(place[b.Window]-place[a.Window],
			cmp.Compare(math.Abs(b.Share-b.Baseline), math.Abs(a.Share-a.Baseline)))
	})
	return render(seriesTemplate(), struct {
		*Series
		shell
	}{s, newShell()})
}

// mass is the number of documents in all windows, by which topics are ordered.
func (m *Multiple) mass() (sum float64) {
	for _, p := range m.Points {
		sum += p.Documents.Value
	}
	return sum
}

// Counted reports whether the charts show numbers of documents, since many windows have too few for shares.
func (s *Series) Counted() bool {
	clear := 0
	for _, p := range s.Topics[0].Points {
		if p.Clear() {
			clear++
		}
	}
	return 5*clear < 4*len(s.Windows)
}

// Newest is the newest window's alarms.
func (s *Series) Newest() (news []News) {
	for _, n := range s.News {
		if n.Window == s.Windows[len(s.Windows)-1] {
			news = append(news, n)
		}
	}
	return news
}

// Last is the name of the newest window, and First of the oldest.
func (s *Series) Last() string  { return s.Windows[len(s.Windows)-1] }
func (s *Series) First() string { return s.Windows[0] }

// Grouped reports whether documents are in groups.
func (s *Series) Grouped() bool { return s.Topics[0].Group != "" }
