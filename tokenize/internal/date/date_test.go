package date

import (
	"strings"
	"testing"
	"time"
)

// TestParse: forms of one instant, 2026-03-02 08:30:00 UTC, and forms that are refused.
func TestParse(t *testing.T) {
	const want = 1772440200
	for _, c := range []struct{ format, zone, date, fault string }{
		{"", "UTC", "2026-03-02T08:30:00Z", ""},
		{"", "UTC", " 2026-03-02 08:30:00 ", ""},
		{"", "UTC", "2026-03-02t08:30z", ""},
		{"", "UTC", "2026-03-02 09:30:00.000 +01:00", ""},
		{"", "UTC", "2026-03-02 08:30:00+00", ""},
		{"", "UTC", "2026-03-02T13:30:00.5+0500", ""},
		{"", "Europe/Berlin", "2026-03-02T09:30", ""},
		{"", "America/New_York", "2026-03-02 03:30:00", ""},
		{"iso", "Asia/Tokyo", "2026-03-02T17:30:00", ""},
		{"", "Asia/Tokyo", "1772440200", ""},
		{"", "UTC", "1772440200.25", ""},
		{"unix", "UTC", "1.7724402e9", ""},
		{"unix-ms", "UTC", "1772440200000", ""},
		{"", "UTC", "Mon, 2 Mar 2026 09:30:00 +0100 (CET)", ""},
		{"", "UTC", "2 Mar 2026 08:30 GMT", ""},
		{"%d/%m/%Y %H:%M", "UTC", "2/3/2026 8:30", ""},
		{"%d,%B,%Y %I.%M %p", "UTC", "02,March,2026 08.30 AM", ""},
		{"%a %b %d %T %z %Y", "UTC", "Mon Mar 2 09:30:00 +0100 2026", ""},
		{"%Y%m%dT%H%M%S", "UTC", "20260302T083000", ""},
		{"", "UTC", "", "no date"},
		{"", "UTC", "20260302", "eight digits"},
		{"", "UTC", "1.7724402e9", ""},
		{"", "UTC", "2026", "small number"},  // a year
		{"", "UTC", "46083", "small number"}, // a day of a spreadsheet
		{"", "UTC", "2026-03 -02", "none of ISO 8601"},
		{"", "UTC", "2026-03-02 08:30:00 ", ""},
		{"", "UTC", "1e12", "unix-ms"},
		{"", "UTC", "1772440200000", "unix-ms"},
		{"", "UTC", "2026-02-30", "none of ISO 8601"},
		{"", "UTC", "March 2nd", "none of ISO 8601"},
		{"", "UTC", "NaN", "none of ISO 8601"},
		{"iso", "UTC", "1772440200", "is not as"},
		{"unix", "UTC", "Inf", "is not as"},
		{"unix", "UTC", "2026-03-02", "is not as"},
		{"%d/%m/%Y", "UTC", "2026-03-02", "is not as"},
	} {
		r, err := NewRule(c.format, c.zone, "", "")
		if err != nil {
			t.Fatal(err)
		}
		got, err := r.parse(strings.TrimSpace(c.date))
		switch {
		case c.fault == "" && (err != nil || got.Unix() != want):
			t.Errorf("%q by %q: %v, %v", c.date, c.format, got.UTC(), err)
		case c.fault != "" && (err == nil || !strings.Contains(err.Error(), c.fault)):
			t.Errorf("%q by %q: %v, %v; want %q", c.date, c.format, got, err, c.fault)
		}
	}
}

// TestKeeps: a window has its first instant and not its end.
func TestKeeps(t *testing.T) {
	r, err := NewRule("", "Europe/Berlin", "2026-03-29", "2026-03-30") // a day of 23 hours
	if err != nil {
		t.Fatal(err)
	}
	for date, want := range map[string]bool{
		"2026-03-28T22:59:59Z": false, "2026-03-28T23:00:00Z": true, "2026-03-29": true, "2026-03-29 23:59:59.9": true,
		"2026-03-29T21:59:60Z": true, "2026-03-29T22:00:00Z": false, "2026-03-30": false,
	} {
		if got, err := r.Keeps(date); err != nil || got != want {
			t.Errorf("%s: %v, %v; want %v", date, got, err, want)
		}
	}
	open, err := NewRule("", "UTC", "", "2026-01-01")
	if kept, e := open.Keeps("0001-01-01"); err != nil || e != nil || !kept {
		t.Errorf("a window without a beginning: %v, %v, %v", kept, err, e)
	}
	if kept, e := open.Keeps("0000-05-05"); e != nil || !kept {
		t.Errorf("the year 0: %v, %v", kept, e)
	}
	if kept, e := open.Keeps("2026-01-01"); e != nil || kept {
		t.Errorf("its end: %v, %v", kept, e)
	}
	first, err := NewRule("", "UTC", "", "0001-01-01")
	if kept, e := first.Keeps("2026-01-01"); err != nil || e != nil || kept {
		t.Errorf("after the end in the first year: %v, %v, %v", kept, err, e)
	}
}

func TestRuleRefuses(t *testing.T) {
	for _, c := range [][5]string{
		{"", "Mars/Olympus", "", "", "no zone"},
		{"", "Local", "", "", "no zone"},
		{"seconds", "UTC", "", "", "--date-format must be"},
		{"%d.%m", "UTC", "", "", "must have a year"},
		{"%Y-%m", "UTC", "", "", "must have a year"},
		{"%Q", "UTC", "", "", "directive %Q"},
		{"%F %T %Z", "UTC", "", "", "directive %Z"}, // names of zones are ambiguous
		{"%Y-%m-%d at 2", "UTC", "", "", "letter or digit"},
		{"%Y-%m-%d %", "UTC", "", "", "ends within"},
		{"", "UTC", "yesterday", "", "--from must be"},
		{"", "UTC", "", "1772440200", "--until must be"},
		{"", "UTC", "2026-03-02", "2026-03-02", "--from must be before --until"},
	} {
		if _, err := NewRule(c[0], c[1], c[2], c[3]); err == nil || !strings.Contains(err.Error(), c[4]) {
			t.Errorf("%q: %v, want %q", c, err, c[4])
		}
	}
}

// TestSettings: rules that keep other documents have other settings.
func TestSettings(t *testing.T) {
	seen := make(map[string]bool)
	for _, c := range [][4]string{
		{"", "UTC", "", ""}, {"iso", "UTC", "", ""}, {"", "Europe/Berlin", "", ""}, {"", "UTC", "2026-03-02", ""},
		{"", "UTC", "", "2026-03-02"},
	} {
		r, err := NewRule(c[0], c[1], c[2], c[3])
		if err != nil {
			t.Fatal(err)
		}
		if seen[r.Settings()] {
			t.Errorf("%q has the settings of another rule", c)
		}
		seen[r.Settings()] = true
	}
}

func TestCalendar(t *testing.T) {
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		calendar    Calendar
		from        string
		names, ends string
	}{
		{Calendar{"week", time.Monday, time.UTC}, "2025-12-22", "2025-W52 2026-W01 2026-W02",
			"2025-12-29T00:00:00Z 2026-01-05T00:00:00Z 2026-01-12T00:00:00Z"},
		{Calendar{"week", time.Sunday, time.UTC}, "2026-03-01", "2026-03-01 2026-03-08 2026-03-15",
			"2026-03-08T00:00:00Z 2026-03-15T00:00:00Z 2026-03-22T00:00:00Z"},
		{Calendar{"day", time.Monday, berlin}, "2026-03-28", "2026-03-28 2026-03-29 2026-03-30",
			"2026-03-29T00:00:00+01:00 2026-03-30T00:00:00+02:00 2026-03-31T00:00:00+02:00"},
		{Calendar{"month", time.Monday, berlin}, "2026-02-01", "2026-02 2026-03 2026-04",
			"2026-03-01T00:00:00+01:00 2026-04-01T00:00:00+02:00 2026-05-01T00:00:00+02:00"},
	} {
		windows, err := c.calendar.Windows(c.from, 3)
		if err != nil {
			t.Fatal(err)
		}
		var names, ends []string
		for i, w := range windows {
			names, ends = append(names, w.Name), append(ends, w.End.Format(time.RFC3339))
			if i > 0 && !w.Begin.Equal(windows[i-1].End) {
				t.Errorf("%s does not begin where %s ends", w.Name, windows[i-1].Name)
			}
		}
		if got := strings.Join(names, " "); got != c.names {
			t.Errorf("names %s, want %s", got, c.names)
		}
		if got := strings.Join(ends, " "); got != c.ends {
			t.Errorf("ends %s, want %s", got, c.ends)
		}
	}
	for from, fault := range map[string]string{
		"2026-03-03": "the next one is 2026-03-09", "March": "must be a date",
	} {
		if _, err := (Calendar{"week", time.Monday, time.UTC}).Windows(from, 1); err == nil ||
			!strings.Contains(err.Error(), fault) {
			t.Errorf("%s: %v, want %q", from, err, fault)
		}
	}
}

// TestNoMidnight: where clocks go forward at midnight a day begins later. Windows follow each other, none is empty,
// each has a name of its own, and the ends that tokenize text reads from dates are the same.
func TestNoMidnight(t *testing.T) {
	for zone, from := range map[string]string{
		"America/Santiago": "2026-08-30", "America/Havana": "2026-03-01", "Africa/Cairo": "2026-04-19",
		"America/Sao_Paulo": "2018-10-28", "Asia/Beirut": "2026-03-22", "Europe/Berlin": "2026-03-22",
	} {
		location, err := time.LoadLocation(zone)
		if err != nil {
			t.Fatal(err)
		}
		for _, every := range []string{"day", "week"} {
			windows, err := Calendar{every, time.Sunday, location}.Windows(from, 30)
			if err != nil {
				t.Fatal(err)
			}
			seen := make(map[string]bool)
			for i, w := range windows {
				read, err := parseISO(w.Name, location)
				before := w.Begin.Add(-time.Nanosecond)
				if err != nil || !read.Equal(w.Begin) || !w.Begin.Before(w.End) || seen[w.Name] ||
					w.Begin.Format(time.DateOnly) != w.Name || before.Format(time.DateOnly) == w.Name {
					t.Errorf("%s, %s %s: from %v until %v, read as %v, %v", zone, every, w.Name, w.Begin, w.End, read,
						err)
				}
				if i > 0 && !w.Begin.Equal(windows[i-1].End) {
					t.Errorf("%s: %s does not begin where %s ends", zone, w.Name, windows[i-1].Name)
				}
				seen[w.Name] = true
			}
		}
	}
}

// TestWeekNames: no two weeks of thirty years have one name, whatever day they begin on.
func TestWeekNames(t *testing.T) {
	for day := time.Sunday; day <= time.Saturday; day++ {
		c := Calendar{"week", day, time.UTC}
		windows, err := c.Windows(c.first(time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC)).Format(time.DateOnly), 1600)
		if err != nil {
			t.Fatal(err)
		}
		seen := make(map[string]bool)
		for _, w := range windows {
			if seen[w.Name] {
				t.Errorf("two weeks are called %s", w.Name)
			}
			seen[w.Name] = true
		}
	}
}

// FuzzKeeps: no date makes the rule panic, and a date that is kept is kept by the rule without ends.
func FuzzKeeps(f *testing.F) {
	for _, date := range []string{
		"2026-03-02", "1772440200", "Mon, 2 Mar 2026 09:30:00 +0100", "-1", "9e99", "0x1p-2",
	} {
		f.Add(date)
	}
	window, err := NewRule("", "America/New_York", "2026-03-02", "2026-03-09")
	all, e := NewRule("", "America/New_York", "", "")
	if err != nil || e != nil {
		f.Fatal(err, e)
	}
	f.Fuzz(func(t *testing.T, date string) {
		kept, err := window.Keeps(date)
		if _, e := all.Keeps(date); (e == nil) != (err == nil) || kept && err != nil {
			t.Errorf("%q: %v, %v; without ends %v", date, kept, err, e)
		}
	})
}
