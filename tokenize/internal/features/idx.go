package features

import (
	"encoding/binary"
	"fmt"
	"io"
	"strconv"

	"privpipe/pipelines/exit"
)

// An IDX reads images from a file in the format of MNIST. The file has a magic number, the sizes of three dimensions
// (images, rows and columns), and the intensities. Numbers have 4 bytes, the highest first. Labels are in a file with
// one dimension. (LeCun, Cortes, Burges, The MNIST database, "File formats".)
type IDX struct {
	images file
	labels *file // nil: none
	size   ImageSize
	left   uint32 // number of images left to read
}

// A file is an open file, and the number of bytes that were read from it.
type file struct {
	in   io.Reader
	name string
	at   int64
}

// errorf is an error at a byte of the file, counted from 1.
func (f *file) errorf(at int64, format string, args ...any) *exit.Error {
	return exit.Errorf(exit.Malformed, "%s: byte %d: %w", f.name, at, fmt.Errorf(format, args...))
}

// read fills b. If the file ends too early, the error says that it ends before what.
func (f *file) read(b []byte, what string) error {
	n, err := io.ReadFull(f.in, b)
	f.at += int64(n)
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		return f.errorf(f.at+1, "the file ends before %s", what)
	}
	return err
}

// end checks that nothing follows.
func (f *file) end(what string) error {
	var b [1]byte
	switch n, err := io.ReadFull(f.in, b[:]); {
	case n > 0:
		return f.errorf(f.at+1, "more bytes than the header announces %s", what)
	case err != io.EOF:
		return err
	}
	return nil
}

// header reads a magic number and the sizes of the dimensions.
func (f *file) header(dimensions int, what string) ([]uint32, error) {
	b := make([]byte, 4+4*dimensions)
	if err := f.read(b[:4], "its magic number"); err != nil {
		return nil, err
	}
	switch {
	case b[0] != 0 || b[1] != 0:
		return nil, f.errorf(1, "not an IDX file: its magic number must begin with two bytes of 0")
	case b[2] != 8:
		return nil, f.errorf(3, "an IDX file of type 0x%02x, must be 0x08, unsigned bytes", b[2])
	case int(b[3]) != dimensions:
		return nil, f.errorf(4, "an IDX file of %d dimensions, must be %d: %s", b[3], dimensions, what)
	}
	if err := f.read(b[4:], "the sizes of its dimensions"); err != nil {
		return nil, err
	}
	sizes := make([]uint32, dimensions)
	for i := range sizes {
		sizes[i] = binary.BigEndian.Uint32(b[4+4*i:])
	}
	return sizes, nil
}

// NewIDX reads the headers of a file with images of the given size, and of a file with their labels. labels may be nil.
func NewIDX(images io.Reader, name string, size ImageSize, labels io.Reader, labelsName string) (*IDX, error) {
	x := &IDX{images: file{in: images, name: name}, size: size}
	sizes, err := x.images.header(3, "images, rows and columns")
	if err != nil {
		return nil, err
	}
	if x.left = sizes[0]; sizes[1] != uint32(size.Rows) || sizes[2] != uint32(size.Columns) {
		return nil, x.images.errorf(9, "images of %dx%d pixels, must be of %v", sizes[1], sizes[2], size).
			WithHint("--image says how large images are")
	}
	if labels == nil {
		return x, nil
	}
	x.labels = &file{in: labels, name: labelsName}
	if sizes, err = x.labels.header(1, "labels"); err != nil {
		return nil, err
	}
	if sizes[0] != x.left {
		return nil, x.labels.errorf(5, "not as many labels as %s has images", name)
	}
	return x, nil
}

// Next returns the next image, and io.EOF after the last.
func (x *IDX) Next() (image Image, err error) {
	if x.left == 0 {
		if err = x.images.end("images"); err == nil && x.labels != nil {
			err = x.labels.end("labels")
		}
		if err == nil {
			err = io.EOF
		}
		return image, err
	}
	x.left--
	image.Pixels = make([]byte, x.size.Rows*x.size.Columns)
	if err = x.images.read(image.Pixels, "the images that its header announces"); err != nil {
		return image, err
	}
	if x.labels != nil {
		var class [1]byte
		if err = x.labels.read(class[:], "the labels that its header announces"); err != nil {
			return image, err
		}
		image.Label = strconv.Itoa(int(class[0]))
	}
	return image, nil
}
