package date

import (
	"errors"
	"fmt"
	"strings"
	"time"
)

// A Window is one stretch of a calendar: Begin ≤ t < End.
type Window struct {
	Name       string
	Begin, End time.Time
}

// A Calendar cuts time into days, weeks or months of a zone. Days have 23 or 25 hours where clocks change.
type Calendar struct {
	Every    string // day, week or month
	FirstDay time.Weekday
	Zone     *time.Location
}

// Weekday reads the name of a day of the week.
func Weekday(name string) (time.Weekday, error) {
	for day := time.Sunday; day <= time.Saturday; day++ {
		if strings.EqualFold(day.String(), name) {
			return day, nil
		}
	}
	return 0, fmt.Errorf("no day of the week: %q", name)
}

// Windows returns n windows, the first of which begins at the date from. from must be the first day of a window.
func (c Calendar) Windows(from string, n int) ([]Window, error) {
	day, err := time.Parse(time.DateOnly, from) // days are counted in UTC, where each has 24 hours
	if err != nil {
		return nil, fmt.Errorf("--from must be a date such as 2026-03-02, is %q", from)
	}
	if next := c.first(day); !next.Equal(day) {
		return nil, fmt.Errorf("--from %s is not the first day of a %s; the next one is %s", from, c.Every,
			next.Format(time.DateOnly))
	}
	windows := make([]Window, n)
	for i := range windows {
		end := c.after(day)
		if day.Year() < 1000 || end.Year() > 9999 { // names and --from have four digits
			return nil, errors.New("a calendar has the years 1000 to 9999")
		}
		windows[i] = Window{c.name(day), begins(day, c.Zone), begins(end, c.Zone)}
		day = end
	}
	return windows, nil
}

// first returns the first day of a window on the day or after it.
func (c Calendar) first(day time.Time) time.Time {
	for c.Every == "week" && day.Weekday() != c.FirstDay || c.Every == "month" && day.Day() != 1 {
		day = day.AddDate(0, 0, 1)
	}
	return day
}

// after returns the first day after the window that begins on a day.
func (c Calendar) after(day time.Time) time.Time {
	switch c.Every {
	case "week":
		return day.AddDate(0, 0, 7)
	case "month":
		return day.AddDate(0, 1, 0)
	}
	return day.AddDate(0, 0, 1)
}

// name returns the name of the window that begins on a day. A week that begins on Monday has the number of ISO 8601.
func (c Calendar) name(day time.Time) string {
	switch {
	case c.Every == "month":
		return day.Format("2006-01")
	case c.Every == "week" && c.FirstDay == time.Monday:
		year, week := day.ISOWeek()
		return fmt.Sprintf("%d-W%02d", year, week)
	}
	return day.Format(time.DateOnly)
}
