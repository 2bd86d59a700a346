package source

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"privpipe/pipelines/exit"
	"privpipe/tokenize/internal/words"
)

// mostFields is the largest number of fields in a CSV record. encoding/csv takes some hundred bytes of memory for each
// field, and a field may be a single byte in the file.
const mostFields = 1 << 16

// A scanner finds the end of each CSV record: a newline outside quoted fields (RFC 4180, section 2). A quote inside an
// unquoted field is a character like any other. Only a delimiter or the end of the line may follow a field's closing
// quote. A record that breaks this rule is broken. It ends with the line of the fault.
type scanner struct {
	comma   byte
	comment byte // begins a line that is a comment; 0: there are no comments
	state   state
	commas  int // delimiters in the current record so far
	lines   int // newlines in the current record so far
	opened  int // newlines in the current record before its last quoted field
	most    int // largest number of fields in a record

	wide   bool // the last record that ended has more than most fields
	broken bool // the last record that ended is broken
}

// newScanner returns a scanner for records with at most mostFields fields.
func newScanner(comma, comment byte) *scanner {
	return &scanner{comma: comma, comment: comment, most: mostFields}
}

// isWide says whether the current record, as far as it is scanned, has more than most fields.
func (s *scanner) isWide() bool { return s.commas >= s.most }

// isOpen says whether the current record, as far as it is scanned, would be broken if the file ended here.
func (s *scanner) isOpen() bool { return s.state == quoted || s.state == broken }

type state int

const (
	fieldBegins state = iota
	unquoted
	quoted
	quoteSeen // a quote in a quoted field: the field's end, or the first half of a doubled quote
	broken    // until the end of the line
	commented
)

// end scans b, which follows the bytes scanned before. It returns how many bytes of b belong to the current record, or
// 0 if the record does not end in b.
func (s *scanner) end(b []byte) int {
	for i := 0; i < len(b); i++ {
		if s.state == quoted {
			n := bytes.IndexByte(b[i:], '"')
			if n < 0 {
				s.lines += bytes.Count(b[i:], []byte{'\n'})
				return 0
			}
			s.lines += bytes.Count(b[i:i+n], []byte{'\n'})
			i += n
			s.state = quoteSeen
			continue
		}
		switch c := b[i]; {
		case c == '\n':
			s.wide, s.broken = s.isWide(), s.state == broken
			s.state, s.commas, s.lines = fieldBegins, 0, 0
			return i + 1
		case s.state == broken || s.state == commented:
		case c == s.comment && s.state == fieldBegins && s.commas == 0 && c != 0:
			s.state = commented // any quotes in the line mean nothing
		case c == s.comma:
			s.state = fieldBegins
			s.commas++
		case s.state == fieldBegins && c == '"':
			s.state, s.opened = quoted, s.lines
		case s.state == quoteSeen && c == '"':
			s.state = quoted
		case s.state == quoteSeen && c != '\r': // each CR here stands before an LF
			s.state = broken
		case s.state != quoteSeen:
			s.state = unquoted
		}
	}
	return 0
}

// A Delimiter separates the fields in a CSV record. It is an ASCII character, but no letter, digit, quote or line end.
type Delimiter byte

// UnmarshalText implements encoding.TextUnmarshaler: the character itself, or tab.
func (d *Delimiter) UnmarshalText(text []byte) error {
	if string(text) == "tab" {
		text = []byte("\t")
	}
	if len(text) != 1 || text[0] != '\t' && !strings.ContainsAny(string(text), " !#$%&'()*+,-./:;<=>?@[\\]^_`{|}~") {
		return fmt.Errorf("%q is no delimiter: must be one ASCII character, not a letter, a digit or a quote, or the "+
			"word tab", text)
	}
	*d = Delimiter(text[0])
	return nil
}

// A table describes a CSV file's records.
type table struct {
	comma, comment rune
	quote          Quote
	ragged         bool
	fields         int             // number of fields in each record
	texts          []int           // columns of the text
	columns        [len(roles)]int // by role, without the text; -1: none
	cells          []int           // the places of the Cells; used instead of columns
}

// newTable reads the first record of a CSV file, at most o.Limit bytes. It returns the table and the record's length in
// bytes. The file must have the Cells, or a column for the text and for each role that the user named.
func newTable(content []byte, comma rune, quote Quote, o *Options) (*table, int64, error) {
	t := o.table(comma, quote)
	r := t.reader(content)
	head, err := r.Read()
	switch n := r.InputOffset(); {
	case err == io.EOF:
		return nil, 0, errNoHead
	case t.sizeOf(content[:n]) > o.Limit:
		return nil, 0, errHeadTooLong
	case err != nil:
		return nil, 0, err
	}
	t.fields = len(head)
	if o.Cells != nil {
		t.cells, err = o.Cells.columnsOf(head)
		return t, r.InputOffset(), err
	}
	t.columns[roleDate] = -1
	for role := range o.Columns.wanted() {
		names, named := o.Columns.texts(), o.Columns[role]
		if role != roleText {
			names = []string{o.Columns.name(role)}
		}
		for _, name := range names {
			column, err := columnOf(head, name)
			if err != nil {
				return nil, 0, err
			}
			if o.Columns.lacks(role) {
				column = -1
			} else if column < 0 && (role == roleText || named != "") {
				hint := flagOf(role, o.Dimension > 0) + " names the column that is meant"
				if o.Dimension == 0 {
					hint += ", and --columns user=NAME that of users"
				}
				return nil, 0, exit.Errorf(exit.Malformed,
					"no column %q in the first row, which names the columns", name).
					WithHint("%s; --delimiter says what separates columns, if not a comma, or a tab in TSV", hint)
			}
			if role == roleText {
				t.texts = append(t.texts, column)
			}
			t.columns[role] = column
		}
	}
	return t, r.InputOffset(), t.inPlace(&o.Columns)
}

// inPlace refuses a ragged table without quotes that has an id or a user after a text. If an author writes a delimiter
// into the text, the fields after it move. A row that lacks its last fields may then still have the right number of
// fields.
func (t *table) inPlace(named *Columns) error {
	if !t.ragged || t.quote != QuoteNone {
		return nil
	}
	for _, role := range []int{roleID, roleUser} {
		if t.columns[role] > slices.Min(t.texts) {
			first := named.texts()[slices.Index(t.texts, slices.Min(t.texts))]
			return exit.Errorf(exit.Malformed, "column %q is after column %q in ragged rows without quotes",
				named.name(role), first).
				WithHint("a delimiter in a text would move it, so an author could name another person: "+
					"leave out --ragged, or move the column before the text, "+
					"or read no such column: --columns %s=", roles[role])
		}
	}
	return nil
}

// table returns a table without its columns.
func (o *Options) table(comma rune, quote Quote) *table {
	return &table{comma: comma, comment: o.comment(), quote: quote, ragged: o.Ragged}
}

// newHeadless returns the table for a CSV file without names of columns.
func newHeadless(comma rune, quote Quote, o *Options) *table {
	t := o.table(comma, quote)
	t.fields = len(o.Cells.names)
	for i := range o.Cells.names {
		t.cells = append(t.cells, i)
	}
	return t
}

var errHeadTooLong = errors.New("the names of the columns take more than --max-document")

// A recordReader reads a table's records.
type recordReader interface {
	Read() (cells []string, err error) // the cells are valid until the next call
	InputOffset() int64                // the offset after the last record
	FieldPos(field int) (line, column int)
}

// reader returns a reader of content. No record in content may be broken.
func (t *table) reader(content []byte) recordReader {
	if t.quote == QuoteNone {
		return &unquotedReader{table: t, content: content}
	}
	r := csv.NewReader(bytes.NewReader(content))
	r.Comma, r.Comment, r.FieldsPerRecord, r.ReuseRecord, r.LazyQuotes = t.comma, t.comment, -1, true, true
	return r
}

// A record is a CSV record or its fault. The cells are valid until the next record is read.
type record struct {
	cells []string
	err   error
}

// records returns the records in a chunk of CSV, each with the number of its first line.
func (c Chunk) records(limit int) iter.Seq2[int, record] {
	return func(yield func(int, record) bool) {
		r := c.table.reader(c.Content)
		for begin := int64(0); ; begin = r.InputOffset() {
			cells, err := r.Read()
			if err == io.EOF {
				return
			}
			line, _ := r.FieldPos(0)
			raw := c.Content[begin:r.InputOffset()]
			if c.table.sizeOf(raw) > limit {
				err = ErrTooLong
			} else if at := c.table.swallows(raw, cells); at >= 0 && err == nil {
				line, _ = r.FieldPos(at)
				err = errRows
			}
			if !yield(c.Line+line-1, record{cells, err}) {
				return
			}
		}
	}
}

// leastSwallowed is how many lines inside a quoted field must look like records before the field is refused. A field is
// also refused if its record has at least this many lines and all look like records, including the lines with its
// quotes.
const leastSwallowed = 3

// swallows returns a field's number if lines in the field look like whole records, else -1. It returns -1 for a table
// with one column, since every line looks like its records.
func (t *table) swallows(raw []byte, cells []string) int {
	if t.quote != QuoteCSV || t.fields < 2 || bytes.Count(raw, []byte{'\n'}) < leastSwallowed-1 {
		return -1
	}
	lines := strings.Split(strings.Trim(string(raw), "\r\n"), "\n")
	if len(lines) < leastSwallowed {
		return -1
	}
	for i, cell := range cells {
		if !strings.Contains(cell, "\n") {
			continue
		}
		isRow := func(line string) bool { return t.isWhole(line) && (i == 0 || t.beginsAs(line, cells[0])) }
		whole := 0
		for line := range strings.SplitSeq(cell, "\n") {
			if isRow(line) {
				whole++
			}
		}
		all := !slices.ContainsFunc(lines, func(line string) bool { return !isRow(line) })
		if whole >= leastSwallowed || all {
			return i
		}
	}
	return -1
}

// isWhole says whether a line has as many delimiters as the first row, and no delimiter with a space after it, as in a
// sentence.
func (t *table) isWhole(line string) bool {
	return strings.Count(line, string(t.comma)) == t.fields-1 && !strings.Contains(line, string(t.comma)+" ")
}

// signsOfIDs are the characters in ids beside letters and digits.
const signsOfIDs = "-_.@+/#"

// beginsAs says whether a line's first field has only letters, digits, signsOfIDs, and characters that first has. first
// is the first cell of the line's record. A row that was swallowed begins with an id, or like the row that swallowed
// it. A line in a table or program inside a text does not.
func (t *table) beginsAs(line, first string) bool {
	field, _, _ := strings.Cut(line, string(t.comma))
	return !strings.ContainsFunc(strings.Trim(field, `"`), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune(signsOfIDs+first, r)
	})
}

// rows returns the rows in a chunk of CSV, each with the number of its first line.
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

// sizeOf returns a record's length in bytes. It does not count the empty lines and the comments before the record, nor
// its line end.
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

// fit checks how many fields a record has. In a ragged table a record may lack the last fields, or have more fields.
// The additional fields are left out.
func (t *table) fit(record []string) ([]string, error) {
	if len(record) == t.fields || t.ragged {
		for len(record) < t.fields {
			record = append(record, "")
		}
		return record[:t.fields], nil
	}
	hint := "a field with a delimiter in it must be quoted; --ragged reads such rows, " +
		"without the fields that are too many"
	if t.quote == QuoteNone {
		hint = "--quote csv reads fields that are quoted because of a tab or a newline in them; " + hint
	}
	return nil, exit.Errorf(exit.Malformed, "not %d fields, as the first row has", t.fields).
		WithHint("%s; --on-error skip skips malformed documents and counts them", hint)
}

// row returns the fields in a record. An empty cell counts as missing. Only the text may be empty.
func (t *table) row(record []string, named *Columns) (f Fields, err error) {
	if record, err = t.fit(record); err != nil {
		return f, err
	}
	cell := func(column int, name string) (string, error) {
		switch {
		case column < 0:
			return "", nil
		case !utf8.ValidString(record[column]):
			return "", notUTF8("column %q is not UTF-8", name)
		}
		return strings.Clone(record[column]), nil // a cell shares the memory of its record
	}
	var parts []*words.Text
	for i, column := range t.texts {
		text, err := cell(column, named.texts()[i])
		if err != nil {
			return f, err
		}
		parts = append(parts, &words.Text{Content: []byte(text)})
	}
	if f.Text, err = join(parts); err != nil {
		return f, err
	}
	var names [len(roles)]string
	for role := roleID; role < len(roles); role++ {
		if names[role], err = cell(t.columns[role], named.name(role)); err != nil {
			return f, err
		}
	}
	if id := Name(names[roleID]); id != "" {
		f.ID = &id
	}
	f.User, f.Label, f.Date = Name(names[roleUser]), Label(names[roleLabel]), Name(names[roleDate])
	return f, nil
}
