package source

import (
	"bytes"
	"io"
	"strings"
)

// A Quote says how the fields of CSV and TSV are quoted.
type Quote string

const (
	QuoteByFormat Quote = ""      // none in TSV, csv in CSV
	QuoteCSV      Quote = "csv"   // as in RFC 4180; a field that seems to have swallowed rows is refused
	QuoteTrust    Quote = "trust" // as in RFC 4180, whatever is in a field
	QuoteNone     Quote = "none"  // no field is quoted; \t, \n and \\ stand for a tab, a newline and a backslash
)

// An unquotedReader reads the lines of tables with unquoted fields, as databases write them.
type unquotedReader struct {
	*table
	content []byte
	at      int
	line    int // number of the last line, from 1
	cells   []string
}

// null is how databases write a null value.
const null = `\N`

// Read returns the next record. A field of \N is null, and becomes empty.
func (r *unquotedReader) Read() ([]string, error) {
	for r.at < len(r.content) {
		line, _, _ := bytes.Cut(r.content[r.at:], []byte("\n"))
		r.at = min(r.at+len(line)+1, len(r.content))
		r.line++
		line = bytes.TrimSuffix(line, []byte("\r"))
		if len(line) == 0 || r.comment != 0 && line[0] == byte(r.comment) {
			continue
		}
		if bytes.Count(line, []byte{byte(r.comma)}) >= mostFields {
			return nil, ErrTooWide
		}
		r.cells = r.cells[:0]
		for field := range strings.SplitSeq(string(line), string(r.comma)) {
			if field == null {
				field = ""
			}
			r.cells = append(r.cells, unescaped.Replace(field))
		}
		return r.cells, nil
	}
	return nil, io.EOF
}

// unescaped undoes the escapes of COPY in PostgreSQL and of mysql --batch. Other backslashes stay.
var unescaped = strings.NewReplacer(`\\`, `\`, `\t`, "\t", `\n`, "\n", `\r`, "\r", `\b`, "\b", `\f`, "\f", `\v`, "\v")

// InputOffset returns the offset after the last record.
func (r *unquotedReader) InputOffset() int64 { return int64(r.at) }

// FieldPos returns the last record's line.
func (r *unquotedReader) FieldPos(int) (line, column int) { return r.line, 1 }

// separator returns the delimiter that Excel names in a file's first line, and the line's length. Both are 0 if the
// line names none.
func separator(content []byte) (Delimiter, int) {
	line, _, _ := bytes.Cut(content, []byte("\n"))
	name := strings.Trim(strings.TrimSuffix(string(line), "\r"), `"`)
	var d Delimiter
	if len(name) != len("sep=;") || !strings.EqualFold(name[:4], "sep=") || d.UnmarshalText([]byte(name[4:])) != nil {
		return 0, 0
	}
	return d, min(len(line)+1, len(content))
}

// quote returns how fields are quoted in a format.
func (o *Options) quote(format Format) Quote {
	switch {
	case o.Quote != QuoteByFormat:
		return o.Quote
	case format == TSV:
		return QuoteNone
	}
	return QuoteCSV
}
