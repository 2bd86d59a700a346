package source

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"privpipe/pipelines/exit"
	"privpipe/tokenize/internal/words"
)

// Fields are a document's fields in a line of JSON Lines or a row of CSV.
type Fields struct {
	ID      *Name       // nil if missing or null
	Text    *words.Text // or the JSON array of a vector
	Numbers []float64   // of a vector whose file has numbers; the text is then empty
	User    Name
	Label   Label
	Date    Name
	// Replaced counts halves of surrogate pairs. U+FFFD stands in their place.
	Replaced int
}

// A Name is a JSON string or number; a number is kept as it is written. null is no name.
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
		*n = Name(unquote(nil, b))
		return nil
	}
	return errors.New("not a string or a number")
}

// A Label is a Name, or any other JSON value as it is written, for example a list of labels.
type Label string

// UnmarshalJSON implements json.Unmarshaler.
func (l *Label) UnmarshalJSON(b []byte) error {
	if (*Name)(l).UnmarshalJSON(b) != nil {
		*l = Label(b)
	}
	return nil
}

// textOf returns the text in a JSON value: a string, or a list of strings. The strings in a list are tokens.
func textOf(value jsontext.Value) (*words.Text, error) {
	text := new(words.Text)
	switch value.Kind() {
	case '"':
		text.Content = unquote(nil, value)
		return text, nil
	case '[':
		text.List = true
	default:
		return nil, errors.New("not a string or a list of strings")
	}
	tokens := jsontext.NewDecoder(bytes.NewReader(value), jsontext.AllowInvalidUTF8(true))
	if _, err := tokens.ReadToken(); err != nil {
		return nil, err
	}
	var token []byte
	for tokens.PeekKind() == '"' {
		quoted, err := tokens.ReadValue()
		if err != nil {
			return nil, err
		}
		token = unquote(token[:0], quoted)
		text.Token(token)
	}
	if tokens.PeekKind() != ']' {
		return nil, errors.New("not a list of strings")
	}
	return text, nil
}

// arrayOf returns a vector's JSON array, which may also be in a string. Its numbers are not looked at.
func arrayOf(value jsontext.Value) (*words.Text, error) {
	switch value.Kind() {
	case '"':
		return &words.Text{Content: unquote(nil, value)}, nil
	case '[':
		return &words.Text{Content: bytes.Clone(value)}, nil
	}
	return nil, errors.New("not an array")
}

// An object collects the fields in one line of JSON Lines.
type object struct {
	columns *Columns
	vectors bool     // a vector takes the place of the text
	names   []string // of the text's columns
	texts   []*words.Text
	found   []bool
	roles   [len(roles)]bool // the roles that a member was found for, without the text's role
	fields  Fields
}

var errNoObject = errors.New("not a JSON object")

// wrongType is the error for a member if its value has the wrong type. It holds the member's name.
type wrongType string

func (w wrongType) Error() string { return fmt.Sprintf("member %q has the wrong type", string(w)) }

// twice is the error for a member that occurs by its name and by its path.
type twice string

func (t twice) Error() string {
	return fmt.Sprintf("member %q occurs twice, by its name and by its path", string(t))
}

// notJSON is the error for a line. It holds the byte of the error, from 1.
type notJSON int64

func (n notJSON) Error() string { return fmt.Sprintf("not JSON at byte %d", int64(n)) }

func missing(name string) error { return fmt.Errorf("member %q is missing", name) }

// UnmarshalJSONFrom implements json.UnmarshalerFrom. It ignores members that are no columns.
func (o *object) UnmarshalJSONFrom(d *jsontext.Decoder) error { return o.members(d, "") }

// members reads an object. prefix goes before the names of its members.
func (o *object) members(d *jsontext.Decoder, prefix string) error {
	return members(d, func(name []byte, value jsontext.Value) error {
		path := prefix + string(name)
		if value.Kind() == '{' && o.columns.below(path) {
			below := jsontext.NewDecoder(bytes.NewReader(value), jsontext.AllowInvalidUTF8(true))
			if err := o.members(below, path+"."); err != nil {
				return err
			}
		}
		return o.set(path, value)
	})
}

// set sets the fields of the member at path.
func (o *object) set(path string, value jsontext.Value) error {
	if i := slices.Index(o.names, path); i >= 0 {
		if o.found[i] {
			return twice(path)
		}
		of := textOf
		if o.vectors {
			of = arrayOf
		}
		text, err := of(value)
		if err != nil && value.Kind() != 'n' {
			return wrongType(path)
		}
		o.found[i], o.texts[i] = true, text
		o.fields.Replaced += halves(value)
	}
	for role := roleID; role < len(o.columns.wanted()); role++ {
		if path != o.columns.name(role) || o.columns.lacks(role) {
			continue
		}
		if o.roles[role] {
			return twice(path)
		}
		o.roles[role] = true
		if o.fields.set(role, value) != nil {
			return wrongType(path)
		}
		o.fields.Replaced += halves(value)
	}
	return nil
}

// text joins the columns of the text. If there are several, all must be there.
func (o *object) text() error {
	for i, found := range o.found {
		if !found && len(o.names) > 1 {
			return missing(o.names[i])
		}
	}
	text, err := join(o.texts)
	o.fields.Text = text
	return err
}

// members calls set with each member of the object that d reads next. The name is valid until set returns.
func members(d *jsontext.Decoder, set func(name []byte, value jsontext.Value) error) error {
	if token, err := d.ReadToken(); err != nil {
		return err
	} else if token.Kind() != '{' {
		return errNoObject
	}
	var name []byte
	for d.PeekKind() == '"' {
		quoted, err := d.ReadValue()
		if err != nil {
			return err
		}
		if bytes.IndexByte(quoted, '\\') >= 0 {
			name = unquote(name[:0], quoted)
		} else {
			name = append(name[:0], quoted[1:len(quoted)-1]...) // ReadValue overwrites what it returned
		}
		value, err := d.ReadValue()
		if err != nil {
			return err
		}
		if err := set(name, value); err != nil {
			return err
		}
	}
	_, err := d.ReadToken() // the end of the object, or a syntax error in its place
	return err
}

// set sets a role's field to a JSON value. The role must not be the text. null counts as missing.
func (f *Fields) set(role int, value jsontext.Value) error {
	if value.Kind() == 'n' {
		return nil
	}
	switch role {
	case roleID:
		f.ID = new(Name)
		return f.ID.UnmarshalJSON(value)
	case roleUser:
		return f.User.UnmarshalJSON(value)
	case roleDate:
		return f.Date.UnmarshalJSON(value)
	}
	return f.Label.UnmarshalJSON(value)
}

// parse parses a line without its newline, with memory that is used again. The text is valid until the next call, and
// only as long as line is. The errors name the broken rule and the byte, from 1, and quote nothing from the line.
func (p *flat) parse(line []byte, columns *Columns) (f Fields, err error) {
	f, is := p.fields(line, columns)
	if !is {
		if f, err = parseAny(line, columns, false); err != nil {
			return Fields{}, err
		}
	}
	return f, f.check(columns)
}

// parseVector parses a line that has a vector as parse does a line with a text.
func parseVector(line []byte, columns *Columns) (f Fields, err error) {
	if f, err = parseAny(line, columns, true); err != nil {
		return Fields{}, err
	}
	if f.Text == nil {
		return f, exit.Errorf(exit.Malformed, "%w", missing(columns.name(roleText))).
			WithHint("%s names the member that is meant", flagOf(roleText, true))
	}
	return f, f.check(columns)
}

// check refuses a document of JSON Lines without a text, or with an empty id.
func (f *Fields) check(columns *Columns) error {
	switch {
	case f.Text == nil:
		return missing(columns.texts()[0])
	case f.ID != nil && *f.ID == "":
		return fmt.Errorf("member %q is empty", columns.name(roleID))
	}
	return nil
}

// parseAny parses any line with the JSON library. It accepts a line without a text, and an empty id.
func parseAny(line []byte, columns *Columns, vectors bool) (Fields, error) {
	o := object{columns: columns, names: columns.texts(), vectors: vectors}
	o.texts, o.found = make([]*words.Text, len(o.names)), make([]bool, len(o.names))
	if !utf8.Valid(line) {
		return Fields{}, lineError(line, nil)
	}
	if err := json.Unmarshal(line, &o, jsontext.AllowInvalidUTF8(true)); err != nil {
		return Fields{}, lineError(line, err)
	}
	err := o.text()
	return o.fields, err
}

func lineError(line []byte, err error) error {
	var syntax *jsontext.SyntacticError
	var wrong wrongType
	var again twice
	switch {
	case !utf8.Valid(line):
		return notUTF8("not UTF-8 at byte %d", invalidAt(line)+1)
	case errors.As(err, &again):
		return again
	case errors.As(err, &syntax) && errors.Is(err, jsontext.ErrDuplicateName):
		return fmt.Errorf("a member occurs twice, at byte %d", syntax.ByteOffset+1)
	case errors.As(err, &syntax):
		if at := notJSON(syntax.ByteOffset + 1); at > 1 || len(line) == 0 {
			return at
		}
		return exit.Errorf(exit.Malformed, "%w", notJSON(1)).
			WithHint("--format tells another format, such as csv, lines or text; " +
				"--on-error skip skips malformed documents and counts them")
	case errors.As(err, &wrong):
		return wrong
	}
	return errNoObject
}

// invalidAt returns the offset of the first byte in b that is not UTF-8.
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
	return notUTF8("line %d: not UTF-8 at byte %d of the file", 1+bytes.Count(b[:at], []byte{'\n'}), at+1)
}
