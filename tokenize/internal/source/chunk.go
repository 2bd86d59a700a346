package source

import (
	"bytes"
	"errors"
	"fmt"
	"iter"

	"privpipe/pipelines/endpoint/topic"
	"privpipe/tokenize/internal/words"
)

// A Chunk is the documents that one worker takes at a time: whole records from a file or a topic, or one text file.
type Chunk struct {
	Name string // of the file
	// Line is the number of the first line from 1, or in Parquet of the first row. It is 0 if the content is one
	// document with the id ID.
	Line    int
	ID      string // empty: none
	Content []byte
	// Fault is set instead of Content if one record or file exceeds a limit: ErrTooLong or ErrTooWide.
	Fault error
	// Err is the fault if a text file cannot be opened as text.
	Err error

	messages []*topic.Text // if the input is a topic, else nil
	format   Format
	// The state before the chunk, for JSON that does not have one value per line, else nil.
	values  *values
	table   *table // for CSV, else nil
	parsed  []Row  // for Parquet, else nil
	options *Options
}

// Unit names the things that Line and the numbers of Rows count.
func (c Chunk) Unit() string {
	if c.parsed != nil {
		return "row"
	}
	return "line"
}

// Message returns the message with this number in Rows. It returns nil if the input is not a topic.
func (c Chunk) Message(number int) *topic.Text {
	if c.messages == nil {
		return nil
	}
	return c.messages[number-1]
}

// A Row is one record in a chunk. It has a document's fields, the cells for a Reader with Cells, or the record's fault.
type Row struct {
	Fields Fields
	Cells  []string // without white space around them; empty: missing
	Err    error
}

// ErrTooLong is the error for a record over the limit.
var ErrTooLong = errors.New("record too long")

// ErrTooWide is the error for a CSV record with too many fields.
var ErrTooWide = fmt.Errorf("more than %d fields", mostFields)

// Rows returns the records in a chunk, each with the number of its first line. Blank lines are no records. A row's text
// is valid until the next row.
func (c Chunk) Rows(limit int) iter.Seq2[int, Row] {
	switch {
	case c.Fault != nil:
		return func(yield func(int, Row) bool) { yield(c.Line, Row{Err: c.Fault}) }
	case c.messages != nil:
		return c.each(limit)
	case c.table != nil:
		return c.rows(limit)
	case c.parsed != nil:
		return func(yield func(int, Row) bool) {
			for i, row := range c.parsed {
				if !yield(c.Line+i, row) {
					return
				}
			}
		}
	}
	return func(yield func(int, Row) bool) {
		var parser flat
		for number, e := range c.elements(limit) {
			row := Row{Err: e.err}
			if e.err == nil {
				row = c.row(e.content, &parser)
			}
			if syntax := notJSON(0); errors.As(row.Err, &syntax) {
				if c.values != nil {
					row.Err = swallows(syntax.Error(), noTelling)
				} else if hasSeveral(e.content) {
					row.Err = errSeveral
				}
			}
			if !yield(number, row) {
				return
			}
		}
	}
}

// row parses one record in the chunk's format.
func (c Chunk) row(record []byte, parser *flat) (row Row) {
	switch {
	case c.format == Mail:
		row.Fields, row.Err = parseMail(record, &c.options.Columns)
	case c.format == TextFile || c.format == Lines:
		if row.Err = CheckText(record); row.Err == nil {
			row.Fields.Text = &words.Text{Content: record}
		}
	case c.options.Cells != nil:
		row.Cells, row.Err = c.options.Cells.line(record)
	case c.options.Dimension > 0:
		row.Fields, row.Err = parseVector(record, &c.options.Columns)
	default:
		row.Fields, row.Err = parser.parse(record, &c.options.Columns)
	}
	return row
}

// An element is a record or its fault.
type element struct {
	content []byte
	err     error
}

// elements gives a chunk's records, each with the number of its first line.
func (c Chunk) elements(limit int) iter.Seq2[int, element] {
	switch {
	case c.values != nil:
		return c.jsonValues(limit)
	case c.format == Mail:
		return c.mails(limit)
	}
	return c.lines(limit)
}

// lines yields a chunk's lines that are not blank.
func (c Chunk) lines(limit int) iter.Seq2[int, element] {
	return func(yield func(int, element) bool) {
		number := c.Line - 1
		for line := range bytes.Lines(c.Content) {
			number++
			e := element{content: bytes.TrimSuffix(bytes.TrimSuffix(line, []byte("\n")), []byte("\r"))}
			if len(e.content) > limit {
				e.err = ErrTooLong
			} else if len(bytes.TrimSpace(e.content)) == 0 {
				continue
			}
			if !yield(number, e) {
				return
			}
		}
	}
}
