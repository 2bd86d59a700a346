// Package protobuf makes JSON of values in Protocol Buffers, for package schema.
package protobuf

import (
	"context"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/bufbuild/protocompile"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/dynamicpb"

	"privpipe/pipelines/exit"
	"privpipe/tokenize/internal/schema"
)

// aProtobuf is a .proto file. A value says which message it is.
type aProtobuf struct {
	file  protoreflect.FileDescriptor
	check func(has func(path string) bool) error

	mutex   sync.Mutex
	checked map[protoreflect.FullName]error
}

// main is the name of the schema's own file. No import has it.
const main = "the schema.proto"

// mostDepth is how deep messages may nest. Protocol Buffers of other languages allow 100.
// https://protobuf.dev/programming-guides/proto-limits/
const mostDepth = 100

func init() { schema.RegisterProtobuf(compile) }

// compile compiles a .proto file. check is called with a function that says which paths a message has.
func compile(ctx context.Context, text string, imports []schema.Import,
	check func(has func(path string) bool) error,
) (schema.Codec, error) {
	files := map[string]string{main: text}
	for _, i := range imports {
		files[i.Name] = i.Text
	}
	find := func(name string) (result protocompile.SearchResult, err error) {
		text, is := files[name]
		if !is {
			return result, protoregistry.NotFound
		}
		// Some clients register a file as a descriptor in base64, which no .proto text is.
		if b, err := base64.StdEncoding.DecodeString(text); err == nil {
			result.Proto = new(descriptorpb.FileDescriptorProto)
			err = proto.Unmarshal(b, result.Proto)
			result.Proto.Name = &name
			nameFields(result.Proto.MessageType)
			return result, err
		}
		result.Source = strings.NewReader(text)
		return result, nil
	}
	compiler := protocompile.Compiler{MaxParallelism: 1,
		Resolver: protocompile.WithStandardImports(protocompile.ResolverFunc(find))}
	made, err := compiler.Compile(ctx, main)
	if err != nil {
		return nil, exit.Errorf(exit.Malformed, "not a schema in Protocol Buffers: %w", err)
	}
	return &aProtobuf{file: made[0], check: check, checked: make(map[protoreflect.FullName]error)}, nil
}

// nameFields gives fields without a name in JSON one, since the compiler takes two such fields for two of one name.
func nameFields(messages []*descriptorpb.DescriptorProto) {
	for _, m := range messages {
		for _, f := range m.Field {
			if f.JsonName == nil {
				f.JsonName = f.Name
			}
		}
		nameFields(m.NestedType)
	}
}

var errNotProtobuf = errors.New("the value is not one of the schema")

// json writes a value as JSON.
func (p *aProtobuf) JSON(value []byte, w *schema.Writer) error {
	of, value, err := p.message(value)
	if err != nil {
		return err
	}
	if err := p.checkOnce(of); err != nil {
		return err
	}
	m := dynamicpb.NewMessage(of)
	if err := unmarshal(value, m); err != nil {
		return err
	}
	return writer{w}.message(m, "")
}

// unmarshal reads a message. What the schema does not say is not read. The library's error may quote the value. The
// library panics on some values: in version 1.36.12 if a key of a map occurs twice, the second time of another type.
func unmarshal(value []byte, m proto.Message) (err error) {
	defer func() {
		if recover() != nil {
			err = errNotProtobuf
		}
	}()
	if (proto.UnmarshalOptions{RecursionLimit: mostDepth, DiscardUnknown: true, AllowPartial: true}).
		Unmarshal(value, m) != nil {
		return errNotProtobuf
	}
	return nil
}

// message reads the indexes that say which message of the file a value is: their number, and for each level the
// index. 0 stands for the first message. Numbers are zigzag varints. The rest is the value.
// https://docs.confluent.io/platform/current/schema-registry/fundamentals/serdes-develop/index.html#wire-format
func (p *aProtobuf) message(value []byte) (of protoreflect.MessageDescriptor, rest []byte, err error) {
	next := func() int64 {
		n, size := binary.Varint(value)
		if size <= 0 {
			err = errors.New("the indexes of the message are cut short")
			return 0
		}
		value = value[size:]
		return n
	}
	among := p.file.Messages()
	for levels, level := next(), int64(0); err == nil; level++ {
		index := int64(0)
		if levels != 0 {
			index = next()
		}
		if err == nil && (index < 0 || index >= int64(among.Len()) || levels < 0) {
			err = errors.New("the schema has no message of these indexes")
		}
		if err != nil {
			break
		}
		of = among.Get(int(index))
		if among = of.Messages(); level+1 >= levels {
			return of, value, nil
		}
	}
	return nil, nil, err
}

// checkOnce checks a message's columns.
func (p *aProtobuf) checkOnce(of protoreflect.MessageDescriptor) error {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	err, known := p.checked[of.FullName()]
	if !known {
		err = p.check(func(path string) bool { return hasProtobuf(of, path) })
		p.checked[of.FullName()] = err
	}
	return err
}

// hasProtobuf says whether a message may have a path of fields.
func hasProtobuf(m protoreflect.MessageDescriptor, path string) bool {
	name, rest, more := strings.Cut(path, ".")
	f := m.Fields().ByName(protoreflect.Name(name))
	switch {
	case f == nil:
		return false
	case !more || f.IsMap():
		return true
	case f.Message() == nil || f.IsList():
		return false
	}
	return isWellKnown(f.Message()) || hasProtobuf(f.Message(), rest)
}

// isWellKnown says whether a message has a JSON of its own.
// https://protobuf.dev/programming-guides/json/
func isWellKnown(m protoreflect.MessageDescriptor) bool {
	return m.ParentFile().Package() == "google.protobuf" && slices.Contains(wellKnown, m.Name())
}

var wellKnown = []protoreflect.Name{"Timestamp", "Duration", "FieldMask", "Struct", "Value", "ListValue",
	"DoubleValue",
	"FloatValue", "Int64Value", "UInt64Value", "Int32Value", "UInt32Value", "BoolValue", "StringValue"}

// A writer writes messages.
type writer struct{ *schema.Writer }

// message writes a message by the names of its .proto file. An absent field is no member, and neither is an empty
// string without presence, which may be absent. Other fields without presence are members.
func (w writer) message(m protoreflect.Message, path string) error {
	if isWellKnown(m.Descriptor()) {
		b, err := protojson.MarshalOptions{AllowPartial: true}.Marshal(m.Interface())
		if err != nil {
			return errNotProtobuf
		}
		return w.Raw(string(b))
	}
	begin, fields := w.Begin('{'), m.Descriptor().Fields()
	for i := range fields.Len() {
		f := fields.Get(i)
		at := schema.Below(path, string(f.Name()))
		if !m.Has(f) && (f.HasPresence() || f.Kind() == protoreflect.StringKind && !f.IsList() && !f.IsMap() &&
			!w.MustBeText(at)) {
			continue
		}
		if err := w.Member(begin, string(f.Name())); err != nil {
			return err
		}
		if err := w.field(f, m.Get(f), at); err != nil {
			return err
		}
	}
	return w.Raw("}")
}

// field writes a field's value.
func (w writer) field(f protoreflect.FieldDescriptor, v protoreflect.Value, path string) error {
	switch {
	case f.IsList():
		begin := w.Begin('[')
		for i := range v.List().Len() {
			w.Element(begin)
			if err := w.scalar(f, v.List().Get(i), path); err != nil {
				return err
			}
		}
		return w.Raw("]")
	case f.IsMap():
		begin := w.Begin('{')
		var keys []protoreflect.MapKey
		v.Map().Range(func(k protoreflect.MapKey, _ protoreflect.Value) bool {
			keys = append(keys, k)
			return true
		})
		slices.SortFunc(keys, func(a, b protoreflect.MapKey) int { return strings.Compare(a.String(), b.String()) })
		for _, k := range keys {
			if err := w.Member(begin, k.String()); err != nil {
				return err
			}
			if err := w.scalar(f.MapValue(), v.Map().Get(k), schema.Below(path, k.String())); err != nil {
				return err
			}
		}
		return w.Raw("}")
	}
	return w.scalar(f, v, path)
}

// scalar writes one value.
func (w writer) scalar(f protoreflect.FieldDescriptor, v protoreflect.Value, path string) error {
	switch f.Kind() {
	case protoreflect.MessageKind, protoreflect.GroupKind:
		return w.message(v.Message(), path)
	case protoreflect.StringKind:
		return w.Text(v.String())
	case protoreflect.BytesKind:
		return w.Bytes(v.Bytes(), path)
	case protoreflect.FloatKind:
		return w.Float(v.Float(), 32)
	case protoreflect.DoubleKind:
		return w.Float(v.Float(), 64)
	case protoreflect.BoolKind:
		return w.Raw(strconv.FormatBool(v.Bool()))
	case protoreflect.EnumKind:
		if e := f.Enum().Values().ByNumber(v.Enum()); e != nil {
			return w.Text(string(e.Name()))
		}
		return w.Integer(int64(v.Enum()))
	case protoreflect.Uint32Kind, protoreflect.Fixed32Kind, protoreflect.Uint64Kind, protoreflect.Fixed64Kind:
		return w.Raw(strconv.FormatUint(v.Uint(), 10))
	}
	return w.Integer(v.Int())
}
