package source

import (
	"bytes"
	"errors"
	"fmt"
	"iter"

	"privpipe/pipelines/endpoint/topic"
	"privpipe/tokenize/internal/words"
)

// A Chunk is a run of documents that one worker takes: whole records of a file of JSON Lines, CSV or Parquet, or one text file.
type Chunk struct {
	Name string // of the file
	// Line is the number of the first line or, of Parquet, row, from 1. It is 0 if the content is one document with the id ID.
	Line    int
	ID      string // empty: none
	Content []byte
	// Fault is set instead of Content for one record or file that exceeds a limit: ErrTooLong or ErrTooWide.
	Fault error
	// Err is the fault of a text file that cannot be opened as text.
	Err error

	messages []*topic.Text // of a topic, else nil
	format   Format
	values   *values // of JSON that is not a value a line, else nil: the state before the chunk
	table    *table  // of CSV, else nil
	parsed   []Row   // of Parquet, else nil
	options  *Options
}

// Unit is what Line and the numbers of Rows count.
func (c Chunk) Unit() string {
	if c.parsed != nil {
		return "row"
	}
	return "line"
}

// Message returns the message of a topic that a number of Rows is of, nil of other inputs.
func (c Chunk) Message(number int) *topic.Text {
	if c.messages == nil {
		return nil
	}
	return c.messages[number-1]
}

// A Row is one record of a chunk: the fields of a document, the cells of a Reader with Cells, or the record's fault.
type Row struct {
	Fields Fields
	Cells  []string // without white space around them; empty: missing
	Err    error
}

// ErrTooLong is the error of a record over the limit.
var ErrTooLong = errors.New("record too long")

// ErrTooWide is the error of a CSV record with too many fields.
var ErrTooWide = fmt.Errorf("more than %d fields", mostFields)

// Rows gives the records of a chunk with the numbers of the lines at which they begin. Blank lines are no records. The text of a row is valid
// until the next row.
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

// row parses a record of the format of the chunk.
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
