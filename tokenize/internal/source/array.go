package source

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync/atomic"
	"unicode/utf8"

	"privpipe/pipelines/endpoint"
	"privpipe/pipelines/endpoint/plain"
	"privpipe/pipelines/exit"
	"privpipe/pipelines/npy"
	"privpipe/pipelines/wire"
	"privpipe/tokenize/internal/words"
)

// vectors reads the vectors in an array of NumPy, and beside them their names. Only the order says which name is whose,
// so both must have the same number.
type vectors struct {
	path   string
	array  *npy.Array
	names  func() (Fields, error) // of the next vector; io.EOF after the last; nil: vectors have no names
	of     string                 // what the names are in, for messages
	first  int                    // number of the next row, from 1
	closes []io.Closer
}

// counter counts the bytes that are read.
type counter struct {
	io.Reader
	read *atomic.Int64
}

func (c counter) Read(b []byte) (int, error) {
	n, err := c.Reader.Read(b)
	c.read.Add(int64(n))
	return n, err
}

// newArray opens a .npy file, and its file of names if it has one.
func newArray(ctx context.Context, in input, dimension int, read *atomic.Int64) (*vectors, error) {
	opened, err := endpoint.Open(ctx, in.path)
	if err != nil {
		return nil, err
	}
	v := &vectors{path: opened.Name, first: 1, closes: []io.Closer{opened}}
	array, err := npy.NewArray(counter{opened, read})
	if err = v.take(array, err, dimension); err == nil && in.names != "" {
		err = v.open(ctx, in.names)
	}
	if err != nil {
		v.close()
		return nil, err
	}
	return v, nil
}

// take begins with an array, which must have rows of this dimension.
func (v *vectors) take(array *npy.Array, err error, dimension int) error {
	switch {
	case err == nil && !array.IsFloats():
		err = errors.New("must be of float16, float32 or float64")
	case err == nil && (array.Flat || array.Width != dimension):
		err = exit.Errorf(exit.Malformed, "vectors must have %d numbers, the --dimension", dimension).
			WithHint("--dimension is how many numbers the model makes of each text; " +
				"the array must have a row for each vector, and a column for each number")
	}
	if err != nil {
		return exit.Errorf(exit.Malformed, "%s: %w", v.path, err).WithHint("%s", exit.Hint(err))
	}
	v.array = array
	return nil
}

// open opens a file of names. A line has an id, and may have a user and a label after tabs.
func (v *vectors) open(ctx context.Context, path string) error {
	opened, err := plain.Open(ctx, path)
	if err != nil {
		return err
	}
	v.of, v.closes = opened.Name, append(v.closes, opened)
	lines := bufio.NewScanner(opened)
	lines.Buffer(nil, 3*(wire.MaxName+1)+1)
	v.names = func() (f Fields, err error) {
		if !lines.Scan() {
			if err := lines.Err(); err == bufio.ErrTooLong {
				return f, fmt.Errorf("a line has more than three names of %d bytes", wire.MaxName)
			} else if err != nil {
				return f, err
			}
			return f, io.EOF
		}
		names := strings.Split(lines.Text(), "\t")
		switch {
		case len(names) > 3:
			return f, errors.New("a line has more than an id, a user and a label")
		case !utf8.ValidString(lines.Text()):
			return f, errors.New("not UTF-8")
		}
		return fieldsOf(append(names, "", "")[:3]), nil
	}
	return nil
}

// fieldsOf returns the fields of an id, a user and a label. An empty id counts as no id.
func fieldsOf(names []string) Fields {
	f := Fields{User: Name(names[1]), Label: Label(names[2])}
	if id := Name(names[0]); id != "" {
		f.ID = &id
	}
	return f
}

// newArrays opens a .npz archive. Its arrays are vectors, and perhaps ids, users and labels.
func newArrays(path string, dimension int, read *atomic.Int64) (*vectors, error) {
	if path == "" || path == endpoint.Stdio {
		return nil, exit.Errorf(exit.Usage, "standard input cannot be .npz, which is read from its end").
			WithHint("name the file, or write the vectors as .npy")
	}
	info, err := os.Stat(path) // opening a FIFO would wait for its writer
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, exit.Errorf(exit.Malformed, "%s: not a regular file, and .npz is read from its end", path)
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	v := &vectors{path: path, of: path, first: 1, closes: []io.Closer{file}}
	if err := v.members(file, info.Size(), dimension, read); err != nil {
		v.close()
		return nil, err
	}
	return v, nil
}

// members begins the arrays of an archive.
func (v *vectors) members(file io.ReaderAt, size int64, dimension int, read *atomic.Int64) error {
	members, err := npy.OpenMembers(counterAt{file, read}, size)
	if err != nil {
		return fileError(v.path, err)
	}
	array, err := members.Array("vectors")
	if err == nil && array == nil {
		err = exit.Errorf(exit.Malformed, "no array vectors").
			WithHint("numpy.savez(FILE, vectors=…, ids=…) writes it; users and labels may be there, too")
	}
	if err := v.take(array, err, dimension); err != nil {
		return err
	}
	var all [3]*npy.Array
	for i, name := range []string{"ids", "users", "labels"} {
		if all[i], err = members.Array(name); err == nil && all[i] != nil && all[i].Rows != v.array.Rows {
			err = errNames
		}
		if err != nil {
			return fileError(fmt.Sprintf("%s: the array %s", v.path, name), err)
		}
	}
	if all == [len(all)]*npy.Array{} {
		return nil
	}
	v.names = func() (f Fields, err error) {
		var names [len(all)]string
		for i, array := range all {
			if array == nil {
				continue
			}
			var e error
			if names[i], e = array.Text(); e != nil && (err == nil || err == io.EOF) {
				err = e // all end together; what is wrong after the end of one counts
			}
		}
		return fieldsOf(names[:]), err
	}
	return nil
}

// errNames says not how many there are, which may be private.
var errNames = errors.New("must have a name for each vector, and no more")

// next returns the next chunk, and io.EOF after the last.
func (v *vectors) next() (Chunk, error) {
	chunk := Chunk{Name: v.path, Line: v.first}
	for size := 0; size < chunkBytes; size += 8*v.array.Width + 256 { // a Row itself takes some 256
		numbers, err := v.array.Floats(make([]float64, 0, v.array.Width))
		if err == io.EOF {
			if err := v.end(); err != nil || chunk.parsed != nil {
				return chunk, err
			}
			return chunk, io.EOF
		} else if err != nil {
			return chunk, fileError(fmt.Sprintf("%s: row %d", v.path, v.first), err)
		}
		row, err := v.named()
		if err != nil {
			return chunk, err
		}
		row.Numbers, row.Text = numbers, new(words.Text)
		chunk.parsed = append(chunk.parsed, Row{Fields: row})
		v.first++
	}
	return chunk, nil
}

// named returns the names of the next vector.
func (v *vectors) named() (f Fields, err error) {
	if v.names == nil {
		return f, nil
	}
	if f, err = v.names(); err == io.EOF {
		return f, fileError(v.of, errNames)
	} else if err != nil {
		return f, fileError(fmt.Sprintf("%s: the names of row %d", v.of, v.first), err)
	}
	return f, nil
}

// end checks that no name is left after the last vector.
func (v *vectors) end() error {
	if v.names == nil {
		return nil
	}
	_, err := v.names()
	switch err {
	case io.EOF:
		return nil
	case nil:
		err = errNames
	}
	return fileError(v.of, err)
}

// close closes the files.
func (v *vectors) close() (err error) {
	for _, c := range v.closes {
		err = errors.Join(err, c.Close())
	}
	return err
}

// counterAt counts the bytes that are read anywhere.
type counterAt struct {
	io.ReaderAt
	read *atomic.Int64
}

func (c counterAt) ReadAt(b []byte, at int64) (int, error) {
	n, err := c.ReaderAt.ReadAt(b, at)
	c.read.Add(int64(n))
	return n, err
}
