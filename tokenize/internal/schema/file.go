package schema

import (
	"errors"
	"io"

	"github.com/twmb/avro/ocf"

	"privpipe/pipelines/exit"
)

// A File is an object container file of Avro, which has its schema in its head.
// https://avro.apache.org/docs/1.12.0/specification/#object-container-files
type File struct {
	in *ocf.Reader
	*Decoder
}

// NewFile reads a file's head. d has the columns, the texts and the limit. A block has at most 64 MiB.
func NewFile(in io.Reader, d *Decoder) (*File, error) {
	reader, err := ocf.NewReader(in, ocf.WithSchemaOpts(spelled...))
	if err != nil {
		// The library's error may quote the file.
		return nil, exit.Errorf(exit.Malformed, "not a file of Avro, or of another codec than null, deflate, snappy "+
			"and zstandard")
	}
	root := reader.Schema().Root()
	if err := d.check(func(path string) bool { return hasAvro(root, path) }); err != nil {
		reader.Close()
		return nil, err
	}
	return &File{reader, d}, nil
}

// Next returns the JSON of the next value. It returns io.EOF after the last, and ErrTooLong for a value over the limit.
// No value can be read after another error.
func (f *File) Next() ([]byte, error) {
	var value any
	if err := f.in.Decode(&value); err == io.EOF {
		return nil, err
	} else if err != nil {
		return nil, errors.New("damaged, or not a value of the file's schema")
	}
	w := &Writer{limit: f.Limit, texts: f.Texts}
	err := w.avro(value, "")
	return w.b, err
}

// Close ends the reading.
func (f *File) Close() error { return f.in.Close() }
