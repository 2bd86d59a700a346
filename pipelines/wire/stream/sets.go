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
	Release    *wire.Release    // in a stream of RELEASES
	Parameters *wire.Parameters // in a stream of PARAMETERS or CHECKPOINT
	Sum        *wire.Sum        // in a stream of SUMS

	header *wire.Header
	blocks [][][]byte // for each matrix, in order, its cells, little-endian
	reader *Reader    // has the blocks of the matrices that are not in blocks yet; nil: all are
	failed error      // the error from reader
}

// ReadSet returns the next set from a stream of RELEASES, PARAMETERS or CHECKPOINT, and io.EOF after the last. Words on
// the way go to the function words, if it is not nil.
func ReadSet(r *Reader, words func(*wire.Words)) (*Set, error) {
	s, err := OpenSet(r, words)
	if err == nil {
		err = s.Load()
	}
	if err != nil {
		return nil, err
	}
	return s, nil
}

// OpenSet is ReadSet, but reads the matrices only when they are asked for: Drain holds one block at a time. Errors from
// r come at that time. Before r is used again, Load or Skip must have returned without an error.
func OpenSet(r *Reader, words func(*wire.Words)) (*Set, error) {
	record, err := r.Next()
	for ; err == nil && record.GetWords() != nil; record, err = r.Next() {
		if words != nil {
			words(record.GetWords())
		}
	}
	if err != nil {
		return nil, err
	}
	return r.set(record), nil
}

// ReadBlocks returns the set that begins with head: a Release, Parameters or Sum record from Next.
func (r *Reader) ReadBlocks(head *wire.Record) (*Set, error) {
	s := r.set(head)
	if err := s.Load(); err != nil {
		return nil, err
	}
	return s, nil
}

func (r *Reader) set(head *wire.Record) *Set {
	s := &Set{Round: head.Round, Release: head.GetRelease(), Parameters: head.GetParameters(), Sum: head.GetSum(),
		header: r.header}
	if len(s.header.Matrices) > 0 {
		s.reader = r
	}
	return s
}

// Load reads all matrices that have not come yet.
func (s *Set) Load() error { return s.loadTo(len(s.header.Matrices)) }

// Skip reads everything that has not come yet, and keeps nothing.
func (s *Set) Skip() error {
	for s.reader != nil {
		if err := s.drain(func([]byte) {}); err != nil {
			return err
		}
	}
	return nil
}

// Err returns the error from reading the stream, if there was one. It distinguishes a stream that broke off from a
// wrong matrix.
func (s *Set) Err() error { return s.failed }

// loadTo reads the matrices before the i-th.
func (s *Set) loadTo(i int) error {
	for s.reader != nil && len(s.blocks) < i {
		// Memory is taken only for blocks that came: a header alone must not make a reader allocate a large matrix.
		var blocks [][]byte
		if err := s.drain(func(values []byte) { blocks = append(blocks, values) }); err != nil {
			return err
		}
		s.blocks[len(s.blocks)-1] = blocks
	}
	return nil
}

// drain reads the next matrix. blocks then has it as drained.
func (s *Set) drain(take func(values []byte)) error {
	m := s.header.Matrices[len(s.blocks)]
	for missing := m.Cells() * m.Element.Size(); missing > 0; {
		record, err := s.reader.Next()
		if err != nil {
			s.failed = err
			return err
		}
		values := record.GetBlock().GetValues()
		take(values)
		missing -= len(values)
	}
	s.blocks = append(s.blocks, nil)
	if len(s.blocks) == len(s.header.Matrices) {
		s.reader = nil
	}
	return nil
}

// Scalar returns the scalar with this name in a Parameters record.
func (s *Set) Scalar(name string) (float64, bool) {
	for _, c := range s.Parameters.GetScalars() {
		if c.Name == name {
			return c.Value, true
		}
	}
	return 0, false
}

// Matrix returns the number in the header and the shape of the matrix with this name, or an error.
func (s *Set) Matrix(name string) (int, *wire.Matrix, error) {
	for i, m := range s.header.Matrices {
		if m.Name == name {
			return i, m, nil
		}
	}
	return 0, nil, fmt.Errorf("stream has no matrix %q", name)
}

// Digest is the SHA-256 of all scalars and then of all cells as the wire has them, matrix after matrix. A scalar enters
// as its name, a newline and the FLOAT64. A release's charge names this hash (SPEC.md §7.3), and so do scores under
// parameters (§3.5).
func (s *Set) Digest() [sha256.Size]byte {
	hash := sha256.New()
	for _, scalar := range s.Parameters.GetScalars() {
		hash.Write(AppendCells([]byte(scalar.Name+"\n"), []float64{scalar.Value}))
	}
	if s.reader != nil {
		panic("a digest of a set that was not read")
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

// Values is a matrix's cell type.
type Values interface{ float32 | float64 | int64 }

// Cells returns the cells of the matrix with this name, row by row. T must be its element.
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

// Drain gives the cells of the matrix with this name to take, block after block, and frees each block. So a caller that
// makes another matrix from them does not hold both. The slice is used again. After an error some cells may have been
// taken. Afterwards the set no longer has the cells, so neither Cells nor Digest can be called for them.
func Drain[T Values](s *Set, name string, take func([]T)) error {
	i, m, err := s.Matrix(name)
	if err == nil {
		err = fits[T](m)
	}
	if err == nil {
		err = s.loadTo(i)
	}
	if err != nil {
		return err
	}
	var cells []T
	each := func(values []byte) {
		cells = slices.Grow(cells[:0], len(values)) // at most: a value takes a byte or more
		take(cells[:decodeCells(cells[:cap(cells)], values)])
	}
	if len(s.blocks) == i {
		return s.drain(each)
	}
	if s.blocks[i] == nil {
		return wasDrained(name)
	}
	for b, values := range s.blocks[i] {
		each(values)
		s.blocks[i][b] = nil
	}
	s.blocks[i] = nil
	return nil
}

// find returns the matrix with this name, once it is read, and its number. Its element must be T.
func find[T Values](s *Set, name string) (int, *wire.Matrix, error) {
	i, m, err := s.Matrix(name)
	if err == nil {
		err = fits[T](m)
	}
	if err == nil {
		err = s.loadTo(i + 1)
	}
	if err == nil && s.blocks[i] == nil {
		err = wasDrained(name)
	}
	return i, m, err
}

// fits refuses a matrix with another element than T.
func fits[T Values](m *wire.Matrix) error {
	if m.Element != Element[T]() {
		return fmt.Errorf("matrix %q has elements %s, not %T", m.Name, m.Element, *new(T))
	}
	return nil
}

func wasDrained(name string) error { return fmt.Errorf("matrix %q was drained", name) }

// Element returns the wire's element for T.
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

// blockBytes is the size of one block: a few blocks fill a frame.
const blockBytes = 128 << 10

// Rows are a matrix's cells, row by row, that are to be written.
type Rows interface {
	// Len is the number of cells.
	Len() int

	// AppendTo appends to b the cells from number from up to, but not including, number to, as little-endian bytes.
	AppendTo(b []byte, from, to int) []byte
}

// RowsOf returns cells as Rows, without a copy.
func RowsOf[T Values](cells []T) Rows { return slice[T](cells) }

type slice[T Values] []T

func (s slice[T]) Len() int                               { return len(s) }
func (s slice[T]) AppendTo(b []byte, from, to int) []byte { return AppendCells(b, s[from:to]) }

// WriteSet writes head, a Release, Parameters or Sum record, and the matrices that the header announces. It encodes one
// block at a time.
func (w *Writer) WriteSet(head *wire.Record, matrices ...Rows) error {
	if err := w.Write(head); err != nil {
		return err
	}
	values := take()
	defer func() { give(values) }()
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

// writeBlock writes cells of one matrix, from cell number offset on.
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
