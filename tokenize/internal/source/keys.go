package source

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"privpipe/pipelines/endpoint/topic"
	"privpipe/pipelines/exit"
)

// A KeyFormat is what the keys of messages are.
type KeyFormat string

// The formats of keys. Those in Avro and Protocol Buffers name their schema.
const (
	KeyText     KeyFormat = "text"
	KeyJSON     KeyFormat = "json"
	KeyAvro     KeyFormat = "avro"
	KeyProtobuf KeyFormat = "protobuf"
)

// describe checks what the options say of messages, and finds the schemas.
func (r *Reader) describe(ctx context.Context) (err error) {
	for _, in := range r.inputs {
		switch {
		case len(r.Columns.around()) > 0 && !ofMessages(in):
			return exit.Errorf(exit.Usage, "%s: has no keys and headers, which are for messages of a topic", in.path).
				WithHint("a topic of JSON, Avro, Protocol Buffers, texts or mails has them")
		case in.format == Protobuf && !ofMessages(in):
			return exit.Errorf(exit.Usage, "%s: protobuf is for messages of a topic", in.path)
		}
	}
	r.described, err = newDescribed(ctx, &r.Options, r.inputs)
	r.Columns, r.around = r.Columns.split()
	return err
}

// addAround sets the fields that a message's key and headers have.
func (o *Options) addAround(f *Fields, m *topic.Text) error {
	wanted := o.around.around()
	if len(wanted) == 0 {
		return nil
	}
	object := []byte("{")
	for _, name := range wanted {
		if name != keyName && !strings.HasPrefix(name, keyName+".") {
			continue
		}
		key, err := o.key(m)
		if err != nil {
			return err
		}
		object = append(append(append(object, `":key":`...), key...), ',')
		break
	}
	object = append(object, `":header":{`...)
	comma := ""
	for i, h := range m.Headers {
		if h.Value == nil || !slices.Contains(wanted, headers+"."+h.Name) {
			continue
		}
		for _, before := range m.Headers[:i] {
			if before.Value != nil && before.Name == h.Name {
				return fmt.Errorf("header %q occurs twice", h.Name)
			}
		}
		object = append(object, comma...)
		object, _ = jsontext.AppendQuote(object, h.Name) // a flag has the name, so it is UTF-8
		var err error
		if object, err = jsontext.AppendQuote(append(object, ':'), h.Value); err != nil {
			return fmt.Errorf("header %q is not UTF-8", h.Name)
		}
		comma = ","
	}
	around, err := parseAny(append(object, "}}"...), &o.around, false)
	if err != nil {
		return err
	}
	if around.ID != nil && *around.ID == "" {
		return fmt.Errorf("member %q is empty", o.around.name(roleID))
	}
	f.take(&around, &o.around)
	return nil
}

// take sets the fields that columns name.
func (f *Fields) take(from *Fields, columns *Columns) {
	if !columns.lacks(roleID) {
		f.ID = from.ID
	}
	if !columns.lacks(roleUser) {
		f.User = from.User
	}
	if !columns.lacks(roleLabel) {
		f.Label = from.Label
	}
	if !columns.lacks(roleDate) {
		f.Date = from.Date
	}
	f.Replaced += from.Replaced
}

// key returns a message's key as JSON. No key is null.
func (o *Options) key(m *topic.Text) (jsontext.Value, error) {
	switch {
	case m.Key == nil:
		return jsontext.Value("null"), nil
	case o.KeyFormat == KeyAvro || o.KeyFormat == KeyProtobuf:
		key, err := o.described.key(m.Key)
		if err != nil {
			return nil, fmt.Errorf("the key: %w", err)
		}
		return key, nil
	case o.KeyFormat == KeyJSON:
		// Checked by itself, so that no key can end the object around it.
		if key := jsontext.Value(m.Key); key.IsValid() {
			return key, nil
		}
		return nil, errors.New("the key is not JSON")
	}
	key, err := jsontext.AppendQuote(nil, m.Key)
	if err != nil {
		return nil, exit.Errorf(exit.Malformed, "the key is not UTF-8").
			WithHint("--key-format says what the keys are")
	}
	return key, nil
}
