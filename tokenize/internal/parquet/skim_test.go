package parquet

import (
	"bytes"
	"encoding/binary"
	"testing"

	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
)

// marshal encodes a structure in the compact protocol.
func marshal(t testing.TB, v any) []byte {
	t.Helper()
	b, err := thrift.Marshal(new(thrift.CompactProtocol), v)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// structures are encoded structures of each shape that Parquet has.
func structures(t testing.TB) [][]byte {
	header := &format.PageHeader{Type: format.DataPage, UncompressedPageSize: 1 << 20, CompressedPageSize: 1 << 30,
		CRC: -1}
	header.DataPageHeader = thrift.New(format.DataPageHeader{NumValues: 7,
		Statistics: format.Statistics{MinValue: []byte("a"), MaxValue: make([]byte, 300)}})
	v2 := &format.PageHeader{Type: format.DataPageV2}
	v2.DataPageHeaderV2 = thrift.New(format.DataPageHeaderV2{NumValues: 1 << 30, IsCompressed: thrift.New(false)})
	meta := &format.FileMetaData{Version: 2, NumRows: 3,
		Schema: []format.SchemaElement{{Name: "root", NumChildren: thrift.New(int32(20))}}}
	for range 20 { // more than 14 elements, so that their number takes a byte of its own
		meta.Schema = append(meta.Schema, format.SchemaElement{Name: "text", Type: thrift.New(format.ByteArray)})
		meta.KeyValueMetadata = append(meta.KeyValueMetadata, format.KeyValue{Key: "k", Value: "v"})
	}
	meta.RowGroups = []format.RowGroup{{NumRows: 3, Columns: []format.ColumnChunk{{MetaData: format.ColumnMetaData{
		Encoding: []format.Encoding{format.Plain, format.RLE}, PathInSchema: []string{"text"},
		TotalCompressedSize: 1 << 40,
	}}}}}
	return [][]byte{marshal(t, header), marshal(t, v2), marshal(t, meta)}
}

// TestSkim: the length is that of the structure, whatever follows, and no part of a structure is one.
func TestSkim(t *testing.T) {
	for i, b := range structures(t) {
		if n, err := skim(append(bytes.Clone(b), 0xff, 0xff)); err != nil || n != len(b) {
			t.Errorf("%d: got %d, %v, want %d", i, n, err, len(b))
		}
		for n := range b {
			if got, err := skim(b[:n]); err == nil {
				t.Errorf("%d: the first %d of %d bytes are a structure of %d", i, n, len(b), got)
			}
		}
	}
}

// TestSkimRefuses: what claims more than there is, before anybody makes room for it.
func TestSkimRefuses(t *testing.T) {
	nested := bytes.Repeat([]byte{0x1c}, 100)
	for name, b := range map[string][]byte{
		"list":      {0x19, 0xf5, 0xff, 0xff, 0xff, 0xff, 0x07, 0, 0},
		"set":       {0x1a, 0xfc, 0xff, 0xff, 0xff, 0xff, 0x07, 0, 0},
		"map":       {0x1b, 0xff, 0xff, 0xff, 0xff, 0x07, 0x55, 0, 0},
		"string":    {0x18, 0xff, 0xff, 0xff, 0xff, 0x07, 0, 0},
		"type 14":   {0x1e, 0},
		"number":    append(append([]byte{0x16}, bytes.Repeat([]byte{0xff}, 11)...), 0, 0),
		"nested":    append(nested, make([]byte, 101)...),
		"nothing":   {},
		"list of 0": {0x19, 0x20, 0, 0, 0}, // type 0 has no values
	} {
		if n, err := skim(b); err == nil {
			t.Errorf("%s: got %d, want a refusal", name, n)
		}
	}
}

// TestSkimListed: a structure in a list takes a byte here, and hundreds in memory.
func TestSkimListed(t *testing.T) {
	const half = mostListed / 2
	lists := func(sizes ...int) []byte {
		var b []byte
		for _, n := range sizes {
			// a field, a list of structures, all empty
			b = append(binary.AppendUvarint(append(b, 0x19, 0xfc), uint64(n)), make([]byte, n)...)
		}
		return append(b, 0)
	}
	for _, c := range []struct {
		b    []byte
		want error
	}{
		{lists(mostListed), nil}, {lists(half, half), nil}, {lists(mostListed + 1), errMany},
		{lists(half, half, 1), errMany},
	} {
		if n, err := skim(c.b); err != c.want || err == nil && n != len(c.b) {
			t.Errorf("%d bytes: got %d, %v, want %v", len(c.b), n, err, c.want)
		}
	}
}

// FuzzSkim: what the library decodes to the end is a structure, of the same length, unless it nests too deep.
func FuzzSkim(f *testing.F) {
	for _, b := range structures(f) {
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		n, err := skim(b)
		if err != nil {
			return
		}
		if n < 1 || n > len(b) {
			t.Fatalf("%x: length %d", b, n)
		}
		if again, err := skim(b[:n]); err != nil || again != n {
			t.Errorf("%x: %d, %v of its first %d bytes", b, again, err, n)
		}
		reader := new(thrift.CompactProtocol).NewReaderFromBytes(b)
		if err := thrift.NewDecoder(reader).Decode(new(format.PageHeader)); err == nil && reader.BytesRead() != n {
			t.Errorf("%x: %d bytes, and the library says %d", b, n, reader.BytesRead())
		}
	})
}
