// Package npy reads and writes arrays in NumPy's format (numpy/lib/format.py), and archives of them as numpy.savez
// does. It writes float64 and texts, and also reads other numbers. It supports only C order and little-endian, since
// the stages need no more.
package npy

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
)

const magic = "\x93NUMPY\x01\x00"

// Write writes a matrix, row by row.
func Write(w io.Writer, rows, columns int, cells []float64) error {
	return writeFloats(w, []int{rows, columns}, cells)
}

func writeFloats(w io.Writer, shape []int, cells []float64) error {
	if err := writeHeader(w, "<f8", shape); err != nil {
		return err
	}
	b := make([]byte, 0, 8*min(len(cells), chunk))
	for part := range slices.Chunk(cells, chunk) {
		b = b[:0]
		for _, v := range part {
			b = binary.LittleEndian.AppendUint64(b, math.Float64bits(v))
		}
		if _, err := w.Write(b); err != nil {
			return err
		}
	}
	return nil
}

// chunk is how many numbers are encoded at once.
const chunk = 1 << 13

// writeHeader writes the bytes that stand before an array's data.
func writeHeader(w io.Writer, element string, shape []int) error {
	header := fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': %s, }", element, tuple(shape))
	// The data begin at a multiple of 64 bytes; the header ends in a newline.
	pad := 64 - (len(magic)+2+len(header)+1)%64
	header += strings.Repeat(" ", pad%64) + "\n"
	b := binary.LittleEndian.AppendUint16([]byte(magic), uint16(len(header)))
	_, err := w.Write(append(b, header...))
	return err
}

// tuple is a shape as Python prints it.
func tuple(shape []int) string {
	if len(shape) == 1 {
		return fmt.Sprintf("(%d,)", shape[0])
	}
	var b strings.Builder
	for i, n := range shape {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(strconv.Itoa(n))
	}
	return "(" + b.String() + ")"
}

// Read reads a matrix of float64 of rows × columns that NumPy or Write wrote in this form.
func Read(r io.Reader, rows, columns int) ([]float64, error) {
	head := make([]byte, len(magic)+2)
	if _, err := io.ReadFull(r, head); err != nil || string(head[:len(magic)]) != magic {
		return nil, errors.New("not a .npy file of version 1.0")
	}
	header := make([]byte, binary.LittleEndian.Uint16(head[len(magic):]))
	if _, err := io.ReadFull(r, header); err != nil {
		return nil, errors.New("header is cut short")
	}
	want := fmt.Sprintf("{'descr': '<f8', 'fortran_order': False, 'shape': (%d, %d), }", rows, columns)
	if got := string(bytes.TrimSpace(header)); got != want {
		return nil, fmt.Errorf("array is %.200q, must be %q", got, want)
	}
	b := make([]byte, 8*rows*columns)
	if _, err := io.ReadFull(r, b); err != nil {
		return nil, errors.New("data are cut short")
	}
	cells := make([]float64, rows*columns)
	for i := range cells {
		cells[i] = math.Float64frombits(binary.LittleEndian.Uint64(b[8*i:]))
	}
	if n, _ := r.Read(head[:1]); n > 0 {
		return nil, errors.New("data after the end of the array")
	}
	return cells, nil
}
