// Package parquet writes tables with columns of text and of float64 in the Parquet format
// (github.com/apache/parquet-format). It writes no nulls, plain encoding, and no compression, which hardly makes shares
// of topics smaller. parquet-go encodes the metadata. Its own writer would link code that reaches a network, and estep
// stands before the privacy wall.
package parquet

import (
	"encoding/binary"
	"errors"
	"io"
	"math"
)

const magic = "PAR1"

// groupBytes bounds the data in one row group. The group is held in memory.
const groupBytes = 32 << 20

// A Writer writes a table row by row. Rows come to the file in groups.
type Writer struct {
	w       io.Writer
	written int64 // bytes

	texts   []string // names of the columns of text
	numbers []string // names of the others

	rows   int      // of the group
	size   int      // of the group, in bytes
	values [][]byte // for each column

	total  int64 // rows of the groups before
	groups []group
}

type group struct {
	rows    int64
	columns []chunk
}

// A chunk is the place in the file of one column's data in one group.
type chunk struct{ offset, size int64 }

// NewWriter returns a writer for a table with these columns.
func NewWriter(w io.Writer, texts, numbers []string) *Writer {
	return &Writer{w: w, texts: texts, numbers: numbers, values: make([][]byte, len(texts)+len(numbers))}
}

// Write adds a row.
func (w *Writer) Write(texts []string, numbers []float64) error {
	if len(texts) != len(w.texts) || len(numbers) != len(w.numbers) {
		return errors.New("parquet: row has another number of columns than the table")
	}
	for i, text := range texts {
		w.values[i] = append(binary.LittleEndian.AppendUint32(w.values[i], uint32(len(text))), text...)
		w.size += 4 + len(text)
	}
	for i, x := range numbers {
		i += len(texts)
		w.values[i] = binary.LittleEndian.AppendUint64(w.values[i], math.Float64bits(x))
	}
	w.size += 8 * len(numbers)
	w.rows++
	if w.size >= groupBytes {
		return w.flush()
	}
	return nil
}

// flush writes the group. Each column has a chunk with one page.
func (w *Writer) flush() error {
	if err := w.begin(); err != nil || w.rows == 0 {
		return err
	}
	g := group{rows: int64(w.rows)}
	for i, data := range w.values {
		page, err := pageHeader(w.rows, len(data))
		if err != nil {
			return err
		}
		g.columns = append(g.columns, chunk{w.written, int64(len(page) + len(data))})
		if err := errors.Join(w.write(page), w.write(data)); err != nil {
			return err
		}
		w.values[i] = data[:0]
	}
	w.groups = append(w.groups, g)
	w.total += g.rows
	w.rows, w.size = 0, 0
	return nil
}

// begin writes the magic number, once.
func (w *Writer) begin() error {
	if w.written > 0 {
		return nil
	}
	return w.write([]byte(magic))
}

func (w *Writer) write(b []byte) error {
	n, err := w.w.Write(b)
	w.written += int64(n)
	return err
}

// Close writes the remaining rows and the footer. It does not close the underlying writer.
func (w *Writer) Close() error {
	if err := w.flush(); err != nil {
		return err
	}
	footer, err := w.footer()
	if err != nil {
		return err
	}
	footer = binary.LittleEndian.AppendUint32(footer, uint32(len(footer)))
	return w.write(append(footer, magic...))
}
