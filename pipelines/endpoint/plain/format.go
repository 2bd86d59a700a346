package plain

import (
	"bytes"
	"compress/bzip2"
	"compress/gzip"
	"io"

	"github.com/klauspost/compress/zstd"
	"github.com/mikelolasagasti/xz"
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/encoding/unicode/utf32"

	"privpipe/pipelines/exit"
)

// A format is a file format that can be recognized by the first bytes.
type format struct {
	name   string
	magics []magic
	open   func(io.Reader) (io.ReadCloser, error) // decompresses; nil: not a compression that this package reads
	// decodes a text with a byte order mark; a format with neither open nor decode is refused
	decode encoding.Encoding
	hint   string // how to convert a refused format
}

// A magic is a byte string at an offset in a file. If mask is not empty, only the mask's bits are compared.
type magic struct {
	at          int
	value, mask string
}

// Each magic has bytes that no UTF-8 text has, or control characters that begin no text. Byte order marks are the
// exception.
var formats = []*format{
	{name: "gzip", magics: []magic{{value: "\x1f\x8b"}}, open: openGzip}, // RFC 1952, §2.3.1
	// The level digit comes first. Then comes the first block (π in BCD), or in an empty file the end (√π).
	{name: "bzip2", open: openBzip2, magics: []magic{
		{value: "BZh0\x31\x41\x59\x26\x53\x59", mask: "\xff\xff\xff\xf0\xff\xff\xff\xff\xff\xff"},
		{value: "BZh0\x17\x72\x45\x38\x50\x90", mask: "\xff\xff\xff\xf0\xff\xff\xff\xff\xff\xff"}}},
	{name: "xz", magics: []magic{{value: "\xfd7zXZ\x00"}}, open: openXZ}, // The .xz File Format 1.2.1, §2.1.1.1
	// RFC 8878, §3.1.1, and the skippable frames in §3.1.2. Parallel compressors begin with such a frame.
	{name: "Zstandard", open: openZstandard, magics: []magic{
		{value: "\x28\xb5\x2f\xfd"}, {value: "\x50\x2a\x4d\x18", mask: "\xf0\xff\xff\xff"}}},

	{name: "a tar archive", magics: []magic{{at: 257, value: "ustar"}}, hint: unpack}, // POSIX.1-2017, pax
	{name: "a zip archive", magics: []magic{{value: "PK\x03\x04"}, {value: "PK\x05\x06"}, {value: "PK\x07\x08"}},
		hint: unpack + "; of Word, Excel or OpenDocument: " + save},
	{name: "a 7z archive", magics: []magic{{value: "7z\xbc\xaf\x27\x1c"}}, hint: unpack},
	{name: "a rar archive", magics: []magic{{value: "Rar!\x1a\x07"}}, hint: unpack},
	{name: "compressed by lz4", magics: []magic{{value: "\x04\x22\x4d\x18"}}, hint: decompress},
	{name: "compressed by lzip", magics: []magic{{value: "LZIP\x01"}}, hint: decompress},
	{name: "compressed by lzma", magics: []magic{{value: "\x5d\x00\x00"}}, hint: decompress},
	{name: "compressed by compress (.Z)", magics: []magic{{value: "\x1f\x9d"}}, hint: decompress},
	{name: "UTF-32", magics: []magic{{value: "\xff\xfe\x00\x00"}, {value: "\x00\x00\xfe\xff"}},
		decode: utf32.UTF32(utf32.LittleEndian, utf32.ExpectBOM)},
	{name: "UTF-16", magics: []magic{{value: "\xff\xfe"}, {value: "\xfe\xff"}},
		decode: unicode.UTF16(unicode.LittleEndian, unicode.ExpectBOM)},

	// The first bytes that the tools of PDF, Arrow, Microsoft, SQLite, NumPy, HDF5, Avro and Python write.
	{name: "PDF", magics: []magic{{value: "%PDF-"}}, hint: "pdftotext makes a text of it"},
	{name: "PostScript", magics: []magic{{value: "%!PS"}}, hint: "ps2ascii makes a text of it"},
	{name: "Parquet", magics: []magic{{value: "PAR1\x15"}, {value: "PARE\x15"}},
		hint: "tokenize text and tokenize rows read it by --format parquet, or as a file whose name ends in .parquet"},
	{name: "Feather (Arrow IPC)",
		magics: []magic{{value: "ARROW1\x00\x00"}, {value: "FEA1\x00"}, {value: "\xff\xff\xff\xff"}},
		hint:   pandas + "read_feather(…).to_parquet(…)"},
	{name: "a Word, Excel or Outlook file", magics: []magic{{value: "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"}}, hint: save},
	{name: "RTF", magics: []magic{{value: "{\\rtf"}}, hint: save},
	{name: "an SQLite database", magics: []magic{{value: "SQLite format 3\x00"}},
		hint: "sqlite3 -header -csv FILE 'SELECT …' writes CSV"},
	{name: "a NumPy array", magics: []magic{{value: "\x93NUMPY"}},
		hint: "write texts as JSON Lines; tokenize vectors reads arrays, by --format npy or the name .npy"},
	{name: "HDF5", magics: []magic{{value: "\x89HDF\r\n\x1a\n"}}, hint: pandas + "read_hdf(…).to_parquet(…)"},
	{name: "Avro", magics: []magic{{value: "Obj\x01"}}, hint: "tokenize reads it by --format avro or the name .avro"},
	{name: "a pickle of Python",
		magics: []magic{{value: "\x80\x02"}, {value: "\x80\x03"}, {value: "\x80\x04"}, {value: "\x80\x05"}},
		hint:   pandas + "read_pickle(…).to_parquet(…)"},
}

const (
	unpack     = "unpack it, and name the files that were in it, or their folder"
	save       = "save it as text or as CSV"
	pandas     = "write it as Parquet: pandas."
	decompress = "decompress it first; gzip, bzip2, xz and zstd are decompressed here"
)

// headBytes is how many first bytes are enough to recognize each format.
const headBytes = 512

// formatOf recognizes a format by head, the first bytes of the file; nil means none of formats. whole says that head is
// the whole file. undecided says that more bytes are needed.
func formatOf(head []byte, whole bool) (found *format, undecided bool) {
	for _, f := range formats {
		for _, m := range f.magics {
			switch is, may := m.match(head); {
			case is:
				return f, false
			case may && !whole:
				return nil, true
			}
		}
	}
	return nil, false
}

// match says whether the file has the magic, or may have it once more bytes are read.
func (m magic) match(head []byte) (is, may bool) {
	// A text may have such bytes in the middle. But a tar archive's head is padded with zero bytes.
	if m.at > 0 && bytes.IndexByte(head, 0) < 0 {
		return false, len(head) == 0
	}
	there := head[min(m.at, len(head)):]
	for i := range min(len(m.value), len(there)) {
		b := there[i]
		if m.mask != "" {
			b &= m.mask[i]
		}
		if b != m.value[i] {
			return false, false
		}
	}
	return len(there) >= len(m.value), len(there) < len(m.value)
}

// refuse returns the error for a text in this format. within names the surrounding compression, or is empty.
func (f *format) refuse(name, within string) error {
	if f.open != nil {
		return exit.Errorf(exit.Malformed, "%s: compressed twice, by %s%s", name, f.name, within).
			WithHint("decompress it once")
	}
	return exit.Errorf(exit.Malformed, "%s: %s%s, must be a text in UTF-8", name, f.name, within).WithHint("%s", f.hint)
}

// These limits say how far back compressed data may refer, in bytes. mostDictionary is twice the dictionary of xz -9.
// mostWindow is the window of zstd --long=31, the largest that zstd has. A decoder's memory grows only as data fills
// its window.
const (
	mostDictionary = 128 << 20
	mostWindow     = 2 << 30
)

func openGzip(in io.Reader) (io.ReadCloser, error) { return gzip.NewReader(in) }

func openBzip2(in io.Reader) (io.ReadCloser, error) { return io.NopCloser(bzip2.NewReader(in)), nil }

func openXZ(in io.Reader) (io.ReadCloser, error) {
	z, err := xz.NewReader(in, mostDictionary)
	if err != nil {
		return nil, err
	}
	return io.NopCloser(z), nil
}

func openZstandard(in io.Reader) (io.ReadCloser, error) {
	z, err := zstd.NewReader(in, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
		zstd.WithDecoderMaxWindow(mostWindow))
	if err != nil {
		return nil, err
	}
	return z.IOReadCloser(), nil
}
