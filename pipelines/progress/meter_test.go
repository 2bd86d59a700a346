package progress

import (
	"strings"
	"testing"
	"time"

	"github.com/cheggaaa/pb/v3"
)

var begun = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

// at is a time so many seconds after the begin.
func at(seconds float64) time.Time {
	return begun.Add(time.Duration(seconds * float64(time.Second)))
}

func TestLine(t *testing.T) {
	for name, c := range map[string]struct {
		meter     func(m *Meter) // a second and again two seconds after the begin
		name      string
		unit      string
		columns   int
		one, then string // the line after the first call, and after the second
	}{
		"rounds": {
			name: "mstep", unit: "round", columns: 80,
			meter: func(m *Meter) { m.Total.Store(80); m.Done.Add(20) },
			one:   "mstep [============>                                     ]  25 %  round 20 of 80",
			then:  "mstep [==============>              ]  50 %  round 40 of 80, ETA 2s, 20 rounds/s",
		},
		"slow rounds": {
			name: "mstep", unit: "round", columns: 80,
			meter: func(m *Meter) { m.Total.Store(10); m.Done.Add(1) },
			one:   "mstep [=====>                                             ]  10 %  round 1 of 10",
			then:  "mstep [=====>                       ]  20 %  round 2 of 10, ETA 8s, 1.0 rounds/s",
		},
		"rounds of nobody knows how many": {
			name: "mstep", unit: "round", columns: 80,
			meter: func(m *Meter) { m.Done.Add(2) },
			one:   "mstep: round 2", then: "mstep: round 4, 2.0 rounds/s",
		},
		"not begun": {
			name: "mstep", unit: "round", columns: 80, meter: func(m *Meter) { m.Say("waiting", "") },
			one: "mstep: waiting", then: "mstep: waiting",
		},
		"nothing": {name: "mstep", unit: "round", columns: 80, meter: func(*Meter) {}},
		"bytes": {
			name: "tokenize", unit: Bytes, columns: 90,
			meter: func(m *Meter) { m.Total.Store(40e6); m.Done.Add(10e6); m.Documents.Add(12345) },
			one:   "tokenize [========>                         ]  25 %  10.00 MB of 40.00 MB, 12345 documents",
			then:  "tokenize [============>             ]  50 %  20.00 MB of 40.00 MB, ETA 2s, 24690 documents",
		},
		"bytes of a pipe": {
			name: "tokenize", unit: Bytes, columns: 90,
			meter: func(m *Meter) { m.Done.Add(5e5); m.Documents.Add(7) },
			one:   "tokenize: 500.00 kB, 7 documents", then: "tokenize: 1.00 MB, 14 documents, 7.0 documents/s",
		},
		"only documents": {
			name: "estep", columns: 90, meter: func(m *Meter) { m.Documents.Add(7) },
			one: "estep: 7 documents", then: "estep: 14 documents, 7.0 documents/s",
		},
		"a note": {
			name: "account", unit: "release", columns: 100,
			meter: func(m *Meter) { m.Total.Store(80); m.Done.Add(4); m.Say("ε 0.41 of 1", "δ 1e-06") },
			one: "account [==>                                          ]   5 %  release 4 of 80, ε 0.41 of 1, δ " +
				"1e-06",
			then: "account [=>                  ]  10 %  release 8 of 80, ε 0.41 of 1, ETA 18s, 4.0 releases/s, δ " +
				"1e-06",
		},
		"less room": {
			name: "account", unit: "release", columns: 60,
			meter: func(m *Meter) { m.Total.Store(80); m.Done.Add(4); m.Say("ε 0.41 of 1", "δ 1e-06") },
			one:   "account [>             ]   5 %  release 4 of 80, ε 0.41 of 1",
			then:  "account [=>            ]  10 %  release 8 of 80, ε 0.41 of 1",
		},
		"little room": {
			name: "account", unit: "release", columns: 45,
			meter: func(m *Meter) { m.Total.Store(80); m.Done.Add(4); m.Say("ε 0.41 of 1", "") },
			one:   "account: release 4 of 80, ε 0.41 of 1", then: "account: release 8 of 80, ε 0.41 of 1",
		},
		"hardly any": {
			name: "account", unit: "release", columns: 12,
			meter: func(m *Meter) { m.Total.Store(80); m.Done.Add(4) },
			one:   "account: rel", then: "account: rel",
		},
		"more than there was": { // a file that grows
			name: "tokenize", unit: Bytes, columns: 70,
			meter: func(m *Meter) { m.Total.Store(1000); m.Done.Add(1500) },
			one:   "tokenize [================================>] 150 %  1.50 kB of 1.00 kB",
			then:  "tokenize [========================>] 300 %  3.00 kB of 1.00 kB, ETA 0s",
		},
	} {
		m := &Meter{Name: c.name, Unit: c.unit}
		c.meter(m)
		one := m.at(at(1), c.columns)
		c.meter(m)
		then := m.at(at(2), c.columns)
		if one != c.one || then != c.then {
			t.Errorf("%s: the lines are\n%q\n%q, want\n%q\n%q", name, one, then, c.one, c.then)
		}
	}
}

// TestLineFits draws lines of all kinds for all widths: none is wider, and none sends the terminal anything but text.
func TestLineFits(t *testing.T) {
	for columns := range 150 {
		m := &Meter{Name: "account", Unit: "release"}
		for second := range 3 {
			line := m.at(at(float64(second)), columns)
			if pb.CellCount(line) > columns {
				t.Errorf("%d columns for %d: %q", pb.CellCount(line), columns, line)
			}
			if strings.ContainsFunc(line, func(r rune) bool { return r < ' ' || r == 0x7f }) {
				t.Errorf("%d columns: %q", columns, line)
			}
			if bar := strings.Contains(line, "["); bar != (columns >= wide && second > 0) {
				t.Errorf("%d columns, second %d: %q", columns, second, line)
			}
			m.Total.Store(1000)
			m.Done.Add(123)
			m.Documents.Add(1e6)
			m.Say("ε 0.41 of 1", "δ 1e-06")
		}
	}
}
