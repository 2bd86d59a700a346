package parquet

import (
	"errors"

	"github.com/parquet-go/parquet-go/deprecated"
	"github.com/parquet-go/parquet-go/format"
)

// A Column is a column that can be read.
type Column struct {
	Limit int // bytes of a cell that Rows reads

	index      int // of its leaf in a row group
	kind       kind
	physical   format.Type // of the values in pages
	list       bool
	repetition int  // largest repetition level: 1 of a list, else 0
	definition int  // definition level of a value
	nonempty   int  // definition level from which on a list is not empty
	nullable   bool // the list itself may be null
}

// A kind is what values are read as.
type kind int

const (
	text kind = iota
	signed
	unsigned
	real
)

// IsText says whether the column has strings, or lists of them.
func (c Column) IsText() bool { return c.kind == text }

// IsReal says whether the column has floating-point numbers.
func (c Column) IsReal() bool { return c.kind == real }

// IsList says whether the column has lists.
func (c Column) IsList() bool { return c.list }

// ErrNoColumn is the error of a column that a file does not have.
var ErrNoColumn = errors.New("no such column")

var errKind = errors.New("must have strings, integers, floating-point numbers, or lists of strings")

// mostDepth is how deep a schema may nest.
const mostDepth = 100

// A node is an element of the schema with those below it.
type node struct {
	format.SchemaElement
	leaf  int // number of leaves before it
	below []node
}

// tree takes the first node of a schema, which lists nodes in depth-first order.
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

// Column finds a column by its name: of strings or numbers, or a list of strings.
func (f *File) Column(name string) (c Column, err error) {
	for _, top := range f.root.below {
		if top.Name == name {
			return top.column()
		}
	}
	return c, ErrNoColumn
}

func (n node) column() (c Column, err error) {
	c.nullable = n.is(format.Optional)
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
	// A list is a group of a repeated group of an element; older writers leave out one of the groups, or both.
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
	c.kind, err = n.kind()
	if c.list && c.kind != text {
		err = errKind
	}
	return c, err
}

// kind returns what the values of a leaf are read as.
func (n *node) kind() (kind, error) {
	converted := n.ConvertedType
	switch n.Type.V {
	case format.ByteArray:
		switch n.LogicalType.Value.(type) {
		case *format.StringType, *format.EnumType, *format.JsonType:
			return text, nil
		case nil:
			if !converted.Valid || converted.V == deprecated.UTF8 || converted.V == deprecated.Enum || converted.V == deprecated.Json {
				return text, nil
			}
		}
	case format.Float, format.Double:
		return real, nil
	case format.Int32, format.Int64:
		switch l := n.LogicalType.Value.(type) {
		case *format.IntType:
			if l.IsSigned {
				return signed, nil
			}
			return unsigned, nil
		case nil:
			switch {
			case !converted.Valid || converted.V >= deprecated.Int8 && converted.V <= deprecated.Int64:
				return signed, nil
			case converted.V >= deprecated.Uint8 && converted.V <= deprecated.Uint64:
				return unsigned, nil
			}
		}
	}
	return 0, errKind
}
