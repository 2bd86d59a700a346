// Package plain opens texts, compressed or not. It is apart from package endpoint because privatize reads no text, and
// so need not link the decompressors.
package plain

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"io/fs"
	"path/filepath"
	"sync/atomic"

	"golang.org/x/text/transform"

	"privpipe/pipelines/endpoint"
	"privpipe/pipelines/exit"
	"privpipe/pipelines/wire"
)

// A Text is an open text. Error messages call it by its Name.
type Text struct {
	io.Reader
	Name      string
	Converted bool // the text was UTF-16 or UTF-32, by its byte order mark
	in        *endpoint.Input
	z         io.Closer // nil: not compressed
}

// Close closes the text; standard input stays open.
func (t *Text) Close() error {
	if t.z == nil {
		return t.in.Close()
	}
	return errors.Join(t.z.Close(), t.in.Close())
}

// Open opens a text as endpoint.Open opens an input. It decompresses gzip, bzip2, xz and Zstandard, which it recognizes
// by the first bytes, not by the name. It converts UTF-16 and UTF-32 with a byte order mark. It refuses archives with
// several files, other compression, documents that are no text, such as PDF, and streams of records. The error names
// the format.
func Open(ctx context.Context, name string) (*Text, error) {
	return OpenCounting(ctx, name, new(atomic.Int64))
}

// OpenCounting does the same as Open. It also adds the number of bytes read from the file, before decompression, to
// read.
func OpenCounting(ctx context.Context, name string, read *atomic.Int64) (*Text, error) {
	in, err := endpoint.Open(ctx, name)
	if err != nil {
		return nil, err
	}
	t := &Text{Reader: counting{in, read}, Name: in.Name, in: in}
	if err := t.decompress(filepath.Ext(name)); err != nil {
		t.Close()
		return nil, err
	}
	return t, nil
}

// counting counts the bytes that were read.
type counting struct {
	io.Reader
	read *atomic.Int64
}

func (c counting) Read(b []byte) (int, error) {
	n, err := c.Reader.Read(b)
	c.read.Add(int64(n))
	return n, err
}

// Suffixes are the file name suffixes of compressed files.
var Suffixes = []string{".gz", ".bz2", ".xz", ".zst"}

// decompress recognizes the text's format. Later reads return decompressed bytes.
func (t *Text) decompress(suffix string) error {
	outer, err := t.look()
	if err != nil {
		return err
	}
	switch {
	case outer == nil:
		return t.checkSuffix(suffix)
	case outer.decode != nil:
		t.convert(outer)
		return nil
	case outer.open == nil:
		return outer.refuse(t.Name, "")
	}
	z, err := outer.open(bufio.NewReaderSize(t.Reader, 1<<16))
	if err != nil {
		return damage(t.Name, err)
	}
	t.Reader, t.z = damaged{z, t.Name}, z
	inner, err := t.look()
	switch {
	case err != nil:
		return err
	case inner != nil && inner.decode != nil:
		t.convert(inner)
		return nil
	case inner != nil:
		return inner.refuse(t.Name, ", compressed by "+outer.name)
	}
	return t.refuseStream()
}

// convert makes later reads return UTF-8.
func (t *Text) convert(f *format) {
	t.Reader, t.Converted = transform.NewReader(t.Reader, f.decode.NewDecoder()), true
}

// refuseStream refuses a stream of records, which it recognizes by the header record at the beginning of the first
// frame.
func (t *Text) refuseStream() error {
	in := bufio.NewReaderSize(t.Reader, wire.MaxHeader)
	t.Reader = in
	head, err := in.Peek(wire.MaxHeader)
	if err != nil && err != io.EOF {
		return err
	}
	size, n := binary.Uvarint(head)
	if n <= 0 || size > uint64(len(head)-n) {
		return nil
	}
	record, err := wire.Decode(head[n : n+int(size)])
	if err != nil || wire.CheckHeader(record.GetHeader()) != nil {
		return nil
	}
	return exit.Errorf(exit.Malformed, "%s: already a stream of %s, must be a text", t.Name, record.GetHeader().Kind).
		WithHint("show --private prints a stream; sample, estep and tokenize check read a stream of documents as it is")
}

// checkSuffix refuses a text that is not compressed although its suffix says so: the beginning of a compressed file may
// be lost.
func (t *Text) checkSuffix(suffix string) error {
	for _, s := range Suffixes {
		if s == suffix {
			return exit.Errorf(exit.Malformed, "%s: damaged compressed data: it does not begin as compressed data",
				t.Name).
				WithHint("rename a text that is not compressed: its name must not end in %s", suffix)
		}
	}
	return nil
}

// look returns the text's format, nil for plain text. Later reads also return the bytes that look has read.
func (t *Text) look() (*format, error) {
	s := &seen{in: t.Reader, head: make([]byte, 0, headBytes)}
	for {
		f, undecided := formatOf(s.head, s.err == io.EOF)
		if !undecided {
			t.Reader = s
			return f, nil
		}
		if s.err != nil {
			return nil, s.err
		}
		var n int
		n, s.err = s.in.Read(s.head[len(s.head):cap(s.head)])
		s.head = s.head[:len(s.head)+n]
	}
}

// seen returns the bytes that look has read, and then the rest of the input.
type seen struct {
	head []byte
	in   io.Reader
	err  error // the error of in, returned after head
}

func (s *seen) Read(b []byte) (int, error) {
	if len(s.head) > 0 {
		n := copy(b, s.head)
		s.head = s.head[n:]
		return n, nil
	}
	if s.err != nil {
		return 0, s.err
	}
	return s.in.Read(b)
}

// damaged adds the text's name and the exit code for malformed input to a decompressor's errors.
type damaged struct {
	io.Reader
	name string
}

func (d damaged) Read(b []byte) (int, error) {
	n, err := d.Reader.Read(b)
	if err != nil && err != io.EOF {
		err = damage(d.name, err)
	}
	return n, err
}

// damage returns the error for damaged compressed data. An error from the operating system stays as it is.
func damage(name string, err error) error {
	if path := (*fs.PathError)(nil); errors.As(err, &path) {
		return err
	}
	return exit.Errorf(exit.Malformed, "%s: damaged compressed data: %w", name, err)
}
