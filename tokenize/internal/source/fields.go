package source

import (
	"bytes"
	"errors"
	"fmt"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Fields are what a line of JSON Lines says about a document. Other members are ignored.
type Fields struct {
	ID    *Name `json:"id"` // nil: none, or null
	Text  *Text `json:"text"`
	User  Name  `json:"user"`
	Label Label `json:"label"`
}

// A Name is a JSON string or number; a number stands as it is written. null is no name.
type Name string

// UnmarshalJSON implements json.Unmarshaler.
func (n *Name) UnmarshalJSON(b []byte) error {
	switch jsontext.Value(b).Kind() {
	case '0':
		*n = Name(b)
		return nil
	case 'n':
		return nil
	case '"':
		s, err := jsontext.AppendUnquote(nil, b)
		*n = Name(s)
		return err
	}
	return errors.New("not a string or a number")
}

// A Label is a Name, or any other JSON as it is written: a list of labels, say.
type Label string

// UnmarshalJSON implements json.Unmarshaler.
func (l *Label) UnmarshalJSON(b []byte) error {
	if (*Name)(l).UnmarshalJSON(b) != nil {
		*l = Label(b)
	}
	return nil
}

// Text is a JSON string as bytes.
type Text []byte

// UnmarshalJSON implements json.Unmarshaler.
func (t *Text) UnmarshalJSON(b []byte) (err error) {
	if jsontext.Value(b).Kind() != '"' {
		return errors.New("not a string")
	}
	*t, err = jsontext.AppendUnquote((*t)[:0], b)
	return err
}

var errNoText = errors.New(`member "text" is missing`)

// ParseLine parses a line without its newline. Its errors say which rule is broken and at which byte, from 1, and
// quote nothing of the line.
func ParseLine(line []byte) (Fields, error) {
	var f Fields
	if err := json.Unmarshal(line, &f); err != nil {
		return f, lineError(line, err)
	}
	switch {
	case f.Text == nil:
		return f, errNoText
	case f.ID != nil && *f.ID == "":
		return f, errors.New(`member "id" is empty`)
	}
	return f, nil
}

func lineError(line []byte, err error) error {
	var syntax *jsontext.SyntacticError
	var semantic *json.SemanticError
	switch {
	case !utf8.Valid(line):
		return fmt.Errorf("not UTF-8 at byte %d", invalidAt(line)+1)
	case errors.As(err, &syntax) && errors.Is(err, jsontext.ErrDuplicateName):
		return fmt.Errorf("a member stands twice, at byte %d", syntax.ByteOffset+1)
	case errors.As(err, &syntax):
		return fmt.Errorf("not JSON at byte %d", syntax.ByteOffset+1)
	case errors.As(err, &semantic) && semantic.JSONPointer != "":
		return fmt.Errorf("member %q has the wrong type", semantic.JSONPointer.LastToken())
	}
	return errors.New("not a JSON object")
}

// invalidAt returns the offset of the first byte of b that is not UTF-8.
func invalidAt(b []byte) int {
	for i := 0; i < len(b); {
		r, size := utf8.DecodeRune(b[i:])
		if r == utf8.RuneError && size == 1 {
			return i
		}
		i += size
	}
	return len(b)
}

// CheckText checks that a text file is UTF-8.
func CheckText(b []byte) error {
	if utf8.Valid(b) {
		return nil
	}
	at := invalidAt(b)
	return fmt.Errorf("line %d: not UTF-8 at byte %d of the file", 1+bytes.Count(b[:at], []byte{'\n'}), at+1)
}
