package parquet

import (
	"errors"
	"strings"

	"github.com/parquet-go/parquet-go/format"
)

// A Column is a column that can be read.
type Column struct {
	Limit int // largest size in bytes of a cell that Rows reads

	index      int         // of its leaf in a row group
	spell      speller     // nil if the values are strings
	number     number      // of the values in a list of floating-point numbers, else nil
	physical   format.Type // of the values in pages
	length     int         // bytes of each value, if its physical type fixes them
	list       bool
	repetition int // largest repetition level: 1 for a list, else 0
	definition int // definition level if a value is there
	nonempty   int // least definition level if a list is not empty
	exists     int // least definition level if a list is there, perhaps empty
}

// IsText says whether the column has strings, or lists of strings.
func (c Column) IsText() bool { return c.spell == nil }

// IsVector says whether the column has lists of floating-point numbers.
func (c Column) IsVector() bool { return c.number != nil }

// numbers returns room for n numbers, nil if the column has no lists of numbers.
func (c *Column) numbers(n int) []float64 {
	if c.number == nil {
		return nil
	}
	return make([]float64, 0, n)
}

// IsList says whether the column has lists.
func (c Column) IsList() bool { return c.list }

// ErrNoColumn means that the file has no such column.
var ErrNoColumn = errors.New("no such column")

var errKind = errors.New("must have strings, numbers, dates or times, or lists of strings")

// ErrTwice means that several columns have the name.
var ErrTwice = errors.New("occurs twice")

// mostDepth is how deep a schema may nest.
const mostDepth = 100

// A node is an element in the schema, with the elements below it.
type node struct {
	format.SchemaElement
	leaf  int // number of leaves before it
	below []node
}

// tree takes the first node from a schema. A schema lists its nodes in depth-first order.
func tree(rest []format.SchemaElement, leaves, depth int) (n node, after []format.SchemaElement, count int, err error) {
	if len(rest) == 0 || depth > mostDepth {
		return n, nil, 0, errDamaged
	}
	n = node{SchemaElement: rest[0], leaf: leaves}
	rest = rest[1:]
	if n.Type.Valid {
		return n, rest, leaves + 1, nil
	}
	for range n.NumChildren.V {
		var child node
		if child, rest, leaves, err = tree(rest, leaves, depth+1); err != nil {
			return n, nil, 0, err
		}
		n.below = append(n.below, child)
	}
	return n, rest, leaves, nil
}

func (n *node) is(r format.FieldRepetitionType) bool {
	return n.RepetitionType.Valid && n.RepetitionType.V == r
}

// Column finds a column by its name, or by its path in structs, a.b.
func (f *File) Column(name string) (c Column, err error) {
	var found []Column
	err = f.root.columns(name, c, func(c Column) { found = append(found, c) })
	switch {
	case len(found) > 1:
		return c, ErrTwice
	case err == nil && len(found) == 0:
		return c, ErrNoColumn
	case err != nil:
		return c, err
	}
	return found[0], nil
}

// columns calls found with each column at path below n. c has the levels of n itself.
func (n *node) columns(path string, c Column, found func(Column)) error {
	for _, child := range n.below {
		if child.Name == path {
			column, err := child.column(c)
			if err != nil {
				return err
			}
			found(column)
		}
		rest, is := strings.CutPrefix(path, child.Name+".")
		if !is || child.Type.Valid || child.is(format.Repeated) {
			continue
		}
		in := c
		if child.is(format.Optional) {
			in.definition++
		}
		if err := child.columns(rest, in, found); err != nil {
			return err
		}
	}
	return nil
}

// column returns n's column. c has the levels of the struct around n.
func (n node) column(c Column) (Column, error) {
	c.exists = c.definition
	if n.is(format.Optional) {
		c.exists++
	}
	enter := func(n node) {
		switch {
		case n.is(format.Repeated):
			c.list = true
			c.repetition++
			c.definition++
			c.nonempty = c.definition
		case n.is(format.Optional):
			c.definition++
		}
	}
	enter(n)
	// A list has two nested groups around its element: a group and in it a repeated group. Older writers leave out one
	// of them, or both.
	group := !n.Type.Valid
	for range 2 {
		if n.Type.Valid {
			break
		}
		if len(n.below) != 1 {
			return c, errKind
		}
		n = n.below[0]
		enter(n)
	}
	if !n.Type.Valid || c.repetition > 1 || group && !c.list {
		return c, errKind
	}
	c.index, c.physical = n.leaf, n.Type.V
	switch c.physical {
	case format.FixedLenByteArray:
		if c.length = int(n.TypeLength.V); c.length < 1 || c.length > mostPage {
			return c, errDamaged
		}
	case format.Int96:
		c.length = 12
	}
	var err error
	if c.spell, err = n.speller(); err == nil && c.list && c.spell != nil {
		if c.number = n.number(); c.number == nil {
			err = errKind
		}
	}
	return c, err
}

// ofBytes says whether the values in pages are strings of bytes. Otherwise they are numbers.
func (c *Column) ofBytes() bool { return c.physical == format.ByteArray || c.length > 0 }
