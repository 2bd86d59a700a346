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

// A writer writes JSON up to a limit.
type writer struct {
	b     []byte
	limit int
	texts []string
}

// full says whether the JSON is longer than its limit.
func (w *writer) full() error {
	if len(w.b) > w.limit {
		return ErrTooLong
	}
	return nil
}

// raw writes a token of JSON, or several.
func (w *writer) raw(token string) error {
	w.b = append(w.b, token...)
	return w.full()
}

// member begins the member of an object that begins at an offset.
func (w *writer) member(begin int, name string) error {
	if len(w.b) > begin+1 {
		w.b = append(w.b, ',')
	}
	if err := w.text(name); err != nil {
		return err
	}
	return w.raw(":")
}

// element begins an element of an array that begins at an offset.
func (w *writer) element(begin int) {
	if len(w.b) > begin+1 {
		w.b = append(w.b, ',')
	}
}

var errNotUTF8 = errors.New("a string is not UTF-8")

func (w *writer) text(s string) (err error) {
	if w.b, err = jsontext.AppendQuote(w.b, s); err != nil {
		return errNotUTF8
	}
	return w.full()
}

// bytes writes bytes in hexadecimal, as Parquet's columns of bytes are read. They are no text.
func (w *writer) bytes(b []byte, path string) error {
	if slices.Contains(w.texts, path) {
		return fmt.Errorf("column %q has bytes, must have a string, or an array", path)
	}
	return w.text(hex.EncodeToString(b))
}

// float writes a number. One that JSON does not have becomes a string, as in the JSON of Protocol Buffers.
func (w *writer) float(f float64, bits int) error {
	switch {
	case math.IsNaN(f):
		return w.raw(`"NaN"`)
	case math.IsInf(f, 1):
		return w.raw(`"Infinity"`)
	case math.IsInf(f, -1):
		return w.raw(`"-Infinity"`)
	}
	format := byte('f')
	if size := math.Abs(f); size != 0 && size < 1e-6 || size >= 1e21 {
		format = 'e'
	}
	w.b = strconv.AppendFloat(w.b, f, format, -1, bits)
	return w.full()
}

func (w *writer) integer(i int64) error { return w.raw(strconv.FormatInt(i, 10)) }

// date writes a time by a layout. A year that no date has becomes null.
func (w *writer) date(t time.Time, layout string) error {
	if t.Year() < 1 || t.Year() > 9999 {
		return w.raw("null")
	}
	return w.text(t.Format(layout))
}
