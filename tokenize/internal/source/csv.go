package source

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"iter"
	"strings"
	"unicode/utf8"

	"privpipe/pipelines/exit"
	"privpipe/tokenize/internal/words"
)

// mostFields is the largest number of fields of a CSV record. encoding/csv takes some hundred bytes of memory for a field, which
// may be a single byte of the file.
const mostFields = 1 << 16

// A scanner finds the end of each CSV record, as encoding/csv reads them: a newline outside quoted fields (RFC 4180, §2). After
// an error encoding/csv resumes at the next line, and so does the scanner. It counts the fields of each record, too.
type scanner struct {
	comma   byte
	comment byte // begins a line that is a comment; 0: none
	state   state
	commas  int  // of the current record, between its fields
	most    int  // largest number of fields of a record
	wide    bool // the last record that ended has more than most fields
}

// newScanner returns a scanner of records of at most mostFields fields.
func newScanner(comma, comment byte) *scanner {
	return &scanner{comma: comma, comment: comment, most: mostFields}
}

// isWide says whether the current record, as far as it is scanned, has more than most fields.
func (s *scanner) isWide() bool { return s.commas >= s.most }

type state int

const (
	fieldBegins state = iota
	unquoted
	quoted
	quoteSeen // a quote in a quoted field: the end of the field, or the first of a doubled quote
	broken    // an error, to the end of the line
)

// end scans b, which follows the bytes scanned before. It returns the number of bytes of b up to the end of the current record,
// or 0 if the record does not end in b.
func (s *scanner) end(b []byte) int {
	for i := 0; i < len(b); i++ {
		if s.state == quoted {
			n := bytes.IndexByte(b[i:], '"')
			if n < 0 {
				return 0
			}
			i += n
			s.state = quoteSeen
			continue
		}
		switch c := b[i]; {
		case c == '\n':
			s.wide = s.isWide()
			s.state, s.commas = fieldBegins, 0
			return i + 1
		case s.state == broken:
		case c == s.comment && s.state == fieldBegins && s.commas == 0 && c != 0:
			s.state = broken // encoding/csv skips the line, whatever quotes it has
		case c == s.comma:
			s.state = fieldBegins
			s.commas++
		case s.state == fieldBegins && c == '"', s.state == quoteSeen && c == '"':
			s.state = quoted
		case s.state == quoteSeen, c == '"':
			s.state = broken
		default:
			s.state = unquoted
		}
	}
	return 0
}

// A Delimiter separates the fields of a CSV record: an ASCII character, but no letter, digit, quote or end of a line.
type Delimiter byte

// UnmarshalText implements encoding.TextUnmarshaler: the character itself, or tab.
func (d *Delimiter) UnmarshalText(text []byte) error {
	if string(text) == "tab" {
		text = []byte("\t")
	}
	if len(text) != 1 || text[0] != '\t' && !strings.ContainsAny(string(text), " !#$%&'()*+,-./:;<=>?@[\\]^_`{|}~") {
		return fmt.Errorf("%q is no delimiter: must be one ASCII character, not a letter, a digit or a quote, or the word tab", text)
	}
	*d = Delimiter(text[0])
	return nil
}

// A table is the header of a CSV file.
type table struct {
	comma, comment rune
	fields         int             // of each record
	columns        [len(roles)]int // by role; -1: none
	cells          []int           // with Cells, instead of columns
}

// newTable reads the first record of a CSV file, of at most o.Limit bytes, and returns the table and the record's length in
// bytes. The file must have the Cells, or a column for the text and for each role that the user named.
func newTable(content []byte, comma rune, o *Options) (*table, int64, error) {
	t := &table{comma: comma, comment: o.comment()}
	r := t.reader(content)
	head, err := r.Read()
	switch n := r.InputOffset(); {
	case err == io.EOF:
		return nil, 0, errNoHead
	case t.sizeOf(content[:n]) > o.Limit:
		return nil, 0, errHeadTooLong
	case err != nil && content[0] == '{':
		return nil, 0, exit.Errorf(exit.Malformed, "%w", csvError(err)).WithHint("this begins as JSON Lines do: --format jsonl reads them")
	case err != nil:
		return nil, 0, csvError(err)
	}
	t.fields = len(head)
	if o.Cells != nil {
		t.cells, err = o.Cells.columnsOf(head)
		return t, r.InputOffset(), err
	}
	for role, named := range o.Columns {
		name := o.Columns.name(role)
		if t.columns[role], err = columnOf(head, name); err != nil {
			return nil, 0, err
		}
		if t.columns[role] < 0 && (role == roleText || named != "") {
			return nil, 0, exit.Errorf(exit.Malformed, "no column %q in the first row, which names the columns", name).
				WithHint("--columns %s=NAME names the column that is meant, and user=NAME that of users; --delimiter says what separates columns, if not a comma, or a tab in TSV", roles[role])
		}
	}
	return t, r.InputOffset(), nil
}

// newHeadless returns the table of a CSV file without names of columns.
func newHeadless(comma rune, o *Options) *table {
	t := &table{comma: comma, comment: o.comment(), fields: len(o.Cells.names)}
	for i := range o.Cells.names {
		t.cells = append(t.cells, i)
	}
	return t
}

var errHeadTooLong = errors.New("the names of the columns take more than --max-document")

func (t *table) reader(content []byte) *csv.Reader {
	r := csv.NewReader(bytes.NewReader(content))
	r.Comma, r.Comment, r.FieldsPerRecord, r.ReuseRecord = t.comma, t.comment, -1, true
	return r
}

// A record is a CSV record or its fault. The cells are valid until the next record is read.
type record struct {
	cells []string
	err   error
}

// records gives the records of a chunk of CSV with the numbers of the lines at which they begin.
func (c Chunk) records(limit int) iter.Seq2[int, record] {
	return func(yield func(int, record) bool) {
		r := c.table.reader(c.Content)
		for begin := int64(0); ; begin = r.InputOffset() {
			cells, err := r.Read()
			if err == io.EOF {
				return
			}
			var line int
			if broken := (*csv.ParseError)(nil); errors.As(err, &broken) {
				line = broken.StartLine
				err = csvError(err)
			} else {
				line, _ = r.FieldPos(0)
			}
			if c.table.sizeOf(c.Content[begin:r.InputOffset()]) > limit {
				err = ErrTooLong
			}
			if !yield(c.Line+line-1, record{cells, err}) {
				return
			}
		}
	}
}

// rows gives the rows of a chunk of CSV.
func (c Chunk) rows(limit int) iter.Seq2[int, Row] {
	return func(yield func(int, Row) bool) {
		for line, record := range c.records(limit) {
			row := Row{Err: record.err}
			switch {
			case row.Err != nil:
			case c.options.Cells != nil:
				row.Cells, row.Err = c.table.pick(record.cells, c.options.Cells)
			default:
				row.Fields, row.Err = c.table.row(record.cells, &c.options.Columns)
			}
			if !yield(line, row) {
				return
			}
		}
	}
}

// sizeOf returns the bytes of a record, without the empty lines and the comments before it and the end of its line.
func (t *table) sizeOf(record []byte) int {
	for {
		if t.comment != 0 && len(record) > 0 && record[0] == byte(t.comment) {
			_, record, _ = bytes.Cut(record, []byte("\n"))
			continue
		}
		line, ok := bytes.CutPrefix(bytes.TrimPrefix(record, []byte("\r")), []byte("\n"))
		if !ok {
			return len(bytes.TrimSuffix(bytes.TrimSuffix(record, []byte("\n")), []byte("\r")))
		}
		record = line
	}
}

// row returns the fields of a record. An empty cell counts as missing, except for the text, which may be empty.
func (t *table) row(record []string, named *Columns) (f Fields, err error) {
	if len(record) != t.fields {
		return f, fmt.Errorf("not %d fields, as the first row has", t.fields)
	}
	var cells [len(roles)]string
	for role, column := range t.columns {
		if column < 0 {
			continue
		}
		if cells[role] = record[column]; !utf8.ValidString(cells[role]) {
			return f, fmt.Errorf("column %q is not UTF-8", named.name(role))
		}
	}
	text, id := words.Text{Content: []byte(cells[roleText])}, Name(strings.Clone(cells[roleID])) // a cell shares the memory of its record
	f.Text, f.User, f.Label = &text, Name(strings.Clone(cells[roleUser])), Label(strings.Clone(cells[roleLabel]))
	if id != "" {
		f.ID = &id
	}
	return f, nil
}

// csvError returns an error that states which rule a record breaks. The error quotes nothing of the record.
func csvError(err error) error {
	switch {
	case errors.Is(err, csv.ErrBareQuote):
		return errors.New("a quote in an unquoted field: quote the field, and double each quote inside it")
	case errors.Is(err, csv.ErrQuote):
		return ErrQuote
	}
	return err
}

// ErrQuote is the error of a record that may have swallowed the records after it, so that it cannot be skipped by itself.
var ErrQuote = exit.Errorf(exit.Malformed, "a quoted field has text after its closing quote, or no closing quote: a quote inside a field must be doubled").
	WithHint("correct the file: this record may have swallowed the rows after it, so it is never skipped")
