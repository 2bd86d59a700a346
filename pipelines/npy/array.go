package npy

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"
)

// An Array reads an array of one or two dimensions row by row, whatever its length: of numbers by Floats, of texts and
// integers by Text. It is in one of the versions 1.0 to 3.0 of the format. Its errors name the broken rule, and never
// the number of rows, which may be private.
type Array struct {
	Rows, Width int  // an array of one dimension has rows of width 1
	Flat        bool // the array has one dimension

	in   *bufio.Reader
	kind byte // f: floating-point, i and u: integers, U: text in UTF-32, S: bytes
	size int  // of each element, in bytes
	read int  // rows that were read
	row  []byte
}

const (
	mostHeader  = 1 << 16 // bytes. NumPy itself reads at most 10,000.
	mostElement = 1 << 18 // bytes of a text
	mostWidth   = 1 << 24 // elements in a row
)

// The members of a header, which is a literal of a dictionary of Python.
var (
	descr   = regexp.MustCompile(`["']descr["']\s*:\s*(?:["']([^"']*)["']|\[)`)
	fortran = regexp.MustCompile(`["']fortran_order["']\s*:\s*(True|False)`)
	shape   = regexp.MustCompile(`["']shape["']\s*:\s*\(([\d ,L]*)\)`) // Python 2 wrote 3L
	element = regexp.MustCompile(`^[<|]([fiuUS])(\d{1,6})$`)
)

var errNoArray = errors.New("not a .npy file of version 1.0, 2.0 or 3.0")

// NewArray reads the header of an array (numpy/lib/format.py, "Format Version 1.0" to "3.0"). Versions 2.0 and 3.0 have
// four bytes of length.
func NewArray(in io.Reader) (*Array, error) {
	a := &Array{in: bufio.NewReaderSize(in, 1<<16)}
	head := make([]byte, len(magic)+4)
	n, err := io.ReadFull(a.in, head[:len(magic)+2])
	version := head[len(magic)-2]
	if err != nil || string(head[:6]) != magic[:6] || version < 1 || version > 3 || head[7] != 0 {
		return nil, errNoArray
	}
	length := uint32(binary.LittleEndian.Uint16(head[len(magic):]))
	if version > 1 {
		if _, err := io.ReadFull(a.in, head[n:]); err != nil {
			return nil, errNoArray
		}
		length = binary.LittleEndian.Uint32(head[len(magic):])
	}
	if length > mostHeader {
		return nil, fmt.Errorf("header is longer than %d bytes", mostHeader)
	}
	header := make([]byte, length)
	if _, err := io.ReadFull(a.in, header); err != nil {
		return nil, errors.New("header is cut short")
	}
	return a, a.parse(header)
}

// parse takes the kind and the shape from the header.
func (a *Array) parse(header []byte) error {
	kinds, orders, shapes := descr.FindAllSubmatch(header, -1), fortran.FindAllSubmatch(header, -1),
		shape.FindAllSubmatch(header, -1)
	if len(kinds) != 1 || len(orders) != 1 || len(shapes) != 1 {
		return errors.New("header lacks one of descr, fortran_order and shape, or has it twice")
	}
	var dimensions []int
	for part := range strings.SplitSeq(strings.ReplaceAll(string(shapes[0][1]), "L", ""), ",") {
		if part = strings.TrimSpace(part); part == "" {
			continue
		}
		n, err := strconv.Atoi(part)
		if err != nil {
			return errors.New("header has a shape that is no list of numbers")
		}
		dimensions = append(dimensions, n)
	}
	switch len(dimensions) {
	case 1:
		a.Rows, a.Width, a.Flat = dimensions[0], 1, true
	case 2:
		a.Rows, a.Width = dimensions[0], dimensions[1]
	default:
		return errors.New("must have one or two dimensions")
	}
	if string(orders[0][1]) == "True" && !a.Flat && a.Rows != 1 && a.Width != 1 {
		return errors.New("in Fortran order, column by column: numpy.ascontiguousarray makes an array in C order")
	}
	of := element.FindSubmatch(kinds[0][1])
	if string(kinds[0][1]) == "|O" {
		return errors.New("of Python objects, which only Python can read: write texts as numpy.array(…, dtype=str)")
	}
	if of == nil || a.Width < 1 || a.Width > mostWidth {
		return errors.New("must be of little-endian numbers, or of texts, in rows of 1 to 2^24")
	}
	a.kind = of[1][0]
	a.size, _ = strconv.Atoi(string(of[2]))
	if a.kind == 'U' {
		a.size *= utf32
	}
	numeric := a.kind == 'f' || a.kind == 'i' || a.kind == 'u'
	if a.size < 1 || a.size > mostElement || numeric && (a.size&(a.size-1) != 0 || a.size > 8) ||
		a.kind == 'f' && a.size == 1 {
		return errors.New("has elements of a size that is not supported")
	}
	a.row = make([]byte, 0, min(a.size*a.Width, 1<<16))
	return nil
}

// utf32 is the size of a code point.
const utf32 = 4

// IsFloats says whether Floats reads the array.
func (a *Array) IsFloats() bool { return a.kind == 'f' }

// next reads the next row, and returns io.EOF after the last. More data than the header says are an error.
func (a *Array) next() error {
	if a.read == a.Rows {
		if _, err := a.in.ReadByte(); err == io.EOF {
			return io.EOF
		} else if err != nil {
			return err
		}
		return errors.New("data after the end of the array")
	}
	a.read++
	size := a.size * a.Width
	for a.row = a.row[:0]; len(a.row) < size; { // memory grows only with what is there
		part := min(size-len(a.row), max(1<<16, len(a.row)))
		at := len(a.row)
		a.row = append(a.row, make([]byte, part)...)
		if _, err := io.ReadFull(a.in, a.row[at:]); err == io.EOF || err == io.ErrUnexpectedEOF {
			return errors.New("data are cut short")
		} else if err != nil {
			return err
		}
	}
	return nil
}

// Floats appends the next row of an array of floating-point numbers to row. It returns io.EOF after the last.
func (a *Array) Floats(row []float64) ([]float64, error) {
	if a.kind != 'f' {
		return row, errors.New("must be of float16, float32 or float64")
	}
	if err := a.next(); err != nil {
		return row, err
	}
	switch b := a.row; a.size {
	case 2:
		for ; len(b) > 0; b = b[2:] {
			row = append(row, Float16(binary.LittleEndian.Uint16(b)))
		}
	case 4:
		for ; len(b) > 0; b = b[4:] {
			row = append(row, float64(math.Float32frombits(binary.LittleEndian.Uint32(b))))
		}
	default:
		for ; len(b) > 0; b = b[8:] {
			row = append(row, math.Float64frombits(binary.LittleEndian.Uint64(b)))
		}
	}
	return row, nil
}

// Text returns the next element of an array of one dimension: a text without the NULs at its end, or an integer in
// decimal. It returns io.EOF after the last.
func (a *Array) Text() (string, error) {
	if !a.Flat || a.kind == 'f' {
		return "", errors.New("must have one dimension, and texts or integers")
	}
	if err := a.next(); err != nil {
		return "", err
	}
	switch b := a.row; a.kind {
	case 'S':
		text := strings.TrimRight(string(b), "\x00")
		if !utf8.ValidString(text) {
			return "", errors.New("has a text that is not UTF-8")
		}
		return text, nil
	case 'U':
		var text []byte
		for ; len(b) > 0; b = b[utf32:] {
			r := binary.LittleEndian.Uint32(b)
			if r > utf8.MaxRune || !utf8.ValidRune(rune(r)) {
				return "", errors.New("has a text that is not Unicode")
			}
			text = utf8.AppendRune(text, rune(r))
		}
		return strings.TrimRight(string(text), "\x00"), nil
	}
	var bits uint64
	for i, b := range a.row {
		bits |= uint64(b) << (8 * i)
	}
	if a.kind == 'u' {
		return strconv.FormatUint(bits, 10), nil
	}
	unused := 64 - 8*a.size
	return strconv.FormatInt(int64(bits<<unused)>>unused, 10), nil // with the sign
}

// Float16 returns the floating-point number of 16 bits (IEEE 754-2019, binary16) with these bits.
func Float16(bits uint16) float64 {
	exponent, fraction := int(bits>>10&0x1f), float64(bits&0x3ff)
	x := math.Ldexp(1024+fraction, exponent-25)
	switch {
	case exponent == 0:
		x = math.Ldexp(fraction, -24)
	case exponent == 31 && fraction == 0:
		x = math.Inf(1)
	case exponent == 31:
		x = math.NaN()
	}
	if bits>>15 != 0 {
		x = -x
	}
	return x
}
