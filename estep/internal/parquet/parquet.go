// Package parquet writes tables of one column of text and many of float64 in the Parquet format
// (github.com/apache/parquet-format, README.md and parquet.thrift): no nulls, plain encoding, no compression, which shares of topics
// hardly gain by. Libraries do more, but link code that reaches a network, and estep stands before the privacy wall.
package parquet

import (
	"encoding/binary"
	"errors"
	"io"
	"math"
)

const magic = "PAR1"

// groupBytes bounds the data of a row group, which is held in memory.
const groupBytes = 32 << 20

// A Writer writes a table row by row. Rows come to the file in groups.
type Writer struct {
	w       io.Writer
	written int64 // bytes

	text    string   // name of the column of text
	numbers []string // names of the others

	rows   int // of the group
	texts  []byte
	values [][]byte // of each column of numbers

	total  int64 // rows of the groups before
	groups []group
}

type group struct {
	rows    int64
	columns []chunk
}

// A chunk is where the data of a column of a group are.
type chunk struct{ offset, size int64 }

// NewWriter returns a writer of a table with these columns.
func NewWriter(w io.Writer, text string, numbers []string) *Writer {
	return &Writer{w: w, text: text, numbers: numbers, values: make([][]byte, len(numbers))}
}

// Write adds a row.
func (w *Writer) Write(text string, numbers []float64) error {
	if len(numbers) != len(w.numbers) {
		return errors.New("parquet: row has another number of columns than the table")
	}
	w.texts = append(binary.LittleEndian.AppendUint32(w.texts, uint32(len(text))), text...)
	for i, x := range numbers {
		w.values[i] = binary.LittleEndian.AppendUint64(w.values[i], math.Float64bits(x))
	}
	w.rows++
	if len(w.texts)+8*w.rows*len(w.numbers) >= groupBytes {
		return w.flush()
	}
	return nil
}

// flush writes the group: for each column a chunk of one page.
func (w *Writer) flush() error {
	if err := w.begin(); err != nil || w.rows == 0 {
		return err
	}
	g := group{rows: int64(w.rows)}
	for i := range len(w.numbers) + 1 {
		data := &w.texts
		if i > 0 {
			data = &w.values[i-1]
		}
		page := pageHeader(w.rows, len(*data))
		g.columns = append(g.columns, chunk{w.written, int64(len(page) + len(*data))})
		if err := errors.Join(w.write(page), w.write(*data)); err != nil {
			return err
		}
		*data = (*data)[:0]
	}
	w.groups = append(w.groups, g)
	w.total += g.rows
	w.rows = 0
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

// Close writes what is left, and the footer. It does not close the writer below.
func (w *Writer) Close() error {
	if err := w.flush(); err != nil {
		return err
	}
	footer := w.footer()
	footer = binary.LittleEndian.AppendUint32(footer, uint32(len(footer)))
	return w.write(append(footer, magic...))
}
