package features

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"privpipe/pipelines/endpoint/plain"
	"privpipe/pipelines/exit"
	"privpipe/pipelines/vocabulary"
	"privpipe/pipelines/wire"
	"privpipe/tokenize/internal/words"
)

// A Schema says what a table's columns mean: it is a list of them. It also says how their file is written. A schema is
// public, and nothing in it may come from private rows. For example, a range from the extremes of a private file is a
// release that no budget covers.
type Schema struct {
	Note      string   `json:"note"`      // for people
	Header    *bool    `json:"header"`    // the first record of CSV names the columns (default true)
	Comment   string   `json:"comment"`   // what begins a line of CSV that is no row; empty: nothing
	Intercept bool     `json:"intercept"` // each row has the feature intercept, of value 1
	Columns   []Column `json:"columns"`

	features vocabulary.Words
}

// A Column says what the cells in one column mean.
type Column struct {
	Name    string `json:"name"`
	Type    Type   `json:"type"`
	Note    string `json:"note"`
	Missing string `json:"missing"` // ignore: a missing number is no feature, a missing label no label

	// For a number, for each number in an array, or for a label that is a number. Finite, and Least < Most.
	Least *float64 `json:"least"`
	Most  *float64 `json:"most"`

	// For an array: how many numbers it has. It is omitted elsewhere, so that the Settings of other columns stay the
	// same.
	Length int `json:"length,omitzero"`

	Values []string `json:"values"` // for a category

	Positive spellings   `json:"positive"` // for a label with two classes, 1 and 0
	Negative spellings   `json:"negative"`
	Classes  []spellings `json:"classes"` // for a label with any other classes

	first  int               // id of the first feature
	at     map[string]int    // for a category: each value's place in Values
	labels map[string]string // for a label: the class that each spelling stands for
}

// A Type says what a column holds.
type Type string

const (
	Number   Type = "number"   // a feature in [0, 1]
	Numbers  Type = "numbers"  // an array of Length numbers, each a feature in [0, 1]
	Category Type = "category" // a feature of value 1 for each of its values
	Label    Type = "label"    // the class of the row, or its response
	ID       Type = "id"       // the name of the row
	User     Type = "user"     // the user of the row
	Ignore   Type = "ignore"
)

// intercept is the name of the feature that is 1 in each row.
const intercept = "intercept"

// mostColumns keeps a row's document within a record. It is also the largest number of fields in a CSV record.
const mostColumns = 1 << 16

// spellings are the ways to write a class in files. The first is the class's name. In JSON they are a string or a list
// of strings.
type spellings []string

// UnmarshalJSON implements json.Unmarshaler.
func (s *spellings) UnmarshalJSON(b []byte) error {
	if jsontext.Value(b).Kind() != '"' {
		return json.Unmarshal(b, (*[]string)(s))
	}
	*s = make(spellings, 1)
	return json.Unmarshal(b, &(*s)[0])
}

// OpenSchema reads the schema in a file. Its errors name the file, the line or the column, and the rule.
func OpenSchema(ctx context.Context, name string) (*Schema, error) {
	in, err := plain.Open(ctx, name)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	b, err := io.ReadAll(in)
	if err != nil {
		return nil, err
	}
	s, err := ParseSchema(b)
	if err != nil {
		return nil, exit.Errorf(exit.Malformed, "%s: %w", in.Name, err)
	}
	return s, nil
}

// ParseSchema parses a schema. Its errors name the line or the column, and the rule.
func ParseSchema(b []byte) (*Schema, error) {
	s := new(Schema)
	if err := json.Unmarshal(b, s, json.RejectUnknownMembers(true)); err != nil {
		return nil, parseError(b, err)
	}
	if err := s.check(); err != nil {
		return nil, err
	}
	return s, nil
}

// parseError says on which line of b an error is.
func parseError(b []byte, err error) error {
	var syntax *jsontext.SyntacticError
	var meaning *json.SemanticError
	line := func(offset int64) int { return 1 + bytes.Count(b[:min(offset, int64(len(b)))], []byte{'\n'}) }
	switch {
	case errors.As(err, &syntax) && errors.Is(err, jsontext.ErrDuplicateName):
		return fmt.Errorf("line %d: the member %s occurs twice", line(syntax.ByteOffset),
			syntax.JSONPointer.LastToken())
	case errors.As(err, &syntax):
		return fmt.Errorf("line %d: not JSON: %w", line(syntax.ByteOffset), syntax.Err)
	case errors.As(err, &meaning) && errors.Is(err, json.ErrUnknownName):
		return fmt.Errorf("line %d: unknown member %s", line(meaning.ByteOffset), meaning.JSONPointer.LastToken())
	case errors.As(err, &meaning):
		return fmt.Errorf("line %d: member %s has the wrong type", line(meaning.ByteOffset), meaning.JSONPointer)
	}
	return err
}

// check checks the rules, and makes the features.
func (s *Schema) check() error {
	switch {
	case len(s.Columns) == 0:
		return errors.New("no columns")
	case len(s.Columns) > mostColumns:
		return fmt.Errorf("more than %d columns", mostColumns)
	case s.Comment != "" && (len(s.Comment) > 1 || !strings.Contains("!#$%&'()*+-./:;<=>?@[\\]^_`{|}~", s.Comment)):
		return fmt.Errorf("comment must be one ASCII character, not a letter, a digit, a comma or a quote, is %q",
			s.Comment)
	}
	numbers := 0 // in all arrays of one row
	names, features, once := make(map[string]bool), make(map[string]bool), make(map[Type]bool)
	for i := range s.Columns {
		c := &s.Columns[i]
		if c.Name == "" || c.Name != strings.TrimSpace(c.Name) {
			return fmt.Errorf("column %d: name must not be empty, or have white space around it", i+1)
		}
		if names[c.Name] {
			return fmt.Errorf("column %q is named twice", c.Name)
		}
		names[c.Name] = true
		if one := c.Type == Label || c.Type == ID || c.Type == User; one && once[c.Type] {
			return fmt.Errorf("column %q: a second %s", c.Name, c.Type)
		}
		once[c.Type] = true
		if c.Length > mostColumns-numbers {
			return fmt.Errorf("column %q: more than %d numbers in the arrays of a row", c.Name, mostColumns)
		}
		numbers += max(0, c.Length)
		c.first = len(s.features)
		if err := cmp.Or(c.checkMembers(), c.check(), s.add(features, c.features()...)); err != nil {
			return fmt.Errorf("column %q: %w", c.Name, err)
		}
	}
	if s.Intercept {
		if err := s.add(features, intercept); err != nil {
			return err
		}
	}
	if len(s.features) == 0 {
		return errors.New("no feature: needs a number, numbers, a category or an intercept")
	}
	return nil
}

// add adds features.
func (s *Schema) add(seen map[string]bool, names ...string) error {
	for _, name := range names {
		if seen[name] {
			return fmt.Errorf("a second feature of the name %s", name)
		}
		if !words.Possible([]byte(name)) {
			return fmt.Errorf("the name of a feature must have at most %d bytes and no zero byte", wire.MaxWord)
		}
		if len(s.features) == wire.MaxVocabulary {
			return fmt.Errorf("more than %d features", wire.MaxVocabulary)
		}
		seen[name] = true
		s.features = append(s.features, name)
	}
	return nil
}

// Features returns the vocabulary of the rows, in the order of the columns and of their values; the intercept is the
// last.
func (s *Schema) Features() vocabulary.Words { return s.features }

// rule is the version of the rule that turns a row into a document. It must grow whenever a row becomes another
// document.
const rule = "privpipe rows 1\n"

// Settings identifies the rule that turns rows into documents: the columns and their meaning, without notes. Names by
// content depend on it.
func (s *Schema) Settings() []byte {
	meaning := struct {
		Intercept bool
		Columns   []Column
	}{Intercept: s.Intercept}
	for _, c := range s.Columns {
		if c.Type == Ignore {
			continue
		}
		c.Note = ""
		meaning.Columns = append(meaning.Columns, c)
	}
	b, err := json.Marshal(meaning, json.Deterministic(true))
	if err != nil {
		panic(err) // ParseSchema has read these values from JSON
	}
	sum := sha256.Sum256(append([]byte(rule), b...))
	return sum[:]
}

// featureName turns a feature's name into a word: a vocabulary has no white space.
func featureName(name string) string { return strings.Join(strings.Fields(name), "_") }

func checkText(what, s string) error {
	if s == "" || s != strings.TrimSpace(s) || !utf8.ValidString(s) {
		return fmt.Errorf("%s must not be empty, or have white space around it", what)
	}
	return nil
}
