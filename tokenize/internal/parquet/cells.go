package parquet

import (
	"io"

	"github.com/parquet-go/parquet-go/format"

	"privpipe/tokenize/internal/words"
)

// A Cell is one column's value in one row.
type Cell struct {
	Null     bool       // no value
	Text     words.Text // a string, a number in decimal, or a list of strings; empty if TooLong
	Numbers  []float64  // a list of floating-point numbers
	NullItem bool       // a string or a number in the list is null
	TooLong  bool       // the value has more bytes than the column's Limit; in a list, each string counts one byte more
}

// A reader reads a column's values, row group by row group.
type reader struct {
	column  Column
	pages   pages
	page    *page // nil: none yet, or all its values are read
	strings stringDecoder
	numbers numberDecoder

	// The current value's state. A repetition level of 0 says that the value begins a row.
	peeked                 bool
	repetition, definition int
}

// peek goes to the next value, if it is not there already. It returns false after the last value in the row group.
func (r *reader) peek() (bool, error) {
	if r.peeked {
		return true, nil
	}
	for r.page == nil || r.page.left == 0 {
		page, err := r.pages.next(&r.column)
		if err == io.EOF {
			r.page = nil
			return false, nil
		}
		if err == nil {
			r.page = page
			if r.column.ofBytes() {
				r.strings, err = page.strings(r.pages.dictionary, r.column.length)
			} else {
				r.numbers, err = page.numbers(r.pages.dictionary, r.column.physical)
			}
		}
		if err != nil {
			return false, err
		}
	}
	r.page.left--
	repetition, ok1 := r.page.repetition.next()
	definition, ok2 := r.page.definition.next()
	r.repetition, r.definition = int(repetition), int(definition)
	if !ok1 || !ok2 || r.definition > r.column.definition {
		return false, errPage
	}
	r.peeked = true
	return true, nil
}

// row reads the value or the values in the next row.
func (r *reader) row(c *Cell) error {
	*c = Cell{Text: words.Text{List: r.column.list}, Numbers: r.column.numbers(len(c.Numbers))}
	more, err := r.peek()
	if err != nil {
		return err
	}
	if !more || r.repetition != 0 {
		return errDamaged
	}
	if r.column.list && r.definition < r.column.nonempty {
		c.Null = r.definition < r.column.exists
		r.peeked = false
		return nil
	}
	for {
		if err := r.value(c); err != nil {
			return err
		}
		r.peeked = false
		if !r.column.list {
			return nil
		}
		if more, err = r.peek(); err != nil || !more || r.repetition == 0 {
			return err
		}
	}
}

// value takes the current value.
func (r *reader) value(c *Cell) error {
	if r.definition < r.column.definition {
		c.Null, c.NullItem = !r.column.list, r.column.list
		return nil
	}
	if !r.column.ofBytes() {
		n, ok := r.numbers.next()
		if !ok {
			return errPage
		}
		if r.column.number != nil {
			c.add(r.column.number(n, nil), r.column.Limit)
			return nil
		}
		c.Text.Content = []byte(r.column.spell(n, nil))
		return nil
	}
	s, ok := r.strings.next()
	switch {
	case !ok, r.column.length > 0 && len(s) != r.column.length:
		return errPage
	case r.column.number != nil:
		c.add(r.column.number(0, s), r.column.Limit)
	case r.column.spell != nil && r.column.physical == format.ByteArray && len(s) > mostBytes:
		c.TooLong = true
	case r.column.spell != nil:
		s = []byte(r.column.spell(0, s))
		if c.TooLong = len(s) > r.column.Limit; !c.TooLong {
			c.Text.Content = s
		}
	case c.TooLong:
	case r.column.list && len(c.Text.Content)+1+len(s) > r.column.Limit, len(s) > r.column.Limit:
		c.TooLong, c.Text.Content = true, nil
	case r.column.list:
		c.Text.Token(s)
	default:
		c.Text.Content = append([]byte(nil), s...)
	}
	return nil
}

// add adds a number of 8 bytes to a list.
func (c *Cell) add(x float64, limit int) {
	if c.TooLong = c.TooLong || 8*(len(c.Numbers)+1) > limit; !c.TooLong {
		c.Numbers = append(c.Numbers, x)
	}
}

// end checks that all values in the row group were read.
func (r *reader) end() error {
	if r.pages.in == nil {
		return nil // no row group has begun
	}
	more, err := r.peek()
	if err == nil && more {
		err = errDamaged
	}
	return err
}
