package command

import (
	"crypto/sha256"
	"errors"

	"privpipe/tokenize/internal/date"
	"privpipe/tokenize/internal/source"
)

// dates are the flags for the documents of a stretch of time.
type dates struct {
	Date       string `placeholder:"COLUMN" group:"Time" help:"Read the date of each document from this column, member of JSON Lines, or field of a mail such as Date. It should be the date on which the document was made: an edit must not move a document to another window."`
	DateFormat string `placeholder:"FORMAT" group:"Time" help:"Read dates as iso (ISO 8601), unix (seconds since 1970), unix-ms (milliseconds), or by a pattern such as %d/%m/%Y %H:%M. By default iso, unix, or the date of a mail, by what a date is made of."`
	Zone       string `default:"UTC" placeholder:"ZONE" group:"Time" help:"Time zone of the IANA, such as Europe/Berlin, of --from, --until and of dates without an offset (default UTC)."`
	From       string `placeholder:"TIME" group:"Time" help:"Keep only documents from this date or time on (ISO 8601)."`
	Until      string `placeholder:"TIME" group:"Time" help:"Keep only documents before this date or time (ISO 8601). A window without a document is an empty stream, and no error."`
	Seen       string `placeholder:"FILE" group:"Time" help:"Refuse a document with an id that FILE has of another window, and keep the ids of this window there: a document is in one window only. FILE is private, and holds a hash of each id."`
}

// dateRule returns the rule that the flags describe, and nil without --date.
func (d *dates) dateRule(columns *source.Columns) (*date.Rule, error) {
	if d.Date == "" {
		if d.DateFormat != "" || d.From != "" || d.Until != "" || d.Seen != "" {
			return nil, errors.New("--date-format, --from, --until and --seen belong to --date")
		}
		return nil, nil
	}
	if err := columns.SetDate(d.Date); err != nil {
		return nil, err
	}
	return date.NewRule(d.DateFormat, d.Zone, d.From, d.Until)
}

// withDates returns the settings of documents that a rule of dates kept, and the settings themselves without a rule.
func withDates(settings []byte, rule *date.Rule) []byte {
	if rule == nil {
		return settings
	}
	sum := sha256.Sum256(append(append([]byte(nil), settings...), rule.Settings()...))
	return sum[:]
}
