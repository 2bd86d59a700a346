package shares

import (
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
	bands := quantile(s.Confidence, len(s.Groups)*(m+1))
	alarms := quantile(1-s.Test.Rate, len(s.Groups)*m)
	var rows []Row
	for w, window := range s.Windows {
		for g, group := range s.Groups {
			sum := s.cell(w, g, 0).total
			rows = append(rows, Row{
				Window: window.Name, Group: group, Topic: all,
				Documents: documents(sum, window.Deviation*math.Sqrt(float64(m)), bands),
				Share:     Band{1, 1, 1}, Baseline: math.NaN(),
			})
			for k := range m {
				rows = append(rows, s.row(w, g, k, bands, alarms))
			}
		}
	}
	return rows
}

// row returns the row of one topic. The topic K is that of documents without a known word.
func (s *Series) row(w, g, k int, bands, alarms float64) Row {
	now := s.cell(w, g, k)
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
	if b, ok := change(s.cell(w-1, g, k), now, bands); ok {
		r.Change = &b
	}
	baseline := s.cell(w-1, g, k)
	for v := w - 2; v >= max(0, w-s.Test.Baseline); v-- {
		baseline = baseline.add(s.cell(v, g, k))
	}
	r.Baseline = baseline.share()
	if least, alarm := s.Test.moved(baseline, now, alarms); alarm {
		r.Alarm = &Alarm{r.Window, r.Group, r.Topic, r.Name, r.Share.Value, r.Baseline, least}
	}
	return r
}

// cell returns the sum of a topic in a group of a window.
func (s *Series) cell(w, g, k int) cell {
	m := s.Topics + 1
	sums := s.Windows[w].Sums[g*m : (g+1)*m]
	c := cell{y: sums[k], m: m, deviation: s.Windows[w].Deviation}
	for _, y := range sums {
		c.total += y
	}
	return c
}
