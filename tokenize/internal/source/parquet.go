package source

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"sync/atomic"

	"github.com/go-json-experiment/json/jsontext"

	"privpipe/pipelines/endpoint"
	"privpipe/pipelines/exit"
	"privpipe/pipelines/wire"
	"privpipe/tokenize/internal/parquet"
	"privpipe/tokenize/internal/words"
)

// rows reads the rows in a Parquet file.
type rows struct {
	path string
	*Options
	file  *parquet.File
	in    *parquet.Rows
	texts []int           // places of the text's cells in a row; not with Cells
	cells [len(roles)]int // places of the other roles' cells; -1: no such column
	first int             // number of the next row, from 1
	read  *atomic.Int64
}

// newRows opens a Parquet file. It must have the Cells, or a column for the text and for each role that the user named.
func newRows(path string, o *Options, read *atomic.Int64) (*rows, error) {
	if path == "" || path == endpoint.Stdio {
		return nil, exit.Errorf(exit.Usage, "standard input cannot be Parquet, which is read from its end").
			WithHint("name the file")
	}
	file, err := parquet.Open(path)
	if err != nil {
		return nil, fileError(path, err)
	}
	r := &rows{path: path, Options: o, file: file, first: 1, read: read}
	columns, err := r.columns()
	if err != nil {
		file.Close()
		return nil, err
	}
	r.in = file.Rows(columns...)
	return r, nil
}

// columns finds the columns to read: the Cells, or the columns for the roles.
func (r *rows) columns() (columns []parquet.Column, err error) {
	if r.Cells != nil {
		for _, name := range r.Cells.names {
			c, err := r.Cells.column(r.file, r.path, name)
			if err != nil {
				return nil, err
			}
			c.Limit = r.Limit
			columns = append(columns, c)
		}
		return columns, nil
	}
	for role := range roles {
		names := []string{r.Columns.name(role)}
		if role == roleText {
			names = r.Columns.texts()
		}
		for _, name := range names {
			c, err := r.column(role, name)
			if err != nil {
				return nil, err
			}
			if r.cells[role] = -1; c == nil {
				continue
			}
			if c.Limit = r.Limit; role != roleText {
				c.Limit = min(r.Limit, wire.MaxName)
			}
			r.cells[role] = len(columns)
			columns = append(columns, *c)
			if role == roleText {
				r.texts = append(r.texts, r.cells[role])
			}
		}
	}
	return columns, nil
}

// fileError adds the place to an error, unless the error is the operating system's.
func fileError(where string, err error) error {
	if system := (*fs.PathError)(nil); errors.As(err, &system) {
		return err
	}
	return exit.Errorf(exit.Malformed, "%s: %w", where, err)
}

// column finds a role's column; nil: none.
func (r *rows) column(role int, name string) (*parquet.Column, error) {
	if r.Columns.lacks(role) {
		return nil, nil
	}
	c, err := r.file.Column(name)
	hint := flagOf(role, r.Dimension > 0) + " names the column that is meant"
	switch {
	case err == parquet.ErrNoColumn && role != roleText && r.Columns[role] == "":
		return nil, nil
	case err == parquet.ErrNoColumn:
		return nil, exit.Errorf(exit.Malformed, "%s: no column %q", r.path, name).WithHint("%s", hint)
	case err != nil:
	case role == roleText && r.Dimension > 0:
		if !c.IsVector() && (!c.IsText() || c.IsList()) {
			err = errors.New("must have lists of floating-point numbers, or JSON arrays as strings")
		}
	case role == roleText && !c.IsText():
		err = errors.New("must have strings, or lists of strings")
	case role != roleText && c.IsList() && (role != roleLabel || c.IsVector()):
		err = errors.New("must have strings or what CSV spells out, not lists")
	}
	if err != nil {
		if role != roleText && role != roleDate {
			hint = fmt.Sprintf("--columns %s= means no column, and %s=NAME another one", roles[role], roles[role])
		}
		return nil, exit.Errorf(exit.Malformed, "%s: column %q: %w", r.path, name, err).WithHint("%s", hint)
	}
	return &c, nil
}

func (r *rows) close() error { return r.file.Close() }

// next returns the next chunk, and io.EOF after the last.
func (r *rows) next() (Chunk, error) {
	chunk := Chunk{Name: r.path, Line: r.first, options: r.Options}
	before := r.in.Passed()
	for size := 0; size < chunkBytes; {
		cells, err := r.in.Next()
		if err == io.EOF && chunk.parsed != nil {
			break
		} else if err == io.EOF {
			return chunk, err
		} else if err != nil {
			return chunk, fileError(fmt.Sprintf("%s: row %d", r.path, r.first), err)
		}
		r.first++
		var row Row
		if r.Cells != nil {
			row = r.Cells.row(cells)
		} else {
			row = r.row(cells)
		}
		chunk.parsed = append(chunk.parsed, row)
		size += 256 // what a Row itself takes
		for _, c := range cells {
			size += len(c.Text.Content) + 8*len(c.Numbers)
		}
	}
	r.read.Add(r.in.Passed() - before)
	return chunk, nil
}

// longName stands for a name over wire.MaxName, which the column leaves out. So the check of names refuses it as in
// other formats.
var longName = []byte(strings.Repeat("x", wire.MaxName+1))

// row returns the document in a row, or its fault. Null counts as missing.
func (r *rows) row(cells []parquet.Cell) (row Row) {
	var parts []*words.Text
	for i, at := range r.texts {
		row.Fields.Numbers = cells[at].Numbers
		switch text, err := r.value(&cells[at], r.Columns.texts()[i], roleText); {
		case err != nil:
			return Row{Err: err}
		case text != nil:
			parts = append(parts, &words.Text{Content: text.Content, List: text.List})
		}
	}
	var names [len(roles)]string
	for role := roleID; role < len(roles); role++ {
		if r.cells[role] < 0 {
			continue
		}
		switch name, err := r.value(&cells[r.cells[role]], r.Columns.name(role), role); {
		case err != nil:
			return Row{Err: err}
		case name == nil:
		case role == roleID && len(name.Content) == 0:
			return Row{Err: fmt.Errorf("column %q is empty", r.Columns.name(role))}
		case name.List:
			names[role] = listed(*name)
		default:
			names[role] = string(name.Content)
		}
	}
	if row.Fields.Text, row.Err = join(parts); row.Err == nil && row.Fields.Text == nil {
		row.Err = fmt.Errorf("column %q is null", r.Columns.texts()[0])
	}
	if id := Name(names[roleID]); id != "" {
		row.Fields.ID = &id
	}
	row.Fields.User, row.Fields.Label = Name(names[roleUser]), Label(names[roleLabel])
	row.Fields.Date = Name(names[roleDate])
	return row
}

// value returns a cell's value, nil for null.
func (r *rows) value(c *parquet.Cell, name string, role int) (*words.Text, error) {
	switch {
	case c.Null:
		return nil, nil
	case c.TooLong && role != roleText && r.Limit > wire.MaxName:
		c.Text.Content = longName // its size counts
	case c.TooLong:
		return nil, ErrTooLong
	case c.NullItem:
		return nil, fmt.Errorf("column %q has a null in its list", name)
	case !c.Text.Valid():
		return nil, notUTF8("column %q is not UTF-8", name)
	}
	return &c.Text, nil
}

// listed returns a list as JSON, as JSON Lines would have it as a label.
func listed(list words.Text) string {
	b := []byte{'['}
	for token := range list.Tokens() {
		if len(b) > 1 {
			b = append(b, ',')
		}
		b, _ = jsontext.AppendQuote(b, token) // no error, since the list is valid UTF-8
	}
	return string(append(b, ']'))
}
