package shares

import (
	"fmt"
	"math"
	"strconv"
)

// A Window is the release of one window: the noisy sums of the shares of K topics, and of documents without a known
// word, in each group.
type Window struct {
	Name      string
	Sums      []float64 // G × (K+1), row by row
	Deviation float64   // of the noise on each
}

// A Series is a list of windows with the same topics and groups.
type Series struct {
	Windows []Window
	Topics  int
	Groups  []string // names of the rows; without groups one empty name
	Names   []string // of topics; nil: they have none
	// Confidence is the probability that the bands of all topics of a window hold together.
	Confidence float64
	Test       Test
}

// A Row is one topic in one window.
type Row struct {
	Window, Group, Topic, Name string
	Documents, Share           Band
	Change                     *Band   // of the share since the window before; nil: there is none, or too few documents
	Baseline                   float64 // share in the windows before; NaN without any
	Alarm                      *Alarm  // nil: none
}

// all and none are the topics of a row for all documents, and for documents without a known word.
const (
	all  = "all"
	none = "none"
)

// Rows returns all rows: window by window, group by group, all documents first and then topic by topic.
func (s *Series) Rows() []Row {
	m := s.Topics + 1
	bands := quantile(s.Confidence, len(s.Groups)*(2*m+1)) // m documents, their sum, and m shares in each group
	var rows []Row
	for w, window := range s.Windows {
		for g, group := range s.Groups {
			sum := s.cell(w, g, 0, nil).total
			rows = append(rows, Row{
				Window: window.Name, Group: group, Topic: all,
				Documents: documents(sum, window.Deviation*math.Sqrt(float64(m)), bands),
				Share:     Band{1, 1, 1}, Baseline: math.NaN(),
			})
			alarms := s.alarms(w, g)
			for k := range m {
				r := s.row(w, g, k, bands)
				if least, moved := alarms[k]; moved {
					r.Alarm = &Alarm{r.Window, r.Group, r.Topic, r.Name, r.Share.Value, r.Baseline, least}
				}
				rows = append(rows, r)
			}
		}
	}
	return rows
}

// row returns the row of one topic. The topic K is that of documents without a known word.
func (s *Series) row(w, g, k int, bands float64) Row {
	now := s.cell(w, g, k, nil)
	r := Row{
		Window: s.Windows[w].Name, Group: s.Groups[g], Topic: none, Baseline: math.NaN(),
		Documents: documents(now.y, now.deviation, bands),
		Share:     share(now.y, now.total, now.deviation, now.m, bands),
	}
	if k < s.Topics {
		r.Topic = strconv.Itoa(k)
		if s.Names != nil {
			r.Name = s.Names[k]
		}
	}
	if w == 0 {
		return r
	}
	if b, ok := change(s.cell(w-1, g, k, nil), now, bands); ok {
		r.Change = &b
	}
	r.Baseline = s.baseline(w, g, k, nil).share()
	return r
}

// alarms returns the topics that moved in a window, and the least change that each needed. A topic that rises takes
// shares from all others. So the topic that moved most is taken out first, and the others are compared among
// themselves, and so on. Where nothing changed, the first step decides, and its rate is that of the test.
func (s *Series) alarms(w, g int) map[int]float64 {
	moved, m := make(map[int]float64), s.Topics+1
	z := quantile(1-s.Test.Rate, len(s.Groups)*m)
	for w > 0 && len(moved) < m-1 {
		topic, most, least := -1, 1., 0.
		for k := range m {
			if _, out := moved[k]; out {
				continue
			}
			change, needed := s.Test.change(s.baseline(w, g, k, moved), s.cell(w, g, k, moved), z)
			if needed > 0 && change > most*needed {
				topic, most, least = k, change/needed, needed
			}
		}
		if topic < 0 {
			break
		}
		moved[topic] = least
	}
	return moved
}

// few returns a line for each window that has less than half of the documents of those before, by more than the noise
// explains, and an empty one for the others. A text may be incomplete, and its window is released for good.
func (s *Series) few(units string) []string {
	m := float64((s.Topics + 1) * len(s.Groups))
	total := func(w int) (sum float64) {
		for _, y := range s.Windows[w].Sums {
			sum += y
		}
		return sum
	}
	lines := make([]string, len(s.Windows))
	for w := 1; w < len(s.Windows); w++ {
		n := float64(min(w, s.Test.Baseline))
		before, variance := 0., m*s.Windows[w].Deviation*s.Windows[w].Deviation
		for v := w - int(n); v < w; v++ {
			before += total(v) / n
			variance += m * s.Windows[v].Deviation * s.Windows[v].Deviation / (n * n)
		}
		if now := total(w); now < before/2 && before-now > enough*math.Sqrt(variance) {
			lines[w] = fmt.Sprintf("%s: about %.0f %s, and %.0f in a window before: is the text complete?",
				s.Windows[w].Name, max(0, now), units, before)
		}
	}
	return lines
}

// baseline returns the sum of a topic in the windows before one, as cell does.
func (s *Series) baseline(w, g, k int, without map[int]float64) cell {
	sum := s.cell(w-1, g, k, without)
	for v := w - 2; v >= max(0, w-s.Test.Baseline); v-- {
		sum = sum.add(s.cell(v, g, k, without))
	}
	return sum
}

// cell returns the sum of a topic in a group of a window. The total is that of the topics that are not left out.
func (s *Series) cell(w, g, k int, without map[int]float64) cell {
	m := s.Topics + 1
	sums := s.Windows[w].Sums[g*m : (g+1)*m]
	c := cell{y: sums[k], m: m - len(without), deviation: s.Windows[w].Deviation}
	for i, y := range sums {
		if _, out := without[i]; !out {
			c.total += y
		}
	}
	return c
}
