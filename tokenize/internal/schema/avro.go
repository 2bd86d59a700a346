package schema

import (
	"errors"
	"maps"
	"math/big"
	"slices"
	"strings"
	"time"

	"github.com/twmb/avro"

	"privpipe/pipelines/exit"
)

// anAvro is a schema in Avro. https://avro.apache.org/docs/1.12.0/specification/
type anAvro struct{ schema *avro.Schema }

// newAvro parses a schema. check is called with what says which paths it has.
func newAvro(text string, imports []Import, check func(has func(path string) bool) error) (Codec, error) {
	var types avro.SchemaCache
	for _, i := range imports {
		if _, err := types.Parse(i.Text, spelled...); err != nil {
			return nil, exit.Errorf(exit.Malformed, "the import %q is not a schema in Avro: %w", i.Name, err)
		}
	}
	schema, err := types.Parse(text, spelled...)
	if err != nil {
		return nil, exit.Errorf(exit.Malformed, "not a schema in Avro: %w", err)
	}
	root := schema.Root()
	return anAvro{schema}, check(func(path string) bool { return hasAvro(root, path) })
}

// hasAvro says whether a type's values may have a path. A union has all paths that its branches have.
func hasAvro(n *avro.SchemaNode, path string) bool {
	switch n.Type {
	case "record", "error":
		name, rest, more := strings.Cut(path, ".")
		for i := range n.Fields {
			if f := &n.Fields[i]; f.Name == name {
				return !more || hasAvro(&f.Type, rest)
			}
		}
	case "union":
		return slices.ContainsFunc(n.Branches, func(b avro.SchemaNode) bool { return hasAvro(&b, path) })
	case "map":
		return true
	case "array", "enum", "fixed", "null", "boolean", "int", "long", "float", "double", "string", "bytes":
	default: // the name of a type
		schema, err := n.Schema()
		return err == nil && hasAvro(schema.Root(), path)
	}
	return false
}

// A spelling is JSON that a logical type is written as.
type spelling struct {
	time   time.Time
	layout string
}

// These logical types have no time zone, unlike the others. So they are spelled without one.
const (
	dateLayout  = time.DateOnly
	localLayout = "2006-01-02T15:04:05.999999999"
)

// spelled are the logical types that the library would decode as times of UTC.
var spelled = []avro.SchemaOpt{
	avro.WithCustomType(local("date", "int", func(days int64) time.Time {
		return time.Unix(0, 0).UTC().AddDate(0, 0, int(days))
	}, dateLayout)),
	avro.WithCustomType(local("local-timestamp-millis", "long", time.UnixMilli, localLayout)),
	avro.WithCustomType(local("local-timestamp-micros", "long", time.UnixMicro, localLayout)),
	avro.WithCustomType(local("local-timestamp-nanos", "long", func(n int64) time.Time { return time.Unix(0, n) },
		localLayout)),
	// A big-decimal stays bytes: its scale is in the value, and would decide how much memory it takes.
	avro.WithCustomType(avro.CustomType{LogicalType: "big-decimal", AvroType: "bytes",
		Decode: func(v any, _ *avro.SchemaNode) (any, error) { return v, nil }}),
}

func local(logical, of string, at func(int64) time.Time, layout string) avro.CustomType {
	return avro.CustomType{LogicalType: logical, AvroType: of, Decode: func(v any, _ *avro.SchemaNode) (any, error) {
		switch n := v.(type) {
		case int32:
			return spelling{at(int64(n)).UTC(), layout}, nil
		case int64:
			return spelling{at(n).UTC(), layout}, nil
		}
		return nil, avro.ErrSkipCustomType
	}}
}

var errNotAvro = errors.New("the value is not one of the schema")

// json writes a value as JSON. A union is its branch without a name around it.
func (a anAvro) JSON(value []byte, w *Writer) error {
	var decoded any
	rest, err := a.schema.Decode(value, &decoded)
	if err != nil || len(rest) > 0 {
		return errNotAvro // the library's error may quote the value
	}
	return w.avro(decoded, "")
}

// avro writes a decoded value, which is at a path.
func (w *Writer) avro(value any, path string) error {
	switch v := value.(type) {
	case nil:
		return w.Raw("null")
	case bool:
		if v {
			return w.Raw("true")
		}
		return w.Raw("false")
	case int32:
		return w.Integer(int64(v))
	case int64:
		return w.Integer(v)
	case float32:
		return w.Float(float64(v), 32)
	case float64:
		return w.Float(v, 64)
	case string:
		return w.Text(v)
	case []byte:
		return w.Bytes(v, path)
	case [16]byte: // a UUID
		return w.Text(uuid(v[:]))
	case time.Time:
		return w.date(v, time.RFC3339Nano)
	case spelling:
		return w.date(v.time, v.layout)
	case time.Duration: // of the day
		return w.date(time.Unix(0, 0).UTC().Add(v), "15:04:05.999999999")
	case *big.Rat:
		digits, _ := v.FloatPrec() // exact, since a decimal has a power of ten below
		return w.Raw(v.FloatString(digits))
	case []any:
		begin := w.Begin('[')
		for _, e := range v {
			w.Element(begin)
			if err := w.avro(e, path); err != nil {
				return err
			}
		}
		return w.Raw("]")
	case map[string]any:
		begin := w.Begin('{')
		for _, name := range slices.Sorted(maps.Keys(v)) {
			if err := w.Member(begin, name); err != nil {
				return err
			}
			if err := w.avro(v[name], Below(path, name)); err != nil {
				return err
			}
		}
		return w.Raw("}")
	}
	return w.Raw("null") // a duration of months and days
}

// Below is a member's path.
func Below(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

// uuid spells a UUID (RFC 9562, section 4).
func uuid(b []byte) string {
	const digits = "0123456789abcdef"
	s := make([]byte, 0, 36)
	for i, c := range b {
		if i == 4 || i == 6 || i == 8 || i == 10 {
			s = append(s, '-')
		}
		s = append(s, digits[c>>4], digits[c&15])
	}
	return string(s)
}
