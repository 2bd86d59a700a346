package view

import (
	"encoding/binary"
	"encoding/hex"
	"slices"
	"strconv"

	"google.golang.org/protobuf/reflect/protoreflect"

	"privpipe/pipelines/wire"
)

// A line's members follow from wire.proto, so that a new field needs no code here. Package protojson would do this too,
// but not for people. It writes 64-bit numbers as strings and hashes in base64. It leaves out everything that is 0, and
// knows nothing of gaps, cells and indices. There are 14 kinds of records in the test vectors, and only round_open and
// terms would not suffer.

// optional are the fields that a line has only if they are set; the same holds for lists. A line has other fields even
// if they are 0.
var optional = []protoreflect.Name{
	"run", "model", "unit", "vocabulary", "settings", "values", "symmetric", "user", "label", "size", "population",
	"epochs", "coins", "draws",
	"coupled", "grant", "record", "more", "factored", "plug_in",
}

// message returns a message's fields, in the order of wire.proto.
func (v Viewer) message(m protoreflect.Message) (o object) {
	decoded := v.decoded(m.Interface())
	fields := m.Descriptor().Fields()
	for i := range fields.Len() {
		f := fields.Get(i)
		shown, ok := decoded[f.Name()]
		switch {
		case ok && shown.value != nil:
			o = append(o, shown)
		case ok:
		case f.IsList() && m.Has(f):
			var all []any
			for i, list := 0, m.Get(f).List(); i < list.Len(); i++ {
				all = append(all, v.value(f, list.Get(i)))
			}
			o = append(o, member{f.Name(), all})
		case !f.IsList() && (m.Has(f) || !slices.Contains(optional, f.Name())):
			o = append(o, member{f.Name(), v.value(f, m.Get(f))})
		}
	}
	return o
}

// value returns a field's value, or one value from its list. Hashes are in hexadecimal.
func (v Viewer) value(f protoreflect.FieldDescriptor, x protoreflect.Value) any {
	switch f.Kind() {
	case protoreflect.MessageKind:
		return v.message(x.Message())
	case protoreflect.EnumKind:
		return f.Enum().Values().ByNumber(x.Enum()).Name()
	case protoreflect.BytesKind:
		return hex.EncodeToString(x.Bytes())
	case protoreflect.Fixed64Kind:
		return strconv.FormatUint(x.Uint(), 16)
	}
	return x.Interface()
}

// decoded returns the members that replace a message's gaps, cells, indices or pairs on a line. A member without a
// value is left out.
func (v Viewer) decoded(m any) map[protoreflect.Name]member {
	switch m := m.(type) {
	case *wire.Document:
		return map[protoreflect.Name]member{"word_gaps": {"words", v.words(m)}, "counts": {}, "values": {}}
	case *wire.Part:
		return map[protoreflect.Name]member{
			"matrix":      {"matrix", v.header.Matrices[m.Matrix].Name},
			"row_gaps":    {"rows", ids(m.RowGaps)},
			"column_gaps": {"columns", ids(m.ColumnGaps)},
			"values":      {"values", wire.AppendNumbers(nil, v.header.Matrices[m.Matrix], m)},
			"exponent":    {},
		}
	case *wire.Block:
		of := v.header.Matrices[m.Matrix]
		return map[protoreflect.Name]member{"matrix": {"matrix", of.Name},
			"values": {"values", numbers(of.Element, m.Values)}}
	case *wire.Members:
		var keys []string
		for key := range slices.Chunk(m.Keys, wire.KeySize) {
			keys = append(keys, hex.EncodeToString(key))
		}
		return map[protoreflect.Name]member{"keys": {"keys", keys}}
	case *wire.Parameters:
		scalars := make(map[string]float64)
		for _, s := range m.Scalars {
			scalars[s.Name] = s.Value
		}
		return map[protoreflect.Name]member{"scalars": {"scalars", scalars}}
	case *wire.Prediction:
		return map[protoreflect.Name]member{
			"probabilities": {"probabilities", numbers(wire.Element_FLOAT32, m.Probabilities)},
			"truth_gaps":    {"truth", ids(m.TruthGaps)},
		}
	}
	return nil
}

// words returns each word's count, or its value, by the word's id.
func (v Viewer) words(d *wire.Document) map[uint32]any {
	values := numbers(wire.Element_FLOAT32, d.Values).([]float32)
	words := make(map[uint32]any, len(d.WordGaps))
	for i, id := range wire.AppendIDs(nil, d.WordGaps) {
		if v.header.Values {
			words[id] = values[i]
		} else {
			words[id] = d.Counts[i]
		}
	}
	return words
}

func ids(gaps []uint32) any {
	if len(gaps) == 0 {
		return nil
	}
	return wire.AppendIDs(nil, gaps)
}

// numbers decodes a matrix's cells.
func numbers(e wire.Element, b []byte) any {
	var values any
	switch e {
	case wire.Element_FLOAT32:
		values = make([]float32, len(b)/4)
	case wire.Element_FLOAT64:
		values = make([]float64, len(b)/8)
	case wire.Element_INT64:
		values = make([]int64, len(b)/8)
	}
	binary.Decode(b, binary.LittleEndian, values)
	return values
}
