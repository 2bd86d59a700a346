package source

import (
	"cmp"
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"sync/atomic"

	"privpipe/pipelines/endpoint"
	"privpipe/pipelines/exit"
	"privpipe/tokenize/internal/registry"
	"privpipe/tokenize/internal/schema"
)

// described makes JSON of the values and the keys of messages that name a schema in a registry.
type described struct {
	ctx          context.Context
	values, keys *schema.Decoder
}

// newDescribed returns what reads the messages in inputs; nil if no value or key names a schema. Without o.Registry it
// asks nobody.
func newDescribed(ctx context.Context, o *Options, inputs []input) (*described, error) {
	var types []string // of values
	for _, in := range inputs {
		if ofMessages(in) && (in.format == Avro || in.format == Protobuf) {
			types = append(types, map[Format]string{Avro: schema.Avro, Protobuf: schema.Protobuf}[in.format])
		}
	}
	slices.Sort(types)
	types = slices.Compact(types)
	ofKey := map[KeyFormat]string{KeyAvro: schema.Avro, KeyProtobuf: schema.Protobuf}[o.KeyFormat]
	needed := len(types) > 0 || ofKey != ""
	hasKey, hasPath := false, false
	for _, name := range o.Columns.around() {
		hasPath = hasPath || strings.HasPrefix(name, keyName+".")
		hasKey = hasKey || hasPath || name == keyName
	}
	switch {
	case cmp.Or(o.KeyFormat, KeyText) != KeyText && !hasKey:
		return nil, exit.Errorf(exit.Usage, "--key-format needs a column of the key").
			WithHint("such as --columns user=:key")
	case cmp.Or(o.KeyFormat, KeyText) == KeyText && hasPath:
		return nil, exit.Errorf(exit.Usage, "a path in the key needs --key-format json, avro or protobuf")
	case needed && o.Registry == "":
		return nil, exit.Errorf(exit.Usage, "messages in Avro or Protocol Buffers need --schema-registry").
			WithHint("--schema-registry https://HOST[:PORT][/PATH]")
	case !needed && o.Registry != "":
		return nil, exit.Errorf(exit.Usage,
			"--schema-registry is for a topic with --format avro or protobuf, or with "+
				"such a --key-format")
	case !needed:
		return nil, nil
	case len(types) > 1:
		return nil, exit.Errorf(exit.Usage, "topics in Avro and in Protocol Buffers cannot stand together")
	}
	client, err := registry.New(o.Registry)
	if err != nil {
		return nil, err
	}
	b := &described{ctx: ctx}
	if len(types) > 0 {
		b.values = &schema.Decoder{Source: client, Type: types[0], Columns: o.Columns.named(), Limit: o.Limit}
		b.values.Texts = o.texts()
	}
	if ofKey != "" {
		b.keys = &schema.Decoder{Source: client, Type: ofKey, Limit: o.Limit}
		for _, name := range o.Columns.around() {
			if path, is := strings.CutPrefix(name, keyName+"."); is {
				b.keys.Columns = append(b.keys.Columns, path)
			}
		}
	}
	return b, nil
}

// texts are the columns that cannot have bytes.
func (o *Options) texts() []string {
	if o.Cells != nil {
		return nil
	}
	return o.Columns.texts()
}

func (b *described) value(value []byte) ([]byte, error) { return b.decode(b.values, value) }

func (b *described) key(key []byte) ([]byte, error) { return b.decode(b.keys, key) }

func (b *described) decode(by *schema.Decoder, value []byte) ([]byte, error) {
	decoded, err := by.JSON(b.ctx, value)
	switch {
	case errors.Is(err, schema.ErrTooLong):
		return nil, ErrTooLong
	case err != nil && exit.Code(err) != exit.Malformed:
		return nil, unanswered{err} // the registry's fault, so no document may be left out for it
	}
	return decoded, err
}

// unanswered is the error if a registry gave no answer.
type unanswered struct{ error }

func (u unanswered) Unwrap() error        { return u.error }
func (u unanswered) Is(target error) bool { return target == ErrNeverSkipped }

// avroValues reads the values in a file of Avro.
type avroValues struct {
	*Options
	name   string
	opened io.Closer
	file   *schema.File
	first  int // number of the next value, from 1
}

func newValues(ctx context.Context, path string, o *Options, read *atomic.Int64) (*avroValues, error) {
	opened, err := endpoint.Open(ctx, path)
	if err != nil {
		return nil, err
	}
	file, err := schema.NewFile(counter{opened, read}, &schema.Decoder{Columns: o.Columns.named(), Texts: o.texts(),
		Limit: o.Limit})
	if err != nil {
		opened.Close()
		return nil, exit.Errorf(exit.Malformed, "%s: %w", opened.Name, err).WithHint("%s", exit.Hint(err))
	}
	return &avroValues{Options: o, name: opened.Name, opened: opened, file: file, first: 1}, nil
}

func (v *avroValues) close() error {
	v.file.Close()
	return v.opened.Close()
}

// next returns the next chunk, and io.EOF after the last.
func (v *avroValues) next() (Chunk, error) {
	chunk := Chunk{Name: v.name, Line: v.first, options: v.Options}
	for size := 0; size < chunkBytes; {
		value, err := v.file.Next()
		if err == io.EOF && chunk.parsed != nil {
			break
		} else if err == io.EOF {
			return chunk, err
		}
		row := Row{Err: err}
		if errors.Is(err, schema.ErrTooLong) {
			row.Err = ErrTooLong
		} else if err != nil {
			return chunk, exit.Errorf(exit.Malformed, "%s: row %d: %w", v.name, v.first, err)
		} else {
			row = chunk.row(value, new(flat)) // of its own, since the text must last
		}
		v.first++
		size += 256 + len(value)
		chunk.parsed = append(chunk.parsed, row)
	}
	return chunk, nil
}
