package wire

import (
	"fmt"
	"strings"

	"google.golang.org/protobuf/reflect/protoreflect"
)

// Differences says in which fields two headers differ, such as `run is "a", not "b"`. For a hash it gives only the
// field's name. A header has public quantities only.
func Differences(there, here *Header) string {
	var all []string
	fields := there.ProtoReflect().Descriptor().Fields()
	for i := range fields.Len() {
		f := fields.Get(i)
		a, b := there.ProtoReflect().Get(f), here.ProtoReflect().Get(f)
		if a.Equal(b) {
			continue
		}
		name := strings.ReplaceAll(string(f.Name()), "_", " ")
		switch {
		case f.Kind() == protoreflect.BytesKind:
			all = append(all, name+" is another")
		case f.IsList():
			all = append(all, fmt.Sprintf("%s are %s, not %s", name, shapes(there.Matrices), shapes(here.Matrices)))
		default:
			all = append(all, fmt.Sprintf("%s is %s, not %s", name, value(f, a), value(f, b)))
		}
	}
	return strings.Join(all, "; ")
}

// value writes a field's value.
func value(f protoreflect.FieldDescriptor, v protoreflect.Value) string {
	switch f.Kind() {
	case protoreflect.EnumKind:
		if known := f.Enum().Values().ByNumber(v.Enum()); known != nil {
			return string(known.Name())
		}
	case protoreflect.StringKind:
		return fmt.Sprintf("%q", v.String())
	}
	return v.String()
}

// shapes writes matrices as account plan --matrix takes them, and adds the element and the symmetry.
func shapes(matrices []*Matrix) string {
	if len(matrices) == 0 {
		return "none"
	}
	var all []string
	for _, m := range matrices {
		text := fmt.Sprintf("%s=%dx%d %s", m.Name, m.Rows, m.Columns, m.Element)
		if m.Symmetric {
			text += " symmetric"
		}
		all = append(all, text)
	}
	return strings.Join(all, ", ")
}
