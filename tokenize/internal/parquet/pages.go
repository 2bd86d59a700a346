package parquet

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"fmt"
	"hash/crc32"
	"io"

	"github.com/klauspost/compress/snappy"
	"github.com/klauspost/compress/zstd"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
)

// Limits on memory. No file takes more memory than these say, whatever it claims.
const (
	mostHeader = 1 << 20   // bytes in a page's header, which may contain a value among its statistics
	mostPage   = 256 << 20 // bytes in a page, compressed or not; writers aim at 1 MiB
	mostWindow = 128 << 20 // bytes in a window of Zstandard
)

var errPage = fmt.Errorf("%w: a page", errDamaged)

// pages reads the pages of one column in one row group, one after the other. It holds scratch memory.
type pages struct {
	in         *bufio.Reader
	left       int64 // bytes that are not read yet
	codec      format.CompressionCodec
	dictionary *dictionary
	packed     []byte
	plain      bytes.Buffer
	gzip       *gzip.Reader
	zstd       *zstd.Decoder
}

// open begins with one column in one row group.
func (p *pages) open(in io.ReaderAt, size int64, chunk *format.ColumnChunk) error {
	meta := &chunk.MetaData
	at := meta.DataPageOffset
	if meta.DictionaryPageOffset != 0 {
		at = meta.DictionaryPageOffset
	}
	switch {
	case chunk.CryptoMetadata.Value != nil:
		return errEncrypted
	case chunk.FilePath != "" || at < int64(len(magic)) || meta.TotalCompressedSize < 0 ||
		at > size-meta.TotalCompressedSize:
		return errDamaged
	}
	section := io.NewSectionReader(in, at, meta.TotalCompressedSize)
	if p.in == nil {
		p.in = bufio.NewReaderSize(nil, mostHeader)
	}
	p.in.Reset(section)
	p.left, p.codec, p.dictionary = section.Size(), meta.Codec, nil
	return nil
}

// next returns the next data page, and io.EOF after the last.
func (p *pages) next(c *Column) (*page, error) {
	for p.left > 0 {
		header, err := p.header()
		if err != nil {
			return nil, err
		}
		if p.packed, err = p.take(int64(header.CompressedPageSize), p.packed); err != nil {
			return nil, err
		}
		claimed := int64(header.UncompressedPageSize)
		switch {
		// A checksum is optional.
		case claimed < 0, header.CRC != 0 && crc32.ChecksumIEEE(p.packed) != uint32(header.CRC):
			return nil, errPage
		case claimed > mostPage:
			return nil, errLarge
		}
		switch header.Type {
		case format.DictionaryPage:
			b, err := p.decompress(p.packed, claimed)
			if err != nil {
				return nil, err
			}
			if p.dictionary, err = newDictionary(b, c); err != nil {
				return nil, err
			}
		case format.DataPage:
			return p.version1(header, claimed, c)
		case format.DataPageV2:
			return p.version2(header, claimed, c)
		}
	}
	return nil, io.EOF
}

var errLarge = fmt.Errorf("a page of more than %d MiB", mostPage>>20)

// header reads a page's header.
func (p *pages) header() (*format.PageHeader, error) {
	for room := int64(1 << 10); ; room *= 32 {
		room = min(room, mostHeader, p.left)
		b, err := p.in.Peek(int(room))
		if err != nil {
			return nil, err
		}
		n, err := skim(b)
		if err != nil && room < min(mostHeader, p.left) {
			continue // perhaps the header is longer
		}
		if err != nil {
			return nil, errPage
		}
		header := new(format.PageHeader)
		if err := thrift.Unmarshal(new(thrift.CompactProtocol), b[:n], header); err != nil {
			return nil, errPage
		}
		p.in.Discard(n)
		p.left -= int64(n)
		return header, nil
	}
}

// take reads n bytes into the memory of b.
func (p *pages) take(n int64, b []byte) ([]byte, error) {
	switch {
	case n < 0 || n > p.left:
		return nil, errPage
	case n > mostPage:
		return nil, errLarge
	}
	if int64(cap(b)) < n {
		b = make([]byte, n)
	}
	b = b[:n]
	p.left -= n
	_, err := io.ReadFull(p.in, b)
	return b, err
}

// decompress returns a page's content, valid until the next page. It must have as many bytes as the page claims.
func (p *pages) decompress(b []byte, claimed int64) ([]byte, error) {
	var out io.Reader
	var err error
	switch p.codec {
	case format.Uncompressed:
		return b, nil
	case format.Snappy:
		if n, err := snappy.DecodedLen(b); err != nil || int64(n) != claimed {
			return nil, errPage
		}
		p.plain.Reset()
		p.plain.Grow(int(claimed))
		if b, err = snappy.Decode(p.plain.AvailableBuffer()[:claimed], b); err != nil {
			return nil, errPage
		}
		return b, nil
	case format.Gzip:
		if p.gzip == nil {
			p.gzip = new(gzip.Reader)
		}
		out, err = p.gzip, p.gzip.Reset(bytes.NewReader(b))
	case format.Zstd:
		if p.zstd == nil {
			if p.zstd, err = zstd.NewReader(nil, zstd.WithDecoderConcurrency(1),
				zstd.WithDecoderMaxWindow(mostWindow)); err != nil {
				return nil, err
			}
		}
		out, err = p.zstd, p.zstd.Reset(bytes.NewReader(b))
	default:
		return nil, fmt.Errorf("compressed by %s: write it with Snappy, Zstandard, gzip or no compression", p.codec)
	}
	p.plain.Reset()
	if err == nil {
		_, err = p.plain.ReadFrom(io.LimitReader(out, claimed+1))
	}
	if err != nil || int64(p.plain.Len()) != claimed {
		return nil, errPage
	}
	return p.plain.Bytes(), nil
}

func newDictionary(b []byte, c *Column) (*dictionary, error) {
	d := new(dictionary)
	if c.ofBytes() {
		for values := (plainStrings{b, c.length}); len(values.src) > 0; {
			s, ok := values.next()
			if !ok {
				return nil, errPage
			}
			d.strings = append(d.strings, s...)
			d.ends = append(d.ends, uint32(len(d.strings)))
		}
		return d, nil
	}
	for values := (plainNumbers{b, sizeOf(c.physical)}); len(values.src) > 0; {
		n, ok := values.next()
		if !ok {
			return nil, errPage
		}
		d.numbers = append(d.numbers, n)
	}
	return d, nil
}

// sizeOf returns the size of each number, in bytes.
func sizeOf(kind format.Type) int {
	if kind == format.Int32 || kind == format.Float {
		return 4
	}
	return 8
}
