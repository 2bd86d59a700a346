package source

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"sync/atomic"

	"privpipe/pipelines/endpoint"
	"privpipe/pipelines/exit"
	"privpipe/pipelines/wire"
	"privpipe/tokenize/internal/parquet"
	"privpipe/tokenize/internal/words"
)

// rows are the rows of a Parquet file.
type rows struct {
	path string
	*Options
	file  *parquet.File
	in    *parquet.Rows
	cells [len(roles)]int // index of the role's cell in a row; -1: no such column; not with Cells
	first int             // number of the next row, from 1
	read  *atomic.Int64
}

// newRows opens a Parquet file. It must have the Cells, or a column for the text and for each role that the user named.
func newRows(path string, o *Options, read *atomic.Int64) (*rows, error) {
	if path == "" || path == endpoint.Stdio {
		return nil, exit.Errorf(exit.Usage, "standard input cannot be Parquet, which is read from its end").WithHint("name the file")
	}
	file, err := parquet.Open(path)
	if err != nil {
		return nil, parquetError(path, err)
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

// columns finds the columns to read: the Cells, or those of the roles.
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
		c, err := r.column(role)
		if err != nil {
			return nil, err
		}
		if r.cells[role] = -1; c != nil {
			if c.Limit = r.Limit; role != roleText {
				c.Limit = min(r.Limit, wire.MaxName)
			}
			r.cells[role] = len(columns)
			columns = append(columns, *c)
		}
	}
	return columns, nil
}

// parquetError says where an error is, unless it is the operating system's.
func parquetError(where string, err error) error {
	if system := (*fs.PathError)(nil); errors.As(err, &system) {
		return err
	}
	return exit.Errorf(exit.Malformed, "%s: %w", where, err)
}

// column finds the column of a role; nil: none.
func (r *rows) column(role int) (*parquet.Column, error) {
	name := r.Columns.name(role)
	c, err := r.file.Column(name)
	switch {
	case err == parquet.ErrNoColumn && role != roleText && r.Columns[role] == "":
		return nil, nil
	case err == parquet.ErrNoColumn:
		return nil, exit.Errorf(exit.Malformed, "%s: no column %q", r.path, name).
			WithHint("--columns %s=NAME names the column that is meant", roles[role])
	case err != nil:
	case role == roleText && !c.IsText():
		err = errors.New("must have strings, or lists of strings")
	case role != roleText && (c.IsList() || c.IsReal()):
		err = errors.New("must have strings or integers")
	}
	if err != nil {
		return nil, exit.Errorf(exit.Malformed, "%s: column %q: %w", r.path, name, err)
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
			return chunk, parquetError(fmt.Sprintf("%s: row %d", r.path, r.first), err)
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
			size += len(c.Text.Content)
		}
	}
	r.read.Add(r.in.Passed() - before)
	return chunk, nil
}

// longName stands for a name over wire.MaxName, which the column leaves out. So the check of names refuses it as in other formats.
var longName = []byte(strings.Repeat("x", wire.MaxName+1))

// row returns the document of a row, or its fault. Null counts as missing.
func (r *rows) row(cells []parquet.Cell) (row Row) {
	var values [len(roles)]*parquet.Cell
	for role, i := range r.cells {
		if i < 0 || cells[i].Null {
			continue
		}
		c := &cells[i]
		switch {
		case c.TooLong && role != roleText && r.Limit > wire.MaxName:
			c.Text.Content = longName
		case c.TooLong:
			return Row{Err: ErrTooLong}
		case c.NullItem:
			return Row{Err: fmt.Errorf("column %q has a null in its list", r.Columns.name(role))}
		case !c.Text.Valid():
			return Row{Err: fmt.Errorf("column %q is not UTF-8", r.Columns.name(role))}
		}
		values[role] = c
	}
	text, id := values[roleText], values[roleID]
	switch {
	case text == nil:
		return Row{Err: fmt.Errorf("column %q is null", r.Columns.name(roleText))}
	case id != nil && len(id.Text.Content) == 0:
		return Row{Err: fmt.Errorf("column %q is empty", r.Columns.name(roleID))}
	}
	row.Fields.Text = &words.Text{Content: text.Text.Content, List: text.Text.List}
	if id != nil {
		name := Name(id.Text.Content)
		row.Fields.ID = &name
	}
	if user := values[roleUser]; user != nil {
		row.Fields.User = Name(user.Text.Content)
	}
	if label := values[roleLabel]; label != nil {
		row.Fields.Label = Label(label.Text.Content)
	}
	return row
}
