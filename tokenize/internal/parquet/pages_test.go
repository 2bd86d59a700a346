package parquet

import (
	"bytes"
	"hash/crc32"
	"math"
	"testing"

	"github.com/parquet-go/parquet-go/compress"
	"github.com/parquet-go/parquet-go/compress/gzip"
	"github.com/parquet-go/parquet-go/compress/snappy"
	"github.com/parquet-go/parquet-go/compress/zstd"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
)

// opened reads the first page of a column of one page. The header gets the size of the page.
func opened(t *testing.T, c Column, header format.PageHeader, codec format.CompressionCodec,
	content []byte) (*page, error) {
	t.Helper()
	header.CompressedPageSize = int32(len(content))
	b := append([]byte(magic), marshal(t, &header)...)
	b = append(b, content...)
	chunk := &format.ColumnChunk{MetaData: format.ColumnMetaData{
		Codec: codec, DataPageOffset: int64(len(magic)), TotalCompressedSize: int64(len(b) - len(magic)),
	}}
	p := new(pages)
	if err := p.open(bytes.NewReader(b), int64(len(b)), chunk); err != nil {
		return nil, err
	}
	return p.next(&c)
}

// TestBomb: a page must decompress to as many bytes as it claims.
func TestBomb(t *testing.T) {
	plain := make([]byte, 4<<20)
	for _, codec := range []compress.Codec{new(snappy.Codec), &gzip.Codec{Level: 9}, new(zstd.Codec)} {
		packed, err := codec.Encode(nil, plain)
		if err != nil {
			t.Fatal(err)
		}
		for claimed, want := range map[int32]error{
			int32(len(plain)): nil, int32(len(plain)) - 1: errPage, int32(len(plain)) + 1: errPage, 0: errPage,
		} {
			v1 := format.PageHeader{UncompressedPageSize: claimed,
				DataPageHeader: thrift.New(format.DataPageHeader{NumValues: 1})}
			if _, got := opened(t, Column{}, v1, codec.CompressionCodec(), packed); got != want {
				t.Errorf("%s: %d bytes claim to be %d: got %v, want %v", codec, len(plain), claimed, got, want)
			}
			v2 := format.PageHeader{Type: format.DataPageV2, UncompressedPageSize: claimed + 3}
			v2.DataPageHeaderV2 = thrift.New(format.DataPageHeaderV2{NumValues: 1, RepetitionLevelsByteLength: 1,
				DefinitionLevelsByteLength: 2})
			if _, got := opened(t, Column{}, v2, codec.CompressionCodec(),
				append([]byte{7, 7, 7}, packed...)); got != want {
				t.Errorf("%s: %d bytes claim to be %d, behind levels: got %v, want %v", codec, len(plain), claimed, got,
					want)
			}
		}
		for n := range min(len(packed), 100) {
			header := format.PageHeader{UncompressedPageSize: int32(len(plain))}
			if _, got := opened(t, Column{}, header, codec.CompressionCodec(), packed[:n]); got != errPage {
				t.Errorf("%s: the first %d bytes: %v", codec, n, got)
			}
		}
	}
}

// TestPageRefuses: what a page may claim, and what it may be.
func TestPageRefuses(t *testing.T) {
	const large = "a page of more than 256 MiB"
	text := Column{physical: format.ByteArray, definition: 1}
	v1 := func(h format.DataPageHeader) format.PageHeader {
		return format.PageHeader{DataPageHeader: thrift.New(h)}
	}
	v2 := func(h format.DataPageHeaderV2) format.PageHeader {
		return format.PageHeader{Type: format.DataPageV2, UncompressedPageSize: 9, DataPageHeaderV2: thrift.New(h)}
	}
	rle := format.DataPageHeader{DefinitionLevelEncoding: format.RLE}
	for _, c := range []struct {
		header  format.PageHeader
		content string
		want    string
	}{
		{v1(rle), "\x01\x00\x00\x00\x00", ""},
		{v1(rle), "\x02\x00\x00\x00\x00", errPage.Error()},
		{v1(rle), "\x01\x00", errPage.Error()},
		{v1(rle), "\xff\xff\xff\xff", errPage.Error()},
		{v1(format.DataPageHeader{DefinitionLevelEncoding: 4}), "\x01\x00\x00\x00\x00",
			"levels in the encoding BIT_PACKED, must be RLE"},
		{v1(format.DataPageHeader{NumValues: -1, DefinitionLevelEncoding: format.RLE}), "\x01\x00\x00\x00\x00",
			errPage.Error()},
		{v2(format.DataPageHeaderV2{DefinitionLevelsByteLength: 2}), "..", ""},
		{v2(format.DataPageHeaderV2{DefinitionLevelsByteLength: 3}), "..", errPage.Error()},
		{v2(format.DataPageHeaderV2{RepetitionLevelsByteLength: 3, DefinitionLevelsByteLength: -1}), "..",
			errPage.Error()},
		{v2(format.DataPageHeaderV2{NumValues: -1}), "..", errPage.Error()},
		{format.PageHeader{UncompressedPageSize: mostPage + 1}, "", large},
		{format.PageHeader{UncompressedPageSize: -1}, "", errPage.Error()},
		{format.PageHeader{Type: format.DictionaryPage}, "\x02\x00\x00\x00a", errPage.Error()},
	} {
		got := ""
		if _, err := opened(t, text, c.header, format.Uncompressed, []byte(c.content)); err != nil {
			got = err.Error()
		}
		if got != c.want {
			t.Errorf("%+v: got %q, want %q", c.header, got, c.want)
		}
	}
	for codec, want := range map[format.CompressionCodec]string{
		format.Brotli: "compressed by BROTLI: write it with Snappy, Zstandard, gzip or no compression",
		format.Lz4Raw: "compressed by LZ4_RAW: write it with Snappy, Zstandard, gzip or no compression",
	} {
		if _, err := opened(t, Column{}, format.PageHeader{}, codec, []byte("x")); err == nil || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	for kind, want := range map[format.Encoding]string{
		format.ByteStreamSplit:   "values in the encoding BYTE_STREAM_SPLIT, which is not supported",
		format.DeltaBinaryPacked: "values in the encoding DELTA_BINARY_PACKED, which is not supported",
	} {
		if _, err := (&page{encoding: kind}).strings(nil, 0); err == nil || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	for _, kind := range []format.Encoding{format.DeltaByteArray, format.DeltaLengthByteArray, format.RLEDictionary} {
		if _, err := (&page{encoding: kind, values: []byte{33, 1}}).strings(nil, 0); err != errPage {
			t.Errorf("%s: got %v", kind, err)
		}
		if values, err := (&page{encoding: kind}).strings(nil, 0); err != nil {
			t.Errorf("%s of nothing: got %v", kind, err)
		} else if s, ok := values.next(); ok {
			t.Errorf("%s of nothing has %q", kind, s)
		}
	}
}

func TestChecksum(t *testing.T) {
	content := []byte("\x03\x00\x00\x00abc")
	for crc, want := range map[uint32]error{0: nil, crc32.ChecksumIEEE(content): nil,
		crc32.ChecksumIEEE(content) + 1: errPage} {
		if _, err := opened(t, Column{}, format.PageHeader{CRC: int32(crc)}, format.Uncompressed,
			content); err != want {
			t.Errorf("%08x: got %v, want %v", crc, err, want)
		}
	}
}

// TestHeader: a page's header may have a value as its statistics, up to a limit.
func TestHeader(t *testing.T) {
	for size, want := range map[int]error{0: nil, 1 << 10: nil, 40 << 10: nil, mostHeader - 100: nil,
		mostHeader: errPage} {
		statistics := format.Statistics{MaxValue: make([]byte, size)}
		h := format.PageHeader{DataPageHeader: thrift.New(format.DataPageHeader{Statistics: statistics})}
		if _, err := opened(t, Column{}, h, format.Uncompressed, make([]byte, 2<<20)); err != want {
			t.Errorf("statistics of %d bytes: %v", size, err)
		}
	}
}

// TestLevels: a row begins at level 0, and no level exceeds that of a value.
func TestLevels(t *testing.T) {
	list := Column{physical: format.ByteArray, list: true, repetition: 1, definition: 2, nonempty: 1, Limit: 100}
	for _, c := range []struct {
		repetition, definition byte
		want                   error
	}{{0, 2, nil}, {1, 2, errDamaged}, {0, 3, errPage}} {
		r := reader{column: list, strings: &plainStrings{src: []byte("\x01\x00\x00\x00a")}, page: &page{
			left: 1, repetition: hybrid{src: []byte{2, c.repetition}, width: 1},
			definition: hybrid{src: []byte{2, c.definition}, width: 2},
		}}
		if got := r.row(new(Cell)); got != c.want {
			t.Errorf("%+v: got %v", c, got)
		}
	}
}

// TestByteStreamSplit reads what pyarrow writes of 1.5 and -2 as float, and bytes that are no numbers.
func TestByteStreamSplit(t *testing.T) {
	p := &page{encoding: format.ByteStreamSplit, values: []byte{0, 0, 0, 0, 0xc0, 0, 0x3f, 0xc0}}
	values, err := p.numbers(nil, format.Float)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []float32{1.5, -2} {
		if n, ok := values.next(); !ok || math.Float32frombits(uint32(n)) != want {
			t.Errorf("got bits %x, want %v", n, want)
		}
	}
	if n, ok := values.next(); ok {
		t.Errorf("one more number: %x", n)
	}
	for _, kind := range []format.Type{format.Double, format.Boolean} {
		p.values = p.values[:7]
		if _, err := p.numbers(nil, kind); err != errPage {
			t.Errorf("%v: got %v", kind, err)
		}
	}
	p.values = nil
	if values, err := p.numbers(nil, format.Float); err != nil {
		t.Error(err)
	} else if n, ok := values.next(); ok {
		t.Errorf("a number of nothing: %x", n)
	}
}
