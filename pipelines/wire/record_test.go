package wire

import (
	"bytes"
	"math"
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
)

func document(d *Document) *Record { return &Record{Body: &Record_Document{Document: d}} }

func aSum() *Sum {
	return &Sum{Grant: "g", Grid: 0.5, Clip: 4, Bounds: []float64{1, 0.25},
		Settings: []byte("as many bytes as SHA-256 has: 32")}
}

func TestAppendDecodeRoundTrip(t *testing.T) {
	records := []*Record{
		document(&Document{Id: "a", User: "u", Label: "l", WordGaps: []uint32{0, 1, 300},
			Counts: []uint32{1, 2, 70000}}),
		{Round: 7, Body: &Record_RoundClose{RoundClose: &RoundClose{Units: 1, Records: 2, UnitDigest: math.MaxUint64}}},
		{Body: &Record_Score{Score: &Score{Id: "x", Bound: -1.5, Tokens: 3}}},
		{Round: 1, Body: &Record_Members{Members: &Members{Keys: []byte("sixteen bytes...")}}},
		{Round: 1, Body: &Record_Sum{Sum: aSum()}},
		{Body: &Record_Terms{Terms: &Terms{Id: "a", User: "u", Words: []string{"ä", "b"}}}},
		{Body: &Record_End{End: &End{}}},
	}
	for _, want := range records {
		b, err := Append([]byte("before"), want)
		if err != nil {
			t.Fatal(err)
		}
		size, prefix := protowire.ConsumeVarint(b[6:])
		if int(size) != len(b)-6-prefix {
			t.Errorf("length %d of a record of %d bytes", size, len(b)-6-prefix)
		}
		got, err := Decode(b[6+prefix:])
		if err != nil || !proto.Equal(got, want) {
			t.Errorf("got %v, %v, want %v", got, err, want)
		}
	}
}

func TestAppendRefusesLargeRecords(t *testing.T) {
	if _, err := Append(nil, document(&Document{Id: strings.Repeat("x", MaxRecord)})); err == nil {
		t.Error("a record over the limit was encoded")
	}
}

// TestDecodeRefuses has encodings that protobuf accepts and this wire does not.
func TestDecodeRefuses(t *testing.T) {
	body := func(fields ...[]byte) []byte { // a Document record of these encoded fields
		d := slices.Concat(fields...)
		return slices.Concat([]byte{0x22}, protowire.AppendBytes(nil, d))
	}
	id := []byte{0x0a, 1, 'a'}
	for name, b := range map[string][]byte{
		"unknown field of the record":   slices.Concat(body(id), []byte{0x78, 1}),
		"unknown field of the document": body(id, []byte{0x78, 1}),
		"field twice":                   body(id, id),
		"padded varint":                 body(id, []byte{0x22, 2, 0x81, 0x00, 0x2a, 1, 1}),
		"default value":                 body(id, []byte{0x1a, 0}),
		"two bodies":                    slices.Concat(body(id), body(id)),
		"not UTF-8":                     body([]byte{0x0a, 1, 0xff}),
		"cut":                           body(id)[:3],
		"wrong wire type":               {0x20, 1},
	} {
		if r, err := Decode(b); err == nil {
			t.Errorf("%s: decoded as %v", name, r)
		}
	}
	if _, err := Decode(body(id)); err != nil {
		t.Errorf("the record that the others break is refused: %v", err)
	}
}

func TestGaps(t *testing.T) {
	ids := []uint32{0, 1, 5, 100, 1 << 24}
	gaps := AppendGaps(nil, ids)
	if want := []uint32{0, 1, 4, 95, 1<<24 - 100}; !slices.Equal(gaps, want) {
		t.Errorf("gaps %v, want %v", gaps, want)
	}
	if got := AppendIDs(nil, gaps); !slices.Equal(got, ids) {
		t.Errorf("back to %v, want %v", got, ids)
	}
}

// TestUnitName pins SPEC.md §2.3: names of users and documents never meet.
func TestUnitName(t *testing.T) {
	both, alone := &Document{Id: "u", User: "x"}, &Document{Id: "x"}
	for _, c := range []struct {
		unit Unit
		d    *Document
		want string
	}{
		{Unit_DOCUMENT, both, "u"},
		{Unit_USER, both, "user/x"},
		{Unit_USER, alone, "document/x"},
	} {
		if got := UnitName(c.unit, c.d); got != c.want {
			t.Errorf("unit %v of %v is %q, want %q", c.unit, c.d, got, c.want)
		}
	}
}

// TestUnitDigest pins the digest: XXH64, seed 0. Values from the reference implementation, xxHash 0.8.2 (`xxhsum -H1`).
func TestUnitDigest(t *testing.T) {
	for name, want := range map[string]uint64{
		"":    0xef46db3751d8e999,
		"a":   0xd24ec4f1a98c6e5b,
		"abc": 0x44bc2cf5ad770999,
	} {
		if got := UnitDigest(name); got != want {
			t.Errorf("digest of %q is %x, want %x", name, got, want)
		}
	}
}

func FuzzDecode(f *testing.F) {
	for _, r := range []*Record{
		document(&Document{Id: "a", WordGaps: []uint32{1, 2}, Counts: []uint32{1, 1}}),
		{Round: 1, Body: &Record_RoundOpen{RoundOpen: &RoundOpen{Scheme: &Scheme{Method: Scheme_POISSON, Rate: 0.5,
			Rounds: 2}}}},
		{Round: 1, Body: &Record_Contribution{Contribution: &Contribution{Unit: "a",
			Parts: []*Part{{Values: make([]byte, 8)}}}}},
		{Round: 1, Body: &Record_Contribution{Contribution: &Contribution{
			Unit: "a", Parts: []*Part{{Matrix: 1, RowGaps: []uint32{0}, ColumnGaps: []uint32{0, 1},
				Values: make([]byte, 8)}},
		}}},
		{Round: 1, Body: &Record_Members{Members: &Members{Keys: []byte("sixteen bytes...and sixteen more")}}},
		{Round: 1, Body: &Record_Sum{Sum: aSum()}},
		{Body: &Record_Terms{Terms: &Terms{Id: "a", Words: []string{"b", "c"}}}},
	} {
		b, err := proto.Marshal(r)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	h := &Header{
		Version: Version, Kind: Kind_CONTRIBUTIONS, Side: Side_PRIVATE, VocabularySize: 10,
		Matrices: []*Matrix{
			{Name: "m", Rows: 1, Columns: 2, Element: Element_FLOAT32},
			{Name: "s", Rows: 2, Columns: 2, Element: Element_FLOAT32, Symmetric: true},
		},
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		r, err := Decode(b)
		if err != nil {
			return
		}
		_ = Check(h, r) // must not panic, whatever the record
		again, err := proto.MarshalOptions{Deterministic: true}.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		if len(again) != len(b) {
			t.Errorf("%x encodes again to %d bytes, not %d", b, len(again), len(b))
		}
		back, err := Decode(again)
		if err != nil || !proto.Equal(back, r) {
			t.Errorf("%x decodes to %v, and again to %v, %v", b, r, back, err)
		}
	})
}

func TestRecordsHoldNoPointersIntoTheInput(t *testing.T) {
	b, err := Append(nil, &Record{Round: 1, Body: &Record_Block{Block: &Block{Values: []byte("12345678")}}})
	if err != nil {
		t.Fatal(err)
	}
	r, err := Decode(b[1:])
	if err != nil {
		t.Fatal(err)
	}
	clear(b)
	if !bytes.Equal(r.GetBlock().Values, []byte("12345678")) {
		t.Error("a record changed with the buffer it was decoded from")
	}
}
