package wire

import (
	"bytes"
	"encoding/binary"
	"math"
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"
)

// hotRecords are documents and contributions with each field set and not set, and numbers of all lengths.
func hotRecords() []*Record {
	numbers := []uint32{0, 1, 0x7f, 0x80, 0x3fff, 0x4000, 1 << 21, 1 << 28, math.MaxUint32}
	many := slices.Repeat([]uint32{1}, 300)
	contribution := func(round uint32, c *Contribution) *Record {
		return &Record{Round: round, Body: &Record_Contribution{Contribution: c}}
	}
	records := []*Record{
		document(&Document{Id: "a"}),
		document(&Document{Id: "a", User: "ü", Label: "l", WordGaps: numbers, Counts: many}),
		document(&Document{Id: "a", WordGaps: many, Values: make([]byte, 1200)}),
		{Round: math.MaxUint32, Body: &Record_Document{Document: &Document{Id: "a", User: "u"}}},
		contribution(1, &Contribution{Unit: "u"}),
		contribution(0, &Contribution{Unit: "user/ü", Record: "r", More: true, Parts: []*Part{{Matrix: 1}}}),
		contribution(70_000, &Contribution{Unit: "u", Parts: []*Part{
			{RowGaps: numbers, ColumnGaps: many, Values: []byte("12345678")},
			{Matrix: 300, Values: make([]byte, 100_000), Factored: true},
			{Matrix: 301, RowGaps: []uint32{3}},
			{Matrix: 302, Values: []byte("12"), Exponent: -15},
			{Matrix: 303, Factored: true, Exponent: math.MinInt32},
			{Matrix: 304, Exponent: math.MaxInt32},
		}}),
	}
	for k := range 20 { // one number of two bytes among numbers of one byte, at each place
		list := slices.Repeat([]uint32{1}, 20)
		list[k] = 300
		records = append(records, document(&Document{Id: "a", WordGaps: list[:k+1], Counts: list}))
	}
	return records
}

// byProtobuf is Decode without the faster way.
func byProtobuf(b []byte) (*Record, error) {
	r := new(Record)
	if err := proto.Unmarshal(b, r); err != nil {
		return nil, err
	}
	if r.unknown() || proto.Size(r) != len(b) {
		return nil, errNotCanonical
	}
	return r, nil
}

// TestHot sees that documents and contributions are read and written without protobuf, with the bytes and the values
// that it has.
func TestHot(t *testing.T) {
	for _, r := range hotRecords() {
		want, err := proto.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		got, ok := appendHot([]byte("before"), r)
		if !ok || !bytes.Equal(got[6:], want) || !bytes.HasPrefix(got, []byte("before")) {
			t.Errorf("%v is encoded as %x, by protobuf as %x", r, got[6:], want)
		}
		for _, reuse := range []bool{false, true} {
			d := &Decoder{Reuse: reuse}
			back := d.hot(want)
			if more := r.GetContribution().GetMore(); more != (back == nil) {
				t.Errorf("%v, reuse %v: read without protobuf is %v", r, reuse, back != nil)
			} else if !more && !proto.Equal(back, r) {
				t.Errorf("%v is read as %v", r, back)
			}
		}
	}
	for _, r := range []*Record{{Body: &Record_End{End: &End{Records: 1}}}, {Round: 3}, {}} {
		b, err := proto.Marshal(r)
		if err != nil || new(Decoder).hot(b) != nil {
			t.Errorf("%v, %v: read as a document or a contribution", r, err)
		}
		if _, ok := appendHot(nil, r); ok {
			t.Errorf("%v: written as a document or a contribution", r)
		}
	}
}

// TestHotLeavesToProtobuf has records that protobuf refuses, or would write in another way.
func TestHotLeavesToProtobuf(t *testing.T) {
	unknown := []byte{0x78, 1}
	for name, r := range map[string]*Record{
		"record":   {Body: document(&Document{Id: "a"}).Body, unknownFields: unknown},
		"document": document(&Document{Id: "a", unknownFields: unknown}),
		"contribution": {Body: &Record_Contribution{Contribution: &Contribution{Unit: "u",
			unknownFields: unknown}}},
		"part": {Body: &Record_Contribution{Contribution: &Contribution{Unit: "u",
			Parts: []*Part{{unknownFields: unknown}}}}},
		"id":                document(&Document{Id: "\xff"}),
		"user":              document(&Document{Id: "a", User: "\xff"}),
		"label":             document(&Document{Id: "a", Label: "\xff"}),
		"unit":              {Body: &Record_Contribution{Contribution: &Contribution{Unit: "\xff"}}},
		"name of a record":  {Body: &Record_Contribution{Contribution: &Contribution{Unit: "u", Record: "\xff"}}},
		"no document":       document(nil),
		"no contribution":   {Body: &Record_Contribution{}},
		"part that is none": {Body: &Record_Contribution{Contribution: &Contribution{Unit: "u", Parts: []*Part{nil}}}},
	} {
		if _, ok := appendHot(nil, r); ok {
			t.Errorf("%s: written without protobuf", name)
		}
	}
}

// TestReuse: with Reuse a record is valid until the next one, and without Reuse for good. No field of one record is
// left in the next.
func TestReuse(t *testing.T) {
	var encoded [][]byte
	for _, r := range hotRecords() {
		b, err := proto.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		encoded = append(encoded, b)
	}
	encoded = append(encoded, slices.Clone(encoded)...)
	slices.Reverse(encoded[len(encoded)/2:])
	keep, reuse := new(Decoder), &Decoder{Reuse: true}
	var kept []*Record
	for _, b := range encoded {
		want, err := byProtobuf(b)
		if err != nil {
			t.Fatal(err)
		}
		message := slices.Clone(b)
		got, err := reuse.Decode(message)
		if err != nil || !proto.Equal(got, want) {
			t.Errorf("memory used again: got %v, %v, want %v", got, err, want)
		}
		if got, err = keep.Decode(message); err != nil {
			t.Fatal(err)
		}
		kept = append(kept, got)
		clear(message)
	}
	for i, r := range kept {
		if want, err := byProtobuf(encoded[i]); err != nil || !proto.Equal(r, want) {
			t.Errorf("record %d changed to %v, was %v", i, r, want)
		}
	}
}

// FuzzHot compares the reader and the writer of documents and contributions with protobuf, on any bytes. The reader
// returns the values that protobuf reads, and protobuf would write the same bytes. Decode and Check accept or refuse
// any bytes just as they do with protobuf's message.
func FuzzHot(f *testing.F) {
	for _, r := range hotRecords() {
		b, err := proto.Marshal(r)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
		f.Add(b[:len(b)-1])
		f.Add(append(slices.Clone(b), 0))
		f.Add(append(slices.Clone(b), b...))
	}
	for _, b := range notCanonical() {
		f.Add(b)
	}
	before := &Decoder{Reuse: true}
	f.Fuzz(func(t *testing.T, b []byte) {
		for name, d := range map[string]*Decoder{"fresh": new(Decoder), "again": before} {
			want, wantErr := byProtobuf(b)
			if r := d.hot(b); r != nil {
				if wantErr != nil || !proto.Equal(r, want) {
					t.Fatalf("%s: %x is read as %v, by protobuf as %v, %v", name, b, r, want, wantErr)
				}
				if again, err := (proto.MarshalOptions{Deterministic: true}).Marshal(r); err != nil ||
					!bytes.Equal(again, b) {
					t.Fatalf("%s: %x is not canonical: protobuf writes %x, %v", name, b, again, err)
				}
			}
			got, err := d.Decode(b)
			if (err == nil) != (wantErr == nil) || err == nil && !proto.Equal(got, want) {
				t.Fatalf("%s: %x is read as %v, %v, by protobuf as %v, %v", name, b, got, err, want, wantErr)
			}
		}
		r, err := byProtobuf(b)
		if err != nil {
			return
		}
		if got, ok := appendHot(nil, r); ok {
			if want, err := proto.Marshal(r); err != nil || !bytes.Equal(got, want) {
				t.Fatalf("%v is written as %x, by protobuf as %x, %v", r, got, want, err)
			}
		}
	})
}

// notCanonical are encodings of documents and contributions other than the canonical one, each wrong in one place. Some
// are valid for protobuf.
func notCanonical() map[string][]byte {
	body := func(tag byte, fields ...[]byte) []byte {
		content := slices.Concat(fields...)
		return slices.Concat([]byte{tag, byte(len(content))}, content)
	}
	id, unit := []byte{tagID, 1, 'a'}, []byte{tagUnit, 1, 'a'}
	part := func(fields ...[]byte) []byte { return body(tagContribution, unit, body(tagPart, fields...)) }
	return map[string][]byte{
		"round 0": slices.Concat([]byte{tagRound, 0}, body(tagDocument, id)),
		"round of 33 bits": slices.Concat([]byte{tagRound, 0x80, 0x80, 0x80, 0x80, 0x10},
			body(tagDocument, id)),
		"padded round":               slices.Concat([]byte{tagRound, 0x81, 0}, body(tagDocument, id)),
		"round after the body":       slices.Concat(body(tagDocument, id), []byte{tagRound, 1}),
		"document twice":             slices.Concat(body(tagDocument, id), body(tagDocument, id)),
		"document and contribution":  slices.Concat(body(tagDocument, id), body(tagContribution, unit)),
		"byte after the body":        slices.Concat(body(tagDocument, id), []byte{0}),
		"body beyond the record":     body(tagDocument, id)[:4],
		"longer body than the rest":  {tagDocument, 4, tagID, 1, 'a'},
		"no length":                  {tagDocument},
		"length without its end":     {tagDocument, 0x80},
		"length of 64 bits":          {tagDocument, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1},
		"padded length":              slices.Concat([]byte{tagDocument, 0x83, 0}, id),
		"empty document":             {tagDocument, 0},
		"id twice":                   body(tagDocument, id, id),
		"empty id":                   body(tagDocument, []byte{tagID, 0}),
		"id is not UTF-8":            body(tagDocument, []byte{tagID, 1, 0xff}),
		"user is not UTF-8":          body(tagDocument, id, []byte{tagUser, 1, 0xff}),
		"label is not UTF-8":         body(tagDocument, id, []byte{tagLabel, 1, 0xff}),
		"user before the id":         body(tagDocument, []byte{tagUser, 1, 'u'}, id),
		"list that is not packed":    body(tagDocument, id, []byte{4 << 3, 1, 4 << 3, 1}),
		"list in two pieces":         body(tagDocument, id, []byte{tagWordGaps, 1, 1, tagWordGaps, 1, 1}),
		"empty list":                 body(tagDocument, id, []byte{tagWordGaps, 0}),
		"number of 33 bits":          body(tagDocument, id, []byte{tagWordGaps, 5, 0x80, 0x80, 0x80, 0x80, 0x10}),
		"padded number":              body(tagDocument, id, []byte{tagWordGaps, 2, 0x81, 0}),
		"number without its end":     body(tagDocument, id, []byte{tagWordGaps, 2, 1, 0x80}),
		"unknown field":              body(tagDocument, id, []byte{0x78, 1}),
		"unknown field of a part":    part([]byte{tagFactored, 1, 0x78, 1}),
		"matrix 0":                   part([]byte{tagMatrix, 0}),
		"factored 0":                 part([]byte{tagFactored, 0}),
		"factored 2":                 part([]byte{tagFactored, 2}),
		"padded number in a part":    part([]byte{tagRowGaps, 2, 0x81, 0}),
		"byte after the part's rest": part([]byte{tagMatrix, 1, 0}),
		"empty part":                 part(),
		"part after more": body(tagContribution, unit, []byte{tagMore, 1},
			body(tagPart, []byte{tagMatrix, 1})),
		"more 0":              body(tagContribution, unit, []byte{tagMore, 0}),
		"unit is not UTF-8":   body(tagContribution, []byte{tagUnit, 1, 0xff}),
		"record is not UTF-8": body(tagContribution, unit, []byte{tagRecord, 1, 0xff}),
	}
}

// TestNotCanonical sees that what is not canonical is left to protobuf, and that Decode says what protobuf says.
func TestNotCanonical(t *testing.T) {
	for name, b := range notCanonical() {
		for _, reuse := range []bool{false, true} {
			d := &Decoder{Reuse: reuse}
			if r := d.hot(b); r != nil {
				t.Errorf("%s: %x is read as %v without protobuf", name, b, r)
			}
			want, wantErr := byProtobuf(b)
			if got, err := d.Decode(b); (err == nil) != (wantErr == nil) || !proto.Equal(got, want) {
				t.Errorf("%s: got %v, %v, want %v, %v", name, got, err, want, wantErr)
			}
		}
	}
}

// TestAppendDocumentRecord: a document that was encoded before gives the record that Append gives, up to the largest
// one.
func TestAppendDocumentRecord(t *testing.T) {
	records := []*Record{
		document(&Document{Id: strings.Repeat("x", MaxRecord-binary.MaxVarintLen32-8)}), // the largest
		document(&Document{Id: strings.Repeat("x", MaxRecord-binary.MaxVarintLen32-7)}),
	}
	for _, r := range append(records, hotRecords()...) {
		if r.GetDocument() == nil {
			continue
		}
		want, wantErr := Append([]byte("before"), r)
		encoded, err := AppendDocument([]byte("before"), r.GetDocument())
		if err != nil || !bytes.HasPrefix(encoded, []byte("before")) {
			t.Fatal(err)
		}
		got, err := AppendDocumentRecord([]byte("before"), r.Round, encoded[6:])
		if err != wantErr || !bytes.Equal(got, want) {
			t.Errorf("a document of %d bytes in round %d: got %d bytes, %v, want %d, %v", len(encoded), r.Round,
				len(got), err, len(want), wantErr)
		}
	}
	if _, err := Append(nil, records[0]); err != nil {
		t.Errorf("the largest record: %v", err)
	}
	if _, err := Append(nil, records[1]); err != ErrTooLarge {
		t.Errorf("a record beyond it: %v", err)
	}
	if _, err := AppendDocument(nil, &Document{Id: "\xff"}); err == nil {
		t.Error("an id that is not UTF-8 was encoded")
	}
}
