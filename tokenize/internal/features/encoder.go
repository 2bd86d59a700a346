package features

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"privpipe/pipelines/exit"
	"privpipe/pipelines/wire"
	"privpipe/tokenize/internal/source"
)

// Cells returns what a reader must take from each row for an Encoder.
func (s *Schema) Cells() *source.Cells {
	var names []string
	var optional, arrays []bool
	for _, i := range s.taken() {
		c := &s.Columns[i]
		names = append(names, c.Name)
		optional = append(optional, c.Type == Ignore || c.Type == ID || c.Type == User || c.Missing != "")
		arrays = append(arrays, c.Type == Numbers)
	}
	cells := source.NewCells(names, optional, arrays)
	if cells.Headless = s.headless(); s.Comment != "" {
		cells.Comment = s.Comment[0]
	}
	return cells
}

func (s *Schema) headless() bool { return s.Header != nil && !*s.Header }

// taken returns the places of the columns that Cells has. Without a header, ignored columns have a place in each
// record, too.
func (s *Schema) taken() (places []int) {
	for i, c := range s.Columns {
		if c.Type != Ignore || s.headless() {
			places = append(places, i)
		}
	}
	return places
}

// An Encoder turns rows into documents. One goroutine may use it at a time.
type Encoder struct {
	schema *Schema
	taken  []int // the place in the schema of each cell
	ids    []uint32
	// Seen counts, for each column of the schema, the cells that are not missing. Outside counts those among them that
	// are beyond a number's range or a category's list.
	Seen, Outside []uint64
}

// NewEncoder returns an Encoder for rows with the Cells of s.
func NewEncoder(s *Schema) *Encoder {
	return &Encoder{schema: s, taken: s.taken(), Seen: make([]uint64, len(s.Columns)),
		Outside: make([]uint64, len(s.Columns))}
}

// Row turns a row into a document: its label, its features, and its names. The id may be missing. Errors name the
// column and the rule, and quote nothing from the row.
func (e *Encoder) Row(cells []string) (*wire.Document, error) {
	d := new(wire.Document)
	e.ids = e.ids[:0]
	for i, cell := range cells {
		if err := e.cell(d, e.taken[i], cell); err != nil {
			return nil, exit.Errorf(exit.Malformed, "column %q %w", e.schema.Columns[e.taken[i]].Name, err).
				WithHint("%s", exit.Hint(err))
		}
	}
	if e.schema.Intercept {
		e.feature(d, len(e.schema.features)-1, 1)
	}
	d.WordGaps = wire.AppendGaps(make([]uint32, 0, len(e.ids)), e.ids)
	return d, nil
}

// cell adds a cell to d. place is the place of the cell's column in the schema.
func (e *Encoder) cell(d *wire.Document, place int, cell string) error {
	c := &e.schema.Columns[place]
	switch c.Type {
	case ID:
		d.Id = strings.Clone(cell) // a cell shares the memory of its record
	case User:
		d.User = strings.Clone(cell)
	case Label:
		if c.response() {
			return e.response(d, place, cell)
		}
		return c.label(d, cell)
	case Category:
		if cell == "" || cell == unknown {
			return nil
		}
		e.Seen[place]++
		if at, listed := c.at[cell]; listed {
			e.feature(d, c.first+at, 1)
		} else {
			e.Outside[place]++
		}
	case Number:
		if c.Missing != "" && missing(cell) {
			return nil
		}
		return e.scaled(d, place, 0, cell)
	case Numbers:
		if c.Missing != "" && missing(cell) {
			return nil
		}
		return e.array(d, place, cell)
	}
	return nil
}

// array takes a cell that holds an array.
func (e *Encoder) array(d *wire.Document, place int, cell string) error {
	c := &e.schema.Columns[place]
	return eachNumber(cell, c.Length, "the length of the schema", func(i int, number string) error {
		if c.Missing != "" && missing(number) {
			return nil
		}
		return e.scaled(d, place, i, number)
	})
}

// eachNumber calls take with each number in an array of this length: numbers with commas between them, in brackets, as
// JSON writes them. rule says where the length is from.
func eachNumber(array string, length int, rule string, take func(i int, number string) error) error {
	inside, opens := strings.CutPrefix(array, "[")
	inside, closes := strings.CutSuffix(inside, "]")
	if !opens || !closes || strings.Count(inside, ",") != length-1 {
		return exit.Errorf(exit.Malformed, "is not an array of %d numbers", length).
			WithHint("%s is that of each array, which is written as in JSON: [0.5, 0.25]", rule)
	}
	i := 0
	for number := range strings.SplitSeq(inside, ",") {
		if err := take(i, strings.TrimSpace(number)); err != nil {
			return fmt.Errorf("has an array whose number %d %w", i+1, err)
		}
		i++
	}
	return nil
}

// scaled adds a number's feature, scaled from the column's range to [0, 1]. at is the feature's place in its column.
func (e *Encoder) scaled(d *wire.Document, place, at int, cell string) error {
	x, err := e.number(place, cell)
	if err != nil {
		return err
	}
	c := &e.schema.Columns[place]
	e.feature(d, c.first+at, float32((x-*c.Least)/(*c.Most-*c.Least)))
	return nil
}

// number returns the number in a cell, clamped to the range of its column.
func (e *Encoder) number(place int, cell string) (float64, error) {
	x, err := parse(cell)
	if err != nil {
		return 0, err
	}
	c := &e.schema.Columns[place]
	e.Seen[place]++
	if x < *c.Least || x > *c.Most {
		e.Outside[place]++
	}
	return min(max(x, *c.Least), *c.Most), nil
}

// response sets the label of d to the number in a cell, in decimal.
func (e *Encoder) response(d *wire.Document, place int, cell string) error {
	if e.schema.Columns[place].Missing != "" && missing(cell) {
		return nil
	}
	x, err := e.number(place, cell)
	if err == nil {
		d.Label = strconv.FormatFloat(x, 'g', -1, 64)
	}
	return err
}

// feature adds a feature to d. A value of 0 is no feature. Ids must ascend.
func (e *Encoder) feature(d *wire.Document, id int, value float32) {
	if value == 0 {
		return
	}
	e.ids = append(e.ids, uint32(id))
	d.Values = binary.LittleEndian.AppendUint32(d.Values, math.Float32bits(value))
}

// label sets the label of d.
func (c *Column) label(d *wire.Document, cell string) error {
	class, listed := c.labels[cell]
	switch {
	case listed:
		d.Label = class
	case !missing(cell):
		return exit.Errorf(exit.Malformed, "has no class of the schema").
			WithHint("a class may have several spellings: a list instead of a string")
	case c.Missing == "":
		return exit.Errorf(exit.Malformed, "is missing, must be a class").
			WithHint(`"missing": "ignore" in the schema makes documents without labels of such rows`)
	}
	return nil
}

// missing says whether a cell stands for no value. These are the spellings that databases, R and pandas write.
func missing(cell string) bool {
	switch strings.ToLower(cell) {
	case "", unknown, "na", "n/a", "nan", "null", "none":
		return true
	}
	return false
}

// parse returns the number in a cell. A number beyond the range of a FLOAT64 is infinite.
func parse(cell string) (float64, error) {
	x, ok := parseDecimal(cell)
	switch {
	case ok:
		return x, nil
	case missing(cell):
		return 0, exit.Errorf(exit.Malformed, "is missing, must be a number").
			WithHint(`"missing": "ignore" in the schema takes a missing number for no feature`)
	}
	return 0, errNumber
}

var errNumber = exit.Errorf(exit.Malformed, "is not a number").
	WithHint("a number is decimal, with a point before its fraction, and without separators: -1234.5e3")

// parseDecimal returns the number that a cell spells in decimal, with or without an exponent, and whether it does.
func parseDecimal(cell string) (x float64, ok bool) {
	for _, c := range []byte(cell) {
		if (c < '0' || c > '9') && c != '.' && c != '-' && c != '+' && c != 'e' && c != 'E' {
			return 0, false
		}
	}
	x, err := strconv.ParseFloat(cell, 64)
	return x, err == nil || errors.Is(err, strconv.ErrRange)
}
