package wire

import (
	"testing"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// TestUnknown: an unknown field is found in every message that the schema can nest in a record, whatever its size.
func TestUnknown(t *testing.T) {
	field := protowire.AppendVarint(protowire.AppendTag(nil, 100, protowire.VarintType), 1)
	tried := 0
	try := func(r *Record, in protoreflect.Message) {
		tried++
		in.SetUnknown(field)
		b, err := proto.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Decode(b); err != errNotCanonical {
			t.Errorf("unknown field in %s: %v", in.Descriptor().FullName(), err)
		}
		in.SetUnknown(nil)
		if b, err = proto.Marshal(r); err != nil {
			t.Fatal(err)
		}
		if _, err := Decode(b); err != nil {
			t.Errorf("%s without one: %v", in.Descriptor().FullName(), err)
		}
	}
	var walk func(r *Record, in protoreflect.Message)
	walk = func(r *Record, in protoreflect.Message) {
		try(r, in)
		fields := in.Descriptor().Fields()
		for i := range fields.Len() {
			f := fields.Get(i)
			if f.Kind() != protoreflect.MessageKind {
				continue
			}
			if f.IsList() {
				walk(r, in.Mutable(f).List().AppendMutable().Message())
			} else {
				walk(r, in.Mutable(f).Message())
			}
		}
	}
	r := new(Record)
	walk(r, r.ProtoReflect())
	if tried != 22 { // the record, its 15 bodies, and Matrix, Tally, Scheme twice, Part, Scalar
		t.Errorf("%d messages were tried", tried)
	}
}

// TestUnknownOfTheSameSize: a list that is not packed is shorter by two bytes than a packed one, which is room for an
// unknown field.
func TestUnknownOfTheSameSize(t *testing.T) {
	d := protowire.AppendString(protowire.AppendTag(nil, 1, protowire.BytesType), "a")
	for _, number := range []protowire.Number{4, 5} { // one word gap and one count, unpacked: a byte less each
		d = protowire.AppendVarint(protowire.AppendTag(d, number, protowire.VarintType), 1)
	}
	document := func(d []byte) []byte {
		return protowire.AppendBytes(protowire.AppendTag(nil, 4, protowire.BytesType), d)
	}
	if _, err := Decode(document(d)); err == nil {
		t.Error("two lists that are not packed are taken: the record below says nothing")
	}
	b := document(protowire.AppendVarint(protowire.AppendTag(d, 15, protowire.VarintType), 1))
	if r := new(Record); (proto.UnmarshalOptions{DiscardUnknown: true}).Unmarshal(b, r) != nil ||
		proto.Size(r) != len(b) {
		t.Fatal("the record is not as large as it encodes again")
	}
	if _, err := Decode(b); err != errNotCanonical {
		t.Errorf("unknown field of the same size: %v", err)
	}
}
