// Package date reads dates of documents, and decides which documents are in a stretch of time.
package date

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
	_ "time/tzdata" // zones are known on machines without a zoneinfo folder, too

	"privpipe/tokenize/internal/lazy"
)

// A Rule keeps the documents of a stretch of time. Whether a document is kept follows from its own date alone.
type Rule struct {
	Format string         // "", iso, unix, unix-ms, or a pattern (see pattern)
	Zone   *time.Location // of dates that have no offset
	// From and Until are the ends: From ≤ date < Until. nil is no end.
	From, Until *time.Time

	layout string // of Go, for a pattern
}

// Formats of dates. Any other format is a pattern.
const (
	iso    = "iso"
	unix   = "unix"
	unixMS = "unix-ms"
)

// NewRule returns the rule. zone is the name of a zone of the IANA, from and until are dates or times of ISO 8601, or
// empty.
func NewRule(format, zone, from, until string) (*Rule, error) {
	r := &Rule{Format: format}
	var err error
	if r.Zone, err = time.LoadLocation(zone); err != nil || zone == "Local" {
		return nil, fmt.Errorf("--zone: no zone of the IANA: %q, must be such as Europe/Berlin or UTC", zone)
	}
	if strings.Contains(format, "%") {
		if r.layout, err = pattern(format); err != nil {
			return nil, fmt.Errorf("--date-format: %w", err)
		}
	} else if format != "" && format != iso && format != unix && format != unixMS {
		return nil, fmt.Errorf("--date-format must be iso, unix, unix-ms or a pattern such as %%d/%%m/%%Y, is %q",
			format)
	}
	if r.From, err = r.end("--from", from); err != nil {
		return nil, err
	}
	if r.Until, err = r.end("--until", until); err != nil {
		return nil, err
	}
	if r.From != nil && r.Until != nil && !r.From.Before(*r.Until) {
		return nil, fmt.Errorf("--from must be before --until: %s and %s", from, until)
	}
	return r, nil
}

// end reads --from or --until.
func (r *Rule) end(flag, text string) (*time.Time, error) {
	if text == "" {
		return nil, nil
	}
	t, err := parseISO(text, r.Zone)
	if err != nil {
		return nil, fmt.Errorf("%s must be a date or a time of ISO 8601, such as 2026-03-02, is %q", flag, text)
	}
	return &t, nil
}

// Settings identify the rule in the header of a stream. They name the ends, so that streams of two windows do not pass
// for one.
func (r *Rule) Settings() string { return fmt.Sprintf("dates %q %s %s", r.Format, r.Zone, r.Window()) }

// Window names the stretch of time by its ends, in UTC.
func (r *Rule) Window() string {
	end := func(t *time.Time) string {
		if t == nil {
			return "-"
		}
		return t.UTC().Format(time.RFC3339Nano)
	}
	return fmt.Sprintf("from %s until %s", end(r.From), end(r.Until))
}

// Errors of dates. They quote nothing of the document.
var (
	errNone  = errors.New("no date: each document needs one for --from and --until")
	errISO   = errors.New("the date is none of ISO 8601, nor seconds since 1970; --date-format describes others")
	errWhole = errors.New("the date has eight digits: --date-format %Y%m%d or unix says what they are")
	errShort = errors.New("the date is a small number: --date-format unix says that it is seconds since 1970")
	errLong  = errors.New("the date has more digits than seconds since 1970: --date-format unix-ms is milliseconds")
	errOther = errors.New("the date is not as --date-format says")
)

// Keeps reports whether a document with this date is in the stretch of time.
func (r *Rule) Keeps(date string) (bool, error) {
	t, err := r.parse(strings.TrimSpace(date))
	if err != nil {
		return false, err
	}
	return (r.From == nil || !t.Before(*r.From)) && (r.Until == nil || t.Before(*r.Until)), nil
}

func (r *Rule) parse(date string) (time.Time, error) {
	date = leap().ReplaceAllString(date, "${1}59")
	switch {
	case date == "":
		return time.Time{}, errNone
	case r.layout != "":
		t, err := time.ParseInLocation(r.layout, date, r.Zone)
		if err != nil {
			return t, errOther
		}
		return t, nil
	case r.Format == unix:
		return seconds(date, 1)
	case r.Format == unixMS:
		return seconds(date, 1000)
	}
	t, err := parseISO(date, r.Zone)
	switch {
	case err == nil:
		return t, nil
	case r.Format == iso:
		return t, errOther
	}
	if x, err := strconv.ParseFloat(date, 64); err == nil && number().MatchString(date) {
		switch {
		case len(date) == 8 && isDigits(date):
			return t, errWhole
		case math.Abs(x) < leastSeconds:
			return t, errShort
		case math.Abs(x) > mostSeconds:
			return t, errLong
		}
		return seconds(date, 1)
	}
	if t, err = parseMail(date); err != nil {
		return t, errISO
	}
	return t, nil
}

// leap matches a leap second, which Go does not know. It counts as the second before.
var leap = lazy.Regexp(`(:[0-9][0-9]:)60`)

// comment matches the comment that ends the date of a mail, and zone the names that RFC 5322 has for UTC.
var (
	comment = lazy.Regexp(` *\([^()]*\)$`)
	zone    = lazy.Regexp(` (?:GMT|UT|UTC|Z)$`)
)

// parseMail reads the date of a mail (RFC 5322, §3.3): Mon, 2 Mar 2026 09:30:00 +0100 (CET).
func parseMail(text string) (t time.Time, err error) {
	text = zone().ReplaceAllString(comment().ReplaceAllString(text, ""), " +0000")
	for _, layout := range []string{"Mon, 2 Jan 2006 15:04:05 -0700", "2 Jan 2006 15:04:05 -0700",
		"Mon, 2 Jan 2006 15:04 -0700", "2 Jan 2006 15:04 -0700"} {
		if t, err = time.Parse(layout, text); err == nil {
			return t, nil
		}
	}
	return t, err
}

// number matches a number as JSON has it.
var number = lazy.Regexp(`^-?[0-9]+(\.[0-9]+)?([eE][-+]?[0-9]+)?$`)

// Numbers in this range are told to be seconds since 1970, from March 1973 on. A year, or the number of a day as
// spreadsheets have it, is below.
const leastSeconds, mostSeconds = 1e8, 1e11

func isDigits(s string) bool { return strings.Trim(s, "0123456789") == "" }

// seconds reads a decimal number of seconds, or of parts of seconds, since 1970.
func seconds(date string, parts float64) (time.Time, error) {
	x, err := strconv.ParseFloat(date, 64)
	if err != nil || math.IsNaN(x) || math.Abs(x/parts) > mostSeconds {
		return time.Time{}, errOther
	}
	whole, fraction := math.Modf(x / parts)
	return time.Unix(int64(whole), int64(fraction*1e9)).UTC(), nil
}

// Time reads a date or a time of ISO 8601.
func Time(text string, zone *time.Location) (time.Time, error) { return parseISO(text, zone) }

// layouts are those of ISO 8601 that are read: a date and a time with or without seconds, their fraction and
// an offset. Go reads a fraction wherever seconds end.
var layouts = func() (all []string) {
	for _, clock := range []string{"T15:04", "T15:04:05"} {
		for _, offset := range []string{"", "Z07:00", "Z0700", "Z07"} {
			all = append(all, time.DateOnly+clock+offset)
		}
	}
	return all
}()

// parseISO reads a date of ISO 8601. A space may stand for the T, and before an offset. A date is its first instant in
// the zone.
func parseISO(text string, zone *time.Location) (t time.Time, err error) {
	if day, err := time.Parse(time.DateOnly, text); err == nil {
		return begins(day, zone), nil
	}
	if len(text) > len(time.DateOnly) && (text[len(time.DateOnly)] == ' ' || text[len(time.DateOnly)] == 't') {
		text = text[:len(time.DateOnly)] + "T" + text[len(time.DateOnly)+1:]
	}
	if i := strings.LastIndexByte(text, ' '); i > 0 && strings.ContainsRune("+-", rune(text[i+1])) { // as SQL writes it
		text = text[:i] + text[i+1:]
	}
	if rest, is := strings.CutSuffix(text, "z"); is {
		text = rest + "Z"
	}
	for _, layout := range layouts {
		if t, err = time.ParseInLocation(layout, text, zone); err == nil {
			return t, nil
		}
	}
	return time.Time{}, err
}

// begins returns the first instant of a day in a zone. day is that day in UTC. Where clocks go forward at midnight, a
// day begins later, and Go may return an instant of the day before, or one after the first.
func begins(day time.Time, zone *time.Location) time.Time {
	year, month, date := day.Date()
	t := time.Date(year, month, date, 0, 0, 0, 0, zone)
	from, until := t.ZoneBounds()
	switch {
	case t.Day() != date:
		return until
	case t.Hour() != 0 || t.Minute() != 0:
		return from
	}
	return t
}
