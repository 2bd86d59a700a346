package source

import (
	"bytes"
	"errors"
	"fmt"
	"iter"

	"privpipe/pipelines/endpoint/topic"
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
	plain    bool          // the messages are texts
	table    *table        // of CSV, else nil
	parsed   []Row         // of Parquet, else nil
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
		for number, line := range c.lines(limit) {
			row := Row{Err: ErrTooLong}
			switch {
			case line == nil:
			case c.options.Cells != nil:
				row.Cells, row.Err = c.options.Cells.line(line)
			default:
				row.Fields, row.Err = parser.parse(line, &c.options.Columns)
			}
			if !yield(number, row) {
				return
			}
		}
	}
}

// lines yields the lines of a chunk that are not blank, with their numbers. It yields nil for a line over limit bytes.
func (c Chunk) lines(limit int) iter.Seq2[int, []byte] {
	return func(yield func(int, []byte) bool) {
		number := c.Line - 1
		for line := range bytes.Lines(c.Content) {
			number++
			line = bytes.TrimSuffix(bytes.TrimSuffix(line, []byte("\n")), []byte("\r"))
			if len(line) > limit {
				line = nil
			} else if len(bytes.TrimSpace(line)) == 0 {
				continue
			}
			if !yield(number, line) {
				return
			}
		}
	}
}
