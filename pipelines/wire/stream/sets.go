package stream

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math"

	"privpipe/pipelines/wire"
)

// A Set is a Release, Parameters or Sum record with the matrices that follow it.
type Set struct {
	Round      uint32
	Release    *wire.Release    // of a stream of RELEASES
	Parameters *wire.Parameters // of a stream of PARAMETERS or CHECKPOINT
	Sum        *wire.Sum        // of a stream of SUMS

	header *wire.Header
	cells  [][]byte // of each matrix, little-endian
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
		// Grown as blocks come: a header alone must not make a reader allocate a large matrix.
		var cells []byte
		for size := m.Cells() * m.Element.Size(); len(cells) < size; {
			record, err := r.Next()
			if err != nil {
				return nil, err
			}
			cells = append(cells, record.GetBlock().GetValues()...)
		}
		s.cells = append(s.cells, cells)
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
	for _, cells := range s.cells {
		hash.Write(cells)
	}
	return [sha256.Size]byte(hash.Sum(nil))
}

// Values is a cell type of a matrix.
type Values interface{ float32 | float64 | int64 }

// Cells returns the cells of the matrix of a name, row by row. T must be its element.
func Cells[T Values](s *Set, name string) ([]T, error) {
	i, m, err := s.Matrix(name)
	if err != nil {
		return nil, err
	}
	values := make([]T, m.Cells())
	b := s.cells[i]
	switch v := any(values).(type) {
	case []float32:
		if m.Element == wire.Element_FLOAT32 {
			for j := range v {
				v[j] = math.Float32frombits(binary.LittleEndian.Uint32(b[4*j:]))
			}
			return values, nil
		}
	case []float64:
		if m.Element == wire.Element_FLOAT64 {
			for j := range v {
				v[j] = math.Float64frombits(binary.LittleEndian.Uint64(b[8*j:]))
			}
			return values, nil
		}
	case []int64:
		if m.Element == wire.Element_INT64 {
			for j := range v {
				v[j] = int64(binary.LittleEndian.Uint64(b[8*j:]))
			}
			return values, nil
		}
	}
	return nil, fmt.Errorf("matrix %q has elements %s, not %T", name, m.Element, values[:0])
}

// blockBytes is how much of a matrix a block holds: a few blocks fill a frame.
const blockBytes = 128 << 10

// WriteSet writes head, a Release, Parameters or Sum record, and the matrices that the header announces, each given as
// its little-endian bytes (see AppendCells).
func (w *Writer) WriteSet(head *wire.Record, matrices ...[]byte) error {
	if err := w.Write(head); err != nil {
		return err
	}
	for i, cells := range matrices {
		size := w.framer.Header.Matrices[i].Element.Size()
		for offset := 0; offset < len(cells); offset += blockBytes {
			if err := w.writeBlock(head.Round, i, offset/size, cells[offset:min(offset+blockBytes, len(cells))]); err != nil {
				return err
			}
		}
	}
	return nil
}

// WriteCells is WriteSet for matrices of cells. It encodes a block at a time.
func WriteCells(w *Writer, head *wire.Record, matrices ...[]int64) error {
	if err := w.Write(head); err != nil {
		return err
	}
	const most = blockBytes / 8
	for i, cells := range matrices {
		for offset := 0; offset < len(cells); offset += most {
			values := AppendCells(nil, cells[offset:min(offset+most, len(cells))])
			if err := w.writeBlock(head.Round, i, offset, values); err != nil {
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
