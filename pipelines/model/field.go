package model

import (
	"cmp"
	"fmt"

	"privpipe/pipelines/wire"
	"privpipe/pipelines/wire/stream"
)

// A Field is a Scalar or a Matrix in a model's parameters, in its file, or in a learner's state, with its name in the
// wire format. Writers and readers use the same variable.
type Field interface {
	// check refuses a header without the field, or with another shape for it.
	check(h *wire.Header, size Size) error

	// components returns K if the field's shape in a header determines it, else 0.
	components(h *wire.Header) int

	// array reads the field.
	array(set *stream.Set, size Size) (Array, error)
}

// An Array is a field as numbers, whatever its type. A Scalar is 1 × 1.
type Array struct {
	Name          string
	Rows, Columns Dimension
	Cells         []float64 // row by row
}

// Arrays reads all fields in a model file of the family.
func (f *Family) Arrays(set *stream.Set, size Size) ([]Array, error) {
	var all []Array
	for _, field := range f.Model {
		a, err := field.array(set, size)
		if err != nil {
			return nil, err
		}
		all = append(all, a)
	}
	return all, nil
}

// A Rule is an interval that each value in a field must be in. All values are finite in the wire format.
type Rule struct {
	text  string
	holds func(float64) bool
}

// The rules for fields. The zero Rule allows every number.
var (
	Positive    = Rule{"positive", func(x float64) bool { return x > 0 }}
	NotNegative = Rule{"0 or more", func(x float64) bool { return x >= 0 }}
	Probability = Rule{"in (0, 1]", func(x float64) bool { return x > 0 && x <= 1 }}
	Share       = Rule{"in [0, 1]", func(x float64) bool { return x >= 0 && x <= 1 }}
)

// A Scalar is a named number.
type Scalar struct {
	Name string
	Rule Rule
}

// Of reads the number.
func (s Scalar) Of(set *stream.Set) (float64, error) {
	x, ok := set.Scalar(s.Name)
	switch {
	case !ok:
		return 0, fmt.Errorf("there is no number %q", s.Name)
	case s.Rule.holds != nil && !s.Rule.holds(x):
		return 0, fmt.Errorf("%s must be %s, is %v", s.Name, s.Rule.text, x)
	}
	return x, nil
}

// In reports whether a set has the number.
func (s Scalar) In(set *stream.Set) bool {
	_, ok := set.Scalar(s.Name)
	return ok
}

// Put writes the number.
func (s Scalar) Put(to *Snapshot, x float64) {
	to.Scalars = append(to.Scalars, &wire.Scalar{Name: s.Name, Value: x})
}

func (s Scalar) check(*wire.Header, Size) error     { return nil } // a header has no numbers
func (s Scalar) components(*wire.Header) (none int) { return 0 }

func (s Scalar) array(set *stream.Set, _ Size) (Array, error) {
	x, err := s.Of(set)
	return Array{Name: s.Name, Cells: []float64{x}}, err
}

// A Matrix is a named matrix. Its shape depends on the model's size.
type Matrix[T stream.Values] struct {
	Name          string
	Rows, Columns Dimension
	Rule          Rule
}

// Of reads the cells, row by row.
func (m Matrix[T]) Of(set *stream.Set, size Size) ([]T, error) {
	if err := m.in(set, size); err != nil {
		return nil, err
	}
	cells, err := stream.Cells[T](set, m.Name)
	if err != nil || !m.allows(cells) {
		return nil, cmp.Or(err, m.refusal())
	}
	return cells, nil
}

// Drain is stream.Drain for the cells, row by row. After an error some cells may have been taken.
func (m Matrix[T]) Drain(set *stream.Set, size Size, take func([]T)) error {
	if err := m.in(set, size); err != nil {
		return err
	}
	allowed := true
	err := stream.Drain(set, m.Name, func(cells []T) {
		allowed = allowed && m.allows(cells)
		take(cells)
	})
	if err == nil && !allowed {
		err = m.refusal()
	}
	return err
}

// in refuses a set without the matrix, or with another shape for it.
func (m Matrix[T]) in(set *stream.Set, size Size) error {
	_, found, err := set.Matrix(m.Name)
	if err != nil {
		return err
	}
	return m.fits(found, size)
}

// allows says whether the rule holds for cells. Each rule is an interval, so it holds for all cells if it holds for the
// least and the largest.
func (m Matrix[T]) allows(cells []T) bool {
	if m.Rule.holds == nil || len(cells) == 0 {
		return true
	}
	least, largest := cells[0], cells[0]
	for _, x := range cells { // much faster than min and max, which also look for NaN and −0
		if x < least {
			least = x
		}
		if x > largest {
			largest = x
		}
	}
	return m.Rule.holds(float64(least)) && m.Rule.holds(float64(largest))
}

func (m Matrix[T]) refusal() error {
	return fmt.Errorf("each cell of %s must be %s", m.Name, m.Rule.text)
}

// In reports whether a set has the matrix.
func (m Matrix[T]) In(set *stream.Set) bool {
	_, _, err := set.Matrix(m.Name)
	return err == nil
}

// Put writes the cells, given row by row. It does not copy them.
func (m Matrix[T]) Put(to *Snapshot, size Size, cells []T) { m.PutRows(to, size, stream.RowsOf(cells)) }

// PutRows writes cells that may be computed when they are written. They must be of type T.
func (m Matrix[T]) PutRows(to *Snapshot, size Size, cells stream.Rows) {
	to.Matrices = append(to.Matrices, &wire.Matrix{
		Name: m.Name, Rows: uint32(m.Rows.Of(size)), Columns: uint32(m.Columns.Of(size)), Element: stream.Element[T](),
	})
	to.Cells = append(to.Cells, cells)
}

func (m Matrix[T]) find(h *wire.Header) *wire.Matrix {
	for _, found := range h.Matrices {
		if found.Name == m.Name {
			return found
		}
	}
	return nil
}

func (m Matrix[T]) check(h *wire.Header, size Size) error {
	found := m.find(h)
	if found == nil {
		return fmt.Errorf("there is no matrix %q", m.Name)
	}
	return m.fits(found, size)
}

func (m Matrix[T]) fits(found *wire.Matrix, size Size) error {
	rows, columns := m.Rows.Of(size), m.Columns.Of(size)
	if int(found.Rows) != rows || int(found.Columns) != columns || found.Symmetric {
		return fmt.Errorf("matrix %q is of %d × %d, must be of %d × %d", m.Name, found.Rows, found.Columns, rows,
			columns)
	}
	if found.Element != stream.Element[T]() {
		return fmt.Errorf("matrix %q has elements %s, must have %s", m.Name, found.Element, stream.Element[T]())
	}
	return nil
}

func (m Matrix[T]) components(h *wire.Header) int {
	found := m.find(h)
	switch {
	case found != nil && m.Rows == Components:
		return int(found.Rows)
	case found != nil && m.Columns == Components:
		return int(found.Columns)
	}
	return 0
}

func (m Matrix[T]) array(set *stream.Set, size Size) (Array, error) {
	cells, err := m.Of(set, size)
	a := Array{Name: m.Name, Rows: m.Rows, Columns: m.Columns, Cells: make([]float64, len(cells))}
	for i, x := range cells {
		a.Cells[i] = float64(x)
	}
	return a, err
}
