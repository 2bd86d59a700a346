// Package parquet reads columns of strings, of values that CSV spells out, and of lists of strings from Apache Parquet
// files, row by row.
//
// parquet-go decodes the metadata, and this package decodes the pages. parquet-go's decoder of pages panics on some 4
// bytes, and takes 256 MiB for some 5 (TestLibrary). Its reader links an HTTP client with a compression that nothing
// needs. github.com/apache/parquet-format 2.11 defines the format.
package parquet

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
)

// A File is an open Parquet file.
type File struct {
	in     io.ReaderAt
	size   int64
	groups []format.RowGroup
	root   node
	close  func() error
}

const (
	magic      = "PAR1"
	mostFooter = 16 << 20 // bytes: enough for 10,000 columns in 10 row groups
)

var (
	// errTruncated means that the file lacks the footer, which its writer writes last.
	errTruncated = errors.New("truncated, or no Parquet file: it does not end as one")
	errDamaged   = errors.New("damaged Parquet")
	errEncrypted = errors.New("encrypted Parquet: decrypt it first")
)

// Open opens a file. It must be a regular file, since Parquet is read from its end. Errors do not name the file, except
// errors from the operating system. They quote nothing from the file.
func Open(path string) (*File, error) {
	info, err := os.Stat(path) // opening a FIFO would wait for its writer
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, errors.New("not a regular file, and Parquet is read from its end")
	}
	in, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	f, err := open(in, info.Size())
	if err != nil {
		in.Close()
		return nil, err
	}
	f.close = in.Close
	return f, nil
}

// Close closes the file.
func (f *File) Close() error { return f.close() }

func open(in io.ReaderAt, size int64) (*File, error) {
	footer, err := readFooter(in, size)
	if err != nil {
		return nil, err
	}
	var meta format.FileMetaData
	if n, err := skim(footer); err == errMany {
		return nil, fmt.Errorf("the footer has %w", err)
	} else if err != nil || n != len(footer) {
		return nil, errDamaged
	}
	if err := thrift.Unmarshal(new(thrift.CompactProtocol), footer, &meta); err != nil {
		return nil, errDamaged
	}
	f := &File{in: in, size: size, groups: meta.RowGroups}
	rest, leaves := meta.Schema, 0
	if f.root, rest, leaves, err = tree(rest, 0, 0); err != nil || len(rest) > 0 {
		return nil, errDamaged
	}
	for _, g := range f.groups {
		if len(g.Columns) != leaves || g.NumRows < 0 {
			return nil, errDamaged
		}
	}
	return f, nil
}

// readFooter reads the metadata at the file's end, in Thrift's compact protocol.
func readFooter(in io.ReaderAt, size int64) ([]byte, error) {
	var head [4]byte
	var tail [8]byte
	if size < int64(len(head)+len(tail)) {
		return nil, errTruncated
	}
	if _, err := in.ReadAt(head[:], 0); err != nil {
		return nil, err
	}
	if _, err := in.ReadAt(tail[:], size-8); err != nil {
		return nil, err
	}
	n := int64(binary.LittleEndian.Uint32(tail[:4]))
	switch end := string(tail[4:]); {
	case string(head[:]) == "PARE" || end == "PARE":
		return nil, errEncrypted
	case string(head[:]) != magic:
		return nil, errors.New("no Parquet file: it does not begin as one")
	case end != magic || n > size-12:
		return nil, errTruncated
	case n > mostFooter:
		return nil, fmt.Errorf("the footer has more than %d MiB", mostFooter>>20)
	}
	footer := make([]byte, n)
	_, err := in.ReadAt(footer, size-8-n)
	return footer, err
}

// Rows reads the given columns in all rows, in order. It leaves out cells over their column's Limit.
func (f *File) Rows(columns ...Column) *Rows {
	r := &Rows{file: f, readers: make([]reader, len(columns)), cells: make([]Cell, len(columns))}
	for i, c := range columns {
		r.readers[i].column = c
	}
	return r
}

// Rows are the rows in a file.
type Rows struct {
	file    *File
	group   int   // number of the next row group
	left    int64 // rows left in the current row group
	readers []reader
	cells   []Cell
	passed  int64 // bytes of the columns in all row groups up to the current one
}

// Passed returns how many bytes of the columns were read. A row group counts when it begins.
func (r *Rows) Passed() int64 { return r.passed }

// Next returns the cells of the next row, valid until the next call, and io.EOF after the last.
func (r *Rows) Next() ([]Cell, error) {
	for r.left == 0 {
		if err := r.next(); err != nil {
			return nil, err
		}
	}
	r.left--
	for i := range r.readers {
		if err := r.readers[i].row(&r.cells[i]); err != nil {
			return nil, err
		}
	}
	return r.cells, nil
}

// next begins the next row group. In the previous one, no column may have values beyond its rows.
func (r *Rows) next() error {
	for i := range r.readers {
		if err := r.readers[i].end(); err != nil {
			return err
		}
	}
	if r.group == len(r.file.groups) {
		return io.EOF
	}
	group := &r.file.groups[r.group]
	r.group++
	r.left = group.NumRows
	for i := range r.readers {
		chunk := &group.Columns[r.readers[i].column.index]
		if err := r.readers[i].pages.open(r.file.in, r.file.size, chunk); err != nil {
			return err
		}
		r.passed += chunk.MetaData.TotalCompressedSize
	}
	return nil
}
