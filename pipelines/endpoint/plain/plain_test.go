package plain_test

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/iotest"

	"github.com/klauspost/compress/zstd"

	"privpipe/pipelines/endpoint"
	"privpipe/pipelines/endpoint/plain"
	"privpipe/pipelines/exit"
	"privpipe/pipelines/wire"
)

const marker = "MARKER" // of private text, that no message may have

var text = strings.Repeat(marker+"\n", 1000)

// packed is text, compressed by each program.
func packed(t *testing.T) map[string][]byte {
	t.Helper()
	encoder, err := zstd.NewWriter(nil, zstd.WithEncoderCRC(true))
	if err != nil {
		t.Fatal(err)
	}
	return map[string][]byte{
		"gz":  []byte(gzipped(text)),
		"zst": encoder.EncodeAll([]byte(text), nil),
		// By bzip2 1.0.8, and in two blocks by xz 5.4.1 --block-size=4000 --lzma2=dict=4KiB: Go's own library has no
		// writer of them.
		"bz2": decoded(t, "QlpoOTFBWSZTWXP/UuUACcPGAAAQIgoQACAAUGACaqjPU1SDVINUg/qQcqQapBqkHhdyRThQkHP/UuU="),
		"xz":  decoded(t, "/Td6WFoAAATm1rRGAgAhAQAAAAA3J5fW4A+fACJdACaQRoovRNBFviHXMLEiUzv3XwNgyexTSd2ZfhLbWow48AAAAADkY+KDpW9n1AIAIQEAAAAANyeX1uALtwAdXQAlkUaFuiIHMkQxSRU7ZIr6hRCIVCIGnb7fZSANAAAAAADsHlUdQqIJsQACPqAfObgXqg/lMLHEZ/sCAAAAAARZWg=="),
	}
}

func decoded(t *testing.T, base string) []byte {
	t.Helper()
	b, err := base64.StdEncoding.DecodeString(base)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// read opens a file of this name and content as text, and reads it.
func read(t *testing.T, name string, content []byte) (string, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	in, err := plain.Open(t.Context(), path)
	if err != nil {
		return "", err
	}
	got, err := io.ReadAll(in)
	if e := in.Close(); err == nil {
		err = e
	}
	return string(got), err
}

// wantMalformed checks an error about the file of this name, which quotes nothing of it.
func wantMalformed(t *testing.T, err error, name, why string) {
	t.Helper()
	if exit.Code(err) != exit.Malformed || !strings.Contains(err.Error(), "/"+name+": "+why) ||
		strings.Contains(err.Error(), marker) {
		t.Errorf("%s: %v (code %d), want %q", name, err, exit.Code(err), why)
	}
}

// TestOpen: the first bytes tell what a file is, whatever its name says.
func TestOpen(t *testing.T) {
	for suffix, b := range packed(t) {
		for _, name := range []string{"text." + suffix, "text", "text.txt", "text.gz"} {
			if got, err := read(t, name, b); err != nil || got != text {
				t.Errorf("%s as %s: %d bytes, %v", suffix, name, len(got), err)
			}
		}
		if got, err := read(t, "two", slices.Concat(b, b)); err != nil || got != text+text {
			t.Errorf("two %s, one after the other: %d bytes, %v", suffix, len(got), err)
		}
	}
	skippable := slices.Concat([]byte("\x5e\x2a\x4d\x18\x03\x00\x00\x00..."), packed(t)["zst"]) // RFC 8878, §3.1.2
	for _, c := range []struct{ name, content, want string }{
		{"plain.txt", text, text},
		{"empty", "", ""},
		{"nothing.bz2", string(decoded(t, "QlpoORdyRThQkAAAAAA=")), ""},
		{"skippable", string(skippable), text},
		{"short", "B", "B"},
		{"almost.bzip2", "BZh9 is how it begins", "BZh9 is how it begins"},
		{"pax", strings.Repeat(" ", 257) + "ustar is the magic of tar",
			strings.Repeat(" ", 257) + "ustar is the magic of tar"},
		{"mark", "\uFEFFtext", "\uFEFFtext"}, // what to do with it is the reader's business
	} {
		if got, err := read(t, c.name, []byte(c.content)); err != nil || got != c.want {
			t.Errorf("%s: %q, %v", c.name, got, err)
		}
	}
}

// TestDamaged cuts archives at every byte, and flips a bit of each.
func TestDamaged(t *testing.T) {
	for suffix, b := range packed(t) {
		for n := range len(b) {
			if _, err := read(t, "cut."+suffix, b[:n]); err == nil {
				t.Errorf("%s cut to %d of %d bytes was taken", suffix, n, len(b))
			} else {
				wantMalformed(t, err, "cut."+suffix, "damaged compressed data: ")
			}
		}
		for n := range len(b) {
			flipped := bytes.Clone(b)
			flipped[n] ^= 1
			// Time and system of the compressor are in a gzip header, of which no checksum is taken.
			if got, err := read(t, "flipped."+suffix, flipped); err == nil && got != text {
				t.Errorf("%s with a flipped bit in byte %d was taken for another text", suffix, n)
			}
		}
		_, err := read(t, "after."+suffix, slices.Concat(b, []byte(text)))
		wantMalformed(t, err, "after."+suffix, "damaged compressed data: ")
		_, err = read(t, "text."+suffix, []byte(text))
		wantMalformed(t, err, "text."+suffix, "damaged compressed data: it does not begin as compressed data")
	}
	// RFC 8878 §3.1.1: windows of 2^28 and of 2^32 bytes, and one raw block of nothing.
	if got, err := read(t, "wide", []byte{0x28, 0xb5, 0x2f, 0xfd, 0, 18 << 3, 1, 0, 0}); err != nil || len(got) != 0 {
		t.Errorf("a window of zstd --long=28: %q, %v", got, err)
	}
	_, err := read(t, "wide", []byte{0x28, 0xb5, 0x2f, 0xfd, 0, 22 << 3, 1, 0, 0})
	wantMalformed(t, err, "wide", "damaged compressed data: ")
	// xz --lzma2=dict=256MiB
	_, err = read(t, "wide", decoded(t,
		"/Td6WFoAAATm1rRGAgAhASAAAAAJiKV2AQAGTUFSS0VSCgAANlnPqmwTyGIAAR8HFi64cx+2830BAAAAAARZWg=="))
	wantMalformed(t, err, "wide", "damaged compressed data: ")
}

// TestByteOrderMark: UTF-16 and UTF-32 with a byte order mark are converted, also if they are compressed.
func TestByteOrderMark(t *testing.T) {
	for _, content := range []string{
		"\xff\xfe\xe9\x00\x3d\xd8\x00\xde", "\xfe\xff\x00\xe9\xd8\x3d\xde\x00",
		"\xff\xfe\x00\x00\xe9\x00\x00\x00\x00\xf6\x01\x00", "\x00\x00\xfe\xff\x00\x00\x00\xe9\x00\x01\xf6\x00",
	} {
		for _, b := range []string{content, gzipped(content)} {
			if got, err := read(t, "input", []byte(b)); err != nil || string(got) != "é😀" {
				t.Errorf("%x: got %q, %v", b, got, err)
			}
		}
	}
	for _, content := range []string{"\xff\xfe", "\xfe\xff", "\xff\xfe\x00\x00"} {
		if got, err := read(t, "input", []byte(content)); err != nil || len(got) != 0 {
			t.Errorf("%x: got %q, %v", content, got, err)
		}
	}
}

// TestRefused: a file that is no text, but easy to recognize, is refused. The error names the file's kind and a way
// out.
func TestRefused(t *testing.T) {
	tar := "docs/" + marker + strings.Repeat("\x00", 246) + "ustar\x00"
	for _, c := range []struct{ content, why, hint string }{
		{tar, "a tar archive, must be", "unpack"},
		{"PK\x03\x04" + marker, "a zip archive, must be", "unpack"},
		{"PK\x05\x06", "a zip archive, must be", "unpack"},
		{"7z\xbc\xaf\x27\x1c" + marker, "a 7z archive, must be", "unpack"},
		{"Rar!\x1a\x07\x00" + marker, "a rar archive, must be", "unpack"},
		{"\x04\x22\x4d\x18" + marker, "compressed by lz4, must be", "decompress"},
		{"LZIP\x01" + marker, "compressed by lzip, must be", "decompress"},
		{"\x5d\x00\x00\x80\x00" + marker, "compressed by lzma, must be", "decompress"},
		{"\x1f\x9d" + marker, "compressed by compress (.Z), must be", "decompress"},
		{"%PDF-1.7\n" + marker, "PDF, must be", "pdftotext"},
		{"%!PS-Adobe-3.0\n" + marker, "PostScript, must be", "ps2ascii"},
		{"PAR1\x15\x04" + marker, "Parquet, must be", "--format parquet"},
		{"ARROW1\x00\x00" + marker, "Feather (Arrow IPC), must be", "to_parquet"},
		{"FEA1\x00" + marker, "Feather (Arrow IPC), must be", "to_parquet"},
		{"\xff\xff\xff\xff" + marker, "Feather (Arrow IPC), must be", "to_parquet"},
		{"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + marker, "a Word, Excel or Outlook file, must be", "save it"},
		{"{\\rtf1" + marker, "RTF, must be", "save it"},
		{"SQLite format 3\x00" + marker, "an SQLite database, must be", "sqlite3"},
		{"\x93NUMPY\x01\x00" + marker, "a NumPy array, must be", "JSON Lines"},
		{"\x89HDF\r\n\x1a\n" + marker, "HDF5, must be", "to_parquet"},
		{"Obj\x01" + marker, "Avro, must be", "--format avro"},
		{"\x80\x04\x95" + marker, "a pickle of Python, must be", "to_parquet"},
		{gzipped(tar), "a tar archive, compressed by gzip, must be", "unpack"},
		{gzipped("%PDF-" + marker), "PDF, compressed by gzip, must be", "pdftotext"},
		{gzipped(gzipped(marker)), "compressed twice, by gzip, compressed by gzip", "decompress"},
	} {
		_, err := read(t, "input", []byte(c.content))
		wantMalformed(t, err, "input", c.why)
		if !strings.Contains(exit.Hint(err), c.hint) {
			t.Errorf("%s: the hint is %q, want %q", c.why, exit.Hint(err), c.hint)
		}
	}
}

func gzipped(text string) string {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	io.WriteString(z, text)
	z.Close()
	return b.String()
}

// TestSlowPipe: a text that comes byte by byte is the same text, and a line of it is not kept waiting for the next.
func TestSlowPipe(t *testing.T) {
	for suffix, b := range packed(t) {
		if got, err := pipe(t, iotest.OneByteReader(bytes.NewReader(b))); err != nil || got != text {
			t.Errorf("%s: %d bytes, %v", suffix, len(got), err)
		}
	}
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer func(before *os.File) { os.Stdin = before }(os.Stdin)
	os.Stdin = read
	write.WriteString("fig\n")
	in, err := plain.Open(t.Context(), "-")
	if err != nil {
		t.Fatal(err)
	}
	b := make([]byte, 100)
	if n, err := in.Read(b); string(b[:n]) != "fig\n" || err != nil {
		t.Errorf("%q, %v", b[:n], err)
	}
	write.Close()
	if n, err := in.Read(b); n > 0 || err != io.EOF {
		t.Errorf("%q, %v at the end", b[:n], err)
	}
}

// pipe reads the content as standard input.
func pipe(t *testing.T, content io.Reader) (string, error) {
	t.Helper()
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer read.Close()
	defer func(before *os.File) { os.Stdin = before }(os.Stdin)
	os.Stdin = read
	go func() {
		// Not io.Copy, which would hand one end to the other.
		b := make([]byte, 1)
		for {
			n, err := content.Read(b)
			write.Write(b[:n])
			if err != nil {
				write.Close()
				return
			}
		}
	}()
	in, err := plain.Open(t.Context(), "-")
	if err != nil {
		return "", err
	}
	got, err := io.ReadAll(in)
	return string(got), err
}

// TestUnreadable is not damaged: the operating system's own error says what to do.
func TestUnreadable(t *testing.T) {
	for _, suffix := range append(slices.Clone(plain.Suffixes), "") {
		folder := filepath.Join(t.TempDir(), "folder"+suffix)
		if err := os.Mkdir(folder, 0o700); err != nil {
			t.Fatal(err)
		}
		if _, err := plain.Open(t.Context(), folder); exit.Code(err) != exit.Missing {
			t.Errorf("%s: %v", folder, err)
		}
	}
}

// TestCounting: what is read of a file is counted as the file has it, compressed or not, and comes to its size.
func TestCounting(t *testing.T) {
	files := packed(t)
	files["txt"], files["empty"] = []byte(text), nil
	for suffix, content := range files {
		path := filepath.Join(t.TempDir(), "a."+suffix)
		if err := os.WriteFile(path, content, 0o666); err != nil {
			t.Fatal(err)
		}
		var read atomic.Int64
		in, err := plain.OpenCounting(t.Context(), path, &read)
		if err != nil {
			t.Fatal(err)
		}
		if n := read.Load(); suffix == "txt" && n >= int64(len(text)) {
			t.Errorf("all %d bytes are counted before they are read", n)
		}
		io.Copy(io.Discard, in)
		in.Close()
		size, known := endpoint.Size(t.Context(), path)
		if !known || size != int64(len(content)) || read.Load() != size {
			t.Errorf("%s: size %d, %v, and %d read, of %d", suffix, size, known, read.Load(), len(content))
		}
	}
	for _, name := range []string{t.TempDir(), "nowhere", os.DevNull} {
		if size, known := endpoint.Size(t.Context(), name); known {
			t.Errorf("%s has a size, %d", name, size)
		}
	}
}

// TestStreamIsNoText: a stream of records is refused by its kind, however it is compressed. A text in Zstandard is read
// even if it begins as a stream's record would.
func TestStreamIsNoText(t *testing.T) {
	for _, compression := range []string{"none", "fast", "best"} {
		path := filepath.Join(t.TempDir(), "docs.pp")
		w, err := endpoint.CreateStream(t.Context(), path,
			&wire.Header{Version: wire.Version, Kind: wire.Kind_DOCUMENTS, Side: wire.Side_PRIVATE, VocabularySize: 10},
			compression)
		if err != nil {
			t.Fatal(err)
		}
		if err := w.Write(&wire.Record{Body: &wire.Record_Document{Document: &wire.Document{Id: marker}}}); err != nil {
			t.Fatal(err)
		}
		if err := w.Commit(); err != nil {
			t.Fatal(err)
		}
		_, err = plain.Open(t.Context(), path)
		if err == nil || exit.Code(err) != exit.Malformed ||
			!strings.HasSuffix(err.Error(), "docs.pp: already a stream of DOCUMENTS, must be a text") {
			t.Errorf("%s: %v", compression, err)
		}
	}
	encoder, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, content := range []string{"", "\x02", "\x02\x12\x00", "\x05\x12\x03\x08\x02", "\n\n\n\n", marker,
		strings.Repeat("\x80", 99)} {
		if got, err := read(t, "text.zst", encoder.EncodeAll([]byte(content), nil)); err != nil || got != content {
			t.Errorf("%q: got %q, %v", content, got, err)
		}
	}
}
