package progress

import (
	"fmt"
	"strings"
	"sync/atomic"
	"time"

	"github.com/cheggaaa/pb/v3"
)

// A Meter is a run's progress. Its numbers may change while Line is called. In a stage behind the privacy wall they may
// depend on private data, so only a terminal may show them.
type Meter struct {
	Name string // the program's or the run's name, first on the line
	Unit string // the unit of Done and Total in the singular: "round"; or Bytes
	// Done is the number of units that are done. Total is the number of all units, 0 if it is unknown.
	Done, Total atomic.Int64
	// Documents is the number of documents read; 0 if the stage does not count them.
	Documents atomic.Int64

	said            atomic.Pointer[[2]string]
	done, documents pace
}

// Say adds text to the line. note stands after the number of units done, or instead of it while no unit is done.
// details stand at the end, and a narrow terminal omits them. "" adds nothing.
func (m *Meter) Say(note, details string) { m.said.Store(&[2]string{note, details}) }

// Bytes is the unit for a part of an input.
const Bytes = "B"

// Line returns the current line, at most columns wide. A narrow terminal omits the less important parts, the bar first.
// Line is not safe for concurrent use.
func (m *Meter) Line(columns int) string { return m.at(time.Now(), columns) }

// leastBar is the least width, in columns, that a bar takes with its percentage. A line narrower than wide has no bar.
const leastBar, wide = 20, 50

func (m *Meter) at(now time.Time, columns int) string {
	done, total := m.Done.Load(), m.Total.Load()
	bar := pb.New64(total).SetCurrent(done).SetWidth(columns).Set(pb.Static, true).
		Set(pb.Bytes, m.Unit == Bytes).Set(pb.SIBytesPrefix, true)
	room := columns
	template := `{{string . "name"}}: {{string . "text"}}`
	if total > 0 && columns >= wide {
		room -= leastBar
		template = `{{string . "name"}} {{bar . "[" "=" ">" " " "]"}}{{percent . "%4.0f %%"}}  {{string . "text"}}`
	}
	parts := m.parts(now, done, total, bar.Format)
	if len(parts) == 0 {
		return ""
	}
	text := strings.Join(parts, ", ")
	for len(parts) > 1 && pb.CellCount(m.Name+": "+text) > room {
		parts = parts[:len(parts)-1]
		text = strings.Join(parts, ", ")
	}
	line := bar.SetTemplateString(template).Set("name", m.Name).Set("text", text).String()
	if pb.CellCount(line) > columns {
		line = pb.StripString(line, columns)
	}
	return line
}

// parts returns the parts of the line, the most important first. format formats a number of units.
func (m *Meter) parts(now time.Time, done, total int64, format func(int64) string) (parts []string) {
	rate := m.done.rate(now, done)
	switch {
	case m.Unit == "", done == 0 && total == 0:
	case total > 0 && m.Unit == Bytes:
		parts = append(parts, fmt.Sprintf("%s of %s", format(done), format(total)))
	case total > 0:
		parts = append(parts, fmt.Sprintf("%s %d of %d", m.Unit, done, total))
	case m.Unit == Bytes:
		parts = append(parts, format(done))
	default:
		parts = append(parts, fmt.Sprintf("%s %d", m.Unit, done))
	}
	var note, details string
	if said := m.said.Load(); said != nil {
		note, details = said[0], said[1]
	}
	if note != "" {
		parts = append(parts, note)
	}
	if left, known := m.done.left(now, done, total, rate); known {
		parts = append(parts, "ETA "+left.Round(time.Second).String())
	}
	if m.Unit != "" && m.Unit != Bytes && rate > 0 {
		parts = append(parts, speed(rate, m.Unit))
	}
	if documents := m.Documents.Load(); documents > 0 {
		parts = append(parts, fmt.Sprintf("%d documents", documents))
		if rate := m.documents.rate(now, documents); rate > 0 {
			parts = append(parts, speed(rate, "document"))
		}
	}
	if details != "" {
		parts = append(parts, details)
	}
	return parts
}

// speed formats a rate as units a second, or a slow rate as seconds a unit.
func speed(rate float64, unit string) string {
	switch {
	case rate >= 10:
		return fmt.Sprintf("%.0f %ss/s", rate, unit)
	case rate >= 1:
		return fmt.Sprintf("%.1f %ss/s", rate, unit)
	}
	return fmt.Sprintf("%.1f s a %s", 1/rate, unit)
}
