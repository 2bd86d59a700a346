package stream

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math"
	"slices"

	"privpipe/pipelines/wire"
)

// A Set is a Release, Parameters or Sum record with the matrices that follow it.
type Set struct {
	Round      uint32
	Release    *wire.Release    // of a stream of RELEASES
	Parameters *wire.Parameters // of a stream of PARAMETERS or CHECKPOINT
	Sum        *wire.Sum        // of a stream of SUMS

	header *wire.Header
	blocks [][][]byte // of each matrix, in order: cells, little-endian
}

// ReadSet returns the next set of a stream of RELEASES, PARAMETERS or CHECKPOINT, and io.EOF after the last. Words on
// the way go to the function of that name, if there is one.
func ReadSet(r *Reader, words func(*wire.Words)) (*Set, error) {
	record, err := r.Next()
	for ; err == nil && record.GetWords() != nil; record, err = r.Next() {
		if words != nil {
			words(record.GetWords())
		}
	}
	if err != nil {
		return nil, err
	}
	return r.ReadBlocks(record)
}

// ReadBlocks returns the set that head, a Release, Parameters or Sum record that Next returned, begins.
func (r *Reader) ReadBlocks(head *wire.Record) (*Set, error) {
	s := &Set{
		Round: head.Round, Release: head.GetRelease(), Parameters: head.GetParameters(), Sum: head.GetSum(), header: r.header,
	}
	for _, m := range r.header.Matrices {
		// The memory is that of blocks which came: a header alone must not make a reader allocate a large matrix.
		var blocks [][]byte
		for missing := m.Cells() * m.Element.Size(); missing > 0; {
			record, err := r.Next()
			if err != nil {
				return nil, err
			}
			values := record.GetBlock().GetValues()
			blocks = append(blocks, values)
			missing -= len(values)
		}
		s.blocks = append(s.blocks, blocks)
	}
	return s, nil
}

// Scalar returns the scalar of a name of a Parameters record.
func (s *Set) Scalar(name string) (float64, bool) {
	for _, c := range s.Parameters.GetScalars() {
		if c.Name == name {
			return c.Value, true
		}
	}
	return 0, false
}

// Matrix returns the shape of the matrix of a name and its number in the header, or an error.
func (s *Set) Matrix(name string) (int, *wire.Matrix, error) {
	for i, m := range s.header.Matrices {
		if m.Name == name {
			return i, m, nil
		}
	}
	return 0, nil, fmt.Errorf("stream has no matrix %q", name)
}

// Digest is the SHA-256 of all scalars and then of all cells as the wire has them, matrix after matrix. Of a scalar it takes the name,
// a newline and the FLOAT64. The charge of a release names this hash (SPEC.md §7.3), and so do scores under parameters (§3.5).
func (s *Set) Digest() [sha256.Size]byte {
	hash := sha256.New()
	for _, scalar := range s.Parameters.GetScalars() {
		hash.Write(AppendCells([]byte(scalar.Name+"\n"), []float64{scalar.Value}))
	}
	for _, blocks := range s.blocks {
		if blocks == nil {
			panic("a digest of a set whose cells were drained")
		}
		for _, values := range blocks {
			hash.Write(values)
		}
	}
	return [sha256.Size]byte(hash.Sum(nil))
}

// Values is a cell type of a matrix.
type Values interface{ float32 | float64 | int64 }

// Cells returns the cells of the matrix of a name, row by row. T must be its element.
func Cells[T Values](s *Set, name string) ([]T, error) {
	i, m, err := find[T](s, name)
	if err != nil {
		return nil, err
	}
	cells := make([]T, m.Cells())
	rest := cells
	for _, values := range s.blocks[i] {
		rest = rest[decodeCells(rest, values):]
	}
	return cells, nil
}

// Drain gives the cells of the matrix of a name to take, a block of them after the other, and frees each: whoever makes another matrix of them
// does not hold both. The slice is used again. Afterwards the set has the cells no more, so neither they nor a digest can be asked of it.
func Drain[T Values](s *Set, name string, take func([]T)) error {
	i, _, err := find[T](s, name)
	if err != nil {
		return err
	}
	var cells []T
	for b, values := range s.blocks[i] {
		cells = slices.Grow(cells[:0], len(values)) // at most: a value has a byte or more
		take(cells[:decodeCells(cells[:cap(cells)], values)])
		s.blocks[i][b] = nil
	}
	s.blocks[i] = nil
	return nil
}

// find returns the matrix of a name, whose element must be T, and its number.
func find[T Values](s *Set, name string) (int, *wire.Matrix, error) {
	i, m, err := s.Matrix(name)
	if err != nil {
		return 0, nil, err
	}
	if m.Element != Element[T]() {
		return 0, nil, fmt.Errorf("matrix %q has elements %s, not %T", name, m.Element, *new(T))
	}
	if s.blocks[i] == nil {
		return 0, nil, fmt.Errorf("matrix %q was drained", name)
	}
	return i, m, nil
}

// Element returns the element of the wire for T.
func Element[T Values]() wire.Element {
	switch any(*new(T)).(type) {
	case float32:
		return wire.Element_FLOAT32
	case int64:
		return wire.Element_INT64
	}
	return wire.Element_FLOAT64
}

// decodeCells sets the first cells from little-endian bytes and returns their number.
func decodeCells[T Values](cells []T, b []byte) int {
	n := len(b) / Element[T]().Size()
	switch v := any(cells[:n]).(type) {
	case []float32:
		wire.AppendFloats(v[:0], b)
	case []float64:
		for j := range v {
			v[j] = math.Float64frombits(binary.LittleEndian.Uint64(b[8*j:]))
		}
	case []int64:
		for j := range v {
			v[j] = int64(binary.LittleEndian.Uint64(b[8*j:]))
		}
	}
	return n
}

// blockBytes is how much of a matrix a block holds: a few blocks fill a frame.
const blockBytes = 128 << 10

// Rows are the cells of a matrix, row by row, that are to be written.
type Rows interface {
	// Len is the number of cells.
	Len() int

	// AppendTo appends the cells from one number to before another to b, as little-endian bytes.
	AppendTo(b []byte, from, to int) []byte
}

// RowsOf returns cells as Rows, which do not copy them.
func RowsOf[T Values](cells []T) Rows { return slice[T](cells) }

type slice[T Values] []T

func (s slice[T]) Len() int                               { return len(s) }
func (s slice[T]) AppendTo(b []byte, from, to int) []byte { return AppendCells(b, s[from:to]) }

// WriteSet writes head, a Release, Parameters or Sum record, and the matrices that the header announces. It encodes a block at a time.
func (w *Writer) WriteSet(head *wire.Record, matrices ...Rows) error {
	if err := w.Write(head); err != nil {
		return err
	}
	var values []byte
	for i, m := range matrices {
		most := blockBytes / w.framer.Header.Matrices[i].Element.Size()
		for from := 0; from < m.Len(); from += most {
			values = m.AppendTo(values[:0], from, min(from+most, m.Len()))
			if err := w.writeBlock(head.Round, i, from, values); err != nil {
				return err
			}
		}
	}
	return nil
}

// writeBlock writes cells of a matrix from the one with number offset on.
func (w *Writer) writeBlock(round uint32, matrix, offset int, values []byte) error {
	block := &wire.Block{Matrix: uint32(matrix), Offset: uint64(offset), Values: values}
	return w.Write(&wire.Record{Round: round, Body: &wire.Record_Block{Block: block}})
}

// AppendCells appends values to b as little-endian bytes.
func AppendCells[T Values](b []byte, values []T) []byte {
	switch v := any(values).(type) {
	case []float32:
		for _, x := range v {
			b = binary.LittleEndian.AppendUint32(b, math.Float32bits(x))
		}
	case []float64:
		for _, x := range v {
			b = binary.LittleEndian.AppendUint64(b, math.Float64bits(x))
		}
	case []int64:
		for _, x := range v {
			b = binary.LittleEndian.AppendUint64(b, uint64(x))
		}
	}
	return b
}
