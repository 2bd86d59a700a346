// Package schema makes JSON of values in Avro or Protocol Buffers. A value begins with its schema's id in a registry,
// as Confluent's serializers write it.
package schema

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"sync"

	"privpipe/pipelines/exit"
	"privpipe/tokenize/internal/registry"
)

// The types of schemas, as a registry names them.
const (
	Avro     = "AVRO"
	Protobuf = "PROTOBUF"
)

// A Source has schemas. Its errors have the code exit.Malformed for a schema that it does not have. Others are not the
// fault of the value.
type Source interface {
	ByID(ctx context.Context, id int32) (registry.Schema, error)
	ByVersion(ctx context.Context, r registry.Reference) (registry.Schema, error)
}

// mostValue is the largest value's size, in bytes. A hostile value takes some hundred times its size while it is
// decoded (TestMemory). A broker refuses messages over 1 MiB by default.
const mostValue = 8 << 20

// ErrTooLong is the error if the JSON would be longer than the limit.
var ErrTooLong = errors.New("value too long")

// A Decoder makes JSON of the values in one type of schema. It asks for each schema once. It is safe for concurrent
// use.
type Decoder struct {
	Source
	Type    string   // Avro or Protobuf
	Columns []string // paths that each schema must have; none: any schema will do
	Texts   []string // paths at which bytes are refused; elsewhere they are written in hexadecimal
	Limit   int      // of the JSON, in bytes

	mutex   sync.Mutex
	schemas map[int32]compiled
}

// compiled is a schema, or its fault.
type compiled struct {
	Codec
	err error
}

// A Codec writes a value as JSON.
type Codec interface {
	JSON(value []byte, w *Writer) error
}

// newProtobuf compiles a .proto file. check is called with a function that says which paths a message has.
var newProtobuf func(ctx context.Context, text string, imports []Import,
	check func(has func(path string) bool) error) (Codec, error)

// RegisterProtobuf sets the compiler of .proto files. Only a registry has such schemas, and the compiler doubles the
// time of a start, so programs without a network have none.
func RegisterProtobuf(compile func(ctx context.Context, text string, imports []Import,
	check func(has func(path string) bool) error) (Codec, error)) {
	newProtobuf = compile
}

// JSON reads a value in the wire format: a byte 0, the schema's id in four bytes, and the rest.
// https://docs.confluent.io/platform/current/schema-registry/fundamentals/serdes-develop/index.html#wire-format
// An error that is the value's fault has the code exit.Malformed, and quotes nothing from the value.
func (d *Decoder) JSON(ctx context.Context, value []byte) ([]byte, error) {
	const head = 1 + 4
	switch {
	case len(value) < head || value[0] != 0:
		return nil, exit.Errorf(exit.Malformed,
			"not in the wire format of a schema registry: it must begin with "+
				"a byte 0 and the id of a schema").WithHint("--format says what the messages are")
	case len(value)-head > min(d.Limit, mostValue):
		return nil, ErrTooLong
	}
	id := int32(binary.BigEndian.Uint32(value[1:]))
	c, err := d.schema(ctx, id)
	if err != nil {
		return nil, exit.Errorf(exit.Code(err), "schema %d: %w", id, err).WithHint("%s", exit.Hint(err))
	}
	w := &Writer{limit: d.Limit, texts: d.Texts}
	if err := c.JSON(value[head:], w); err == ErrTooLong {
		return nil, err
	} else if err != nil {
		return nil, exit.Errorf(exit.Malformed, "schema %d: %w", id, err)
	}
	return w.b, nil
}

// schema returns the schema with an id.
func (d *Decoder) schema(ctx context.Context, id int32) (Codec, error) {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	if c, known := d.schemas[id]; known {
		return c.Codec, c.err
	}
	codec, err := d.compile(ctx, id)
	if err != nil && exit.Code(err) != exit.Malformed {
		return nil, err // the registry may answer later
	}
	if d.schemas == nil {
		d.schemas = make(map[int32]compiled)
	}
	d.schemas[id] = compiled{codec, err}
	return codec, err
}

func (d *Decoder) compile(ctx context.Context, id int32) (Codec, error) {
	s, err := d.ByID(ctx, id)
	if err != nil {
		return nil, err
	}
	if s.Type == "" {
		s.Type = Avro // which registries leave out
	}
	if s.Type != d.Type {
		return nil, exit.Errorf(exit.Malformed, "of the type %s, must be %s", s.Type, d.Type).
			WithHint("--format says what the messages are, and --key-format what their keys are")
	}
	imports, err := d.imports(ctx, s)
	if err != nil {
		return nil, err
	}
	if d.Type == Protobuf {
		if newProtobuf == nil {
			return nil, exit.Errorf(exit.Usage, "this program reads no Protocol Buffers")
		}
		return newProtobuf(ctx, s.Text, imports, d.check)
	}
	return newAvro(s.Text, imports, d.check)
}

// check refuses a schema that lacks a column. A value that lacks the user would otherwise count as nobody's.
func (d *Decoder) check(has func(path string) bool) error {
	for _, path := range d.Columns {
		if !has(path) {
			return exit.Errorf(exit.Malformed, "no column %q", path).
				WithHint("--columns and --date name columns that each schema must have")
		}
	}
	return nil
}

// mostImports is the largest number of schemas that one imports.
const mostImports = 200

// An Import is a schema that others import by its name.
type Import struct{ Name, Text string }

// imports returns the schemas that s imports, also indirectly. Each stands after those that it imports itself.
func (d *Decoder) imports(ctx context.Context, s registry.Schema) (all []Import, err error) {
	seen := make(map[string]registry.Reference)
	var visit func(references []registry.Reference) error
	visit = func(references []registry.Reference) error {
		for _, r := range references {
			if before, is := seen[r.Name]; is && before != r {
				return exit.Errorf(exit.Malformed, "imports two versions of %q", r.Name)
			} else if is {
				continue
			}
			if seen[r.Name] = r; len(seen) > mostImports {
				return exit.Errorf(exit.Malformed, "imports more than %d schemas", mostImports)
			}
			s, err := d.ByVersion(ctx, r)
			if err != nil {
				return fmt.Errorf("the import %q: %w", r.Name, err)
			}
			if err := visit(s.References); err != nil {
				return err
			}
			all = append(all, Import{r.Name, s.Text})
		}
		return nil
	}
	err = visit(s.References)
	return all, err
}
