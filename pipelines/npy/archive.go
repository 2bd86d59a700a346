package npy

import (
	"archive/zip"
	"fmt"
	"io"
	"unicode/utf8"
)

// An Archive writes arrays under names, as numpy.savez_compressed does: a ZIP file with a member NAME.npy for each.
// numpy.load opens it without pickle. The same arrays give the same bytes.
type Archive struct{ zip *zip.Writer }

// NewArchive returns an archive without arrays.
func NewArchive(w io.Writer) *Archive { return &Archive{zip.NewWriter(w)} }

// Floats adds an array of float64 of this shape, in C order. The shape () is a number.
func (a *Archive) Floats(name string, cells []float64, shape ...int) error {
	product := 1
	for _, n := range shape {
		product *= n
	}
	if product != len(cells) {
		return fmt.Errorf("array %s: %d cells for the shape %s", name, len(cells), tuple(shape))
	}
	member, err := a.member(name)
	if err != nil {
		return err
	}
	return writeFloats(member, shape, cells)
}

// Strings adds an array of strings in UTF-32, each as wide as the longest. NumPy drops NULs at a string's end.
func (a *Archive) Strings(name string, values []string) error {
	width := 1 // NumPy has no strings of width 0 in files
	for _, s := range values {
		width = max(width, utf8.RuneCountInString(s))
	}
	member, err := a.member(name)
	if err != nil {
		return err
	}
	if err := writeHeader(member, fmt.Sprintf("<U%d", width), []int{len(values)}); err != nil {
		return err
	}
	cell := make([]byte, 4*width)
	for _, s := range values {
		clear(cell)
		at := 0
		for _, r := range s {
			cell[at], cell[at+1], cell[at+2] = byte(r), byte(r>>8), byte(r>>16) // the fourth byte of a code point is 0
			at += 4
		}
		if _, err := member.Write(cell); err != nil {
			return err
		}
	}
	return nil
}

// member begins an array's file. It has no time, so that equal archives have equal bytes.
func (a *Archive) member(name string) (io.Writer, error) {
	return a.zip.CreateHeader(&zip.FileHeader{Name: name + ".npy", Method: zip.Deflate})
}

// Close writes the archive's directory. It does not close the writer below.
func (a *Archive) Close() error { return a.zip.Close() }
