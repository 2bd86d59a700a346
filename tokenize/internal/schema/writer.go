package schema

import (
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"time"

	"github.com/go-json-experiment/json/jsontext"
)

// A Writer writes JSON up to a limit.
type Writer struct {
	b     []byte
	limit int
	texts []string
}

// full says whether the JSON is longer than its limit.
func (w *Writer) full() error {
	if len(w.b) > w.limit {
		return ErrTooLong
	}
	return nil
}

// Raw writes a token of JSON, or several.
func (w *Writer) Raw(token string) error {
	w.b = append(w.b, token...)
	return w.full()
}

// Begin begins an object or an array by its bracket, and returns the offset for Member or Element.
func (w *Writer) Begin(bracket byte) (at int) {
	w.b = append(w.b, bracket)
	return len(w.b) - 1
}

// Member begins the member of an object that begins at an offset.
func (w *Writer) Member(begin int, name string) error {
	if len(w.b) > begin+1 {
		w.b = append(w.b, ',')
	}
	if err := w.Text(name); err != nil {
		return err
	}
	return w.Raw(":")
}

// Element begins an element of an array that begins at an offset.
func (w *Writer) Element(begin int) {
	if len(w.b) > begin+1 {
		w.b = append(w.b, ',')
	}
}

var errNotUTF8 = errors.New("a string is not UTF-8")

// Text writes a string.
func (w *Writer) Text(s string) (err error) {
	if w.b, err = jsontext.AppendQuote(w.b, s); err != nil {
		return errNotUTF8
	}
	return w.full()
}

// MustBeText says whether the values at a path must be texts.
func (w *Writer) MustBeText(path string) bool { return slices.Contains(w.texts, path) }

// Bytes writes bytes in hexadecimal, as Parquet's columns of bytes are read. They are no text.
func (w *Writer) Bytes(b []byte, path string) error {
	if w.MustBeText(path) {
		return fmt.Errorf("column %q has bytes, must have a string, or an array", path)
	}
	return w.Text(hex.EncodeToString(b))
}

// Float writes a number. One that JSON does not have becomes a string, as in the JSON of Protocol Buffers.
func (w *Writer) Float(f float64, bits int) error {
	switch {
	case math.IsNaN(f):
		return w.Raw(`"NaN"`)
	case math.IsInf(f, 1):
		return w.Raw(`"Infinity"`)
	case math.IsInf(f, -1):
		return w.Raw(`"-Infinity"`)
	}
	format := byte('f')
	if size := math.Abs(f); size != 0 && size < 1e-6 || size >= 1e21 {
		format = 'e'
	}
	w.b = strconv.AppendFloat(w.b, f, format, -1, bits)
	return w.full()
}

// Integer writes a number.
func (w *Writer) Integer(i int64) error { return w.Raw(strconv.FormatInt(i, 10)) }

// date writes a time by a layout. A year that no date has becomes null.
func (w *Writer) date(t time.Time, layout string) error {
	if t.Year() < 1 || t.Year() > 9999 {
		return w.Raw("null")
	}
	return w.Text(t.Format(layout))
}
