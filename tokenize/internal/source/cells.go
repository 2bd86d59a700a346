package source

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"privpipe/pipelines/exit"
	"privpipe/tokenize/internal/parquet"
)

// Cells are the columns to read from rows that are not texts. A Reader with Cells returns these columns of each row, in
// this order. CSV and Parquet must have all of them.
type Cells struct {
	Headless bool // the first record of CSV is a row, and it has these columns and no others
	Comment  byte // a line of CSV that begins with it is no row; 0: none

	names    []string
	at       map[string]int
	optional []bool
	arrays   []bool
}

// NewCells returns the Cells for columns with distinct names. An object of JSON Lines may lack the members that are
// optional. The members that are arrays may be JSON arrays: the array's text is then the cell.
func NewCells(names []string, optional, arrays []bool) *Cells {
	c := &Cells{names: names, optional: optional, arrays: arrays, at: make(map[string]int, len(names))}
	for i, name := range names {
		c.at[name] = i
	}
	return c
}

// errNoHead is the error for a CSV file, or a part of one, without a first record.
var errNoHead = errors.New("empty, must begin with the names of the columns")

// columnsOf returns the places of the cells in a record. head has the names of the record's columns.
func (c *Cells) columnsOf(head []string) ([]int, error) {
	columns := make([]int, len(c.names))
	for i, name := range c.names {
		var err error
		if columns[i], err = columnOf(head, name); err != nil {
			return nil, err
		}
		if columns[i] < 0 {
			return nil, exit.Errorf(exit.Malformed, "no column %q in the first row, which names the columns", name).
				WithHint(`the schema names the columns; "header": false in it says that the first row is data; --delimiter says what separates columns`)
		}
	}
	return columns, nil
}

// columnOf returns the place of name in the first record of CSV, -1 if it is not there.
func columnOf(head []string, name string) (int, error) {
	at := -1
	for i, h := range head {
		if strings.TrimSpace(h) != name {
			continue
		}
		if at >= 0 {
			return at, fmt.Errorf("column %q occurs twice", name)
		}
		at = i
	}
	return at, nil
}

// pick returns a record's cells, without white space around them.
func (t *table) pick(record []string, c *Cells) ([]string, error) {
	if len(record) != t.fields && !t.ragged && c.Headless {
		return nil, fmt.Errorf("not %d fields, as the schema has columns", t.fields)
	}
	record, err := t.fit(record)
	if err != nil {
		return nil, err
	}
	cells := make([]string, len(t.cells))
	for i, column := range t.cells {
		if cells[i] = strings.TrimSpace(record[column]); !utf8.ValidString(cells[i]) {
			return nil, notUTF8("column %q is not UTF-8", c.names[i])
		}
	}
	return cells, nil
}

// A selection takes the cells from one line of JSON Lines.
type selection struct {
	*Cells
	values []string
	found  []bool
}

// UnmarshalJSONFrom implements json.UnmarshalerFrom. It ignores members that are no columns.
func (s *selection) UnmarshalJSONFrom(d *jsontext.Decoder) error {
	return members(d, func(name []byte, value jsontext.Value) error {
		i, is := s.at[string(name)]
		if !is {
			return nil
		}
		s.found[i] = true
		switch value.Kind() {
		case '"':
			s.values[i] = string(bytes.TrimSpace(unquote(nil, value)))
		case '0', 't', 'f':
			s.values[i] = string(value)
		case '[':
			if !s.arrays[i] {
				return wrongType(s.names[i])
			}
			s.values[i] = string(value)
		case 'n':
		default:
			return wrongType(s.names[i])
		}
		return nil
	})
}

// line returns the cells in a line of JSON Lines. Strings are decoded. Numbers, booleans and arrays stay as they are
// written. null is empty. The errors quote nothing from the line.
func (c *Cells) line(line []byte) ([]string, error) {
	s := selection{c, make([]string, len(c.names)), make([]bool, len(c.names))}
	if !utf8.Valid(line) {
		return nil, lineError(line, nil)
	}
	if err := json.Unmarshal(line, &s, jsontext.AllowInvalidUTF8(true)); err != nil {
		return nil, lineError(line, err)
	}
	for i, found := range s.found {
		if !found && !c.optional[i] {
			return nil, fmt.Errorf("member %q is missing", c.names[i])
		}
	}
	return s.values, nil
}

// column finds the named column of a Parquet file.
func (c *Cells) column(f *parquet.File, path, name string) (parquet.Column, error) {
	column, err := f.Column(name)
	switch {
	case err == parquet.ErrNoColumn:
		return column, exit.Errorf(exit.Malformed, "%s: no column %q", path, name).
			WithHint("the schema names the columns")
	case err == nil && column.IsList():
		err = errors.New("must have strings or what CSV spells out")
	}
	if err != nil {
		return column, exit.Errorf(exit.Malformed, "%s: column %q: %w", path, name, err)
	}
	return column, nil
}

// row returns the cells of one Parquet row. null is empty.
func (c *Cells) row(cells []parquet.Cell) Row {
	values := make([]string, len(cells))
	for i, cell := range cells {
		switch {
		case cell.TooLong:
			return Row{Err: ErrTooLong}
		case !cell.Text.Valid():
			return Row{Err: notUTF8("column %q is not UTF-8", c.names[i])}
		}
		values[i] = string(bytes.TrimSpace(cell.Text.Content))
	}
	return Row{Cells: values}
}
