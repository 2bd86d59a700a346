package stream

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"time"

	"privpipe/pipelines/wire"
)

// A Frame is a compressed frame as a Source delivers it.
type Frame struct {
	Data   []byte    // valid until the next call of Frame
	Writer string    // the writer that appended it to a log; empty outside of logs
	Number int       // number among the writer's frames, from 0
	Offset int64     // where it stands, in the source's unit
	Time   time.Time // when a log took it; zero elsewhere
}

// A Source delivers a stream's frames in the order of writing, and io.EOF after the last. A log with several writers
// keeps each writer's order.
type Source interface {
	Frame() (Frame, error)
	Unit() string // the unit of Frame.Offset, for messages
}

// byteSource takes frames out of bytes.
type byteSource struct {
	in     *bufio.Reader
	buffer []byte
	number int
	next   int64
}

func newBytes(in io.Reader) *byteSource { return &byteSource{in: bufio.NewReaderSize(in, 64<<10)} }

// Unit implements Source.
func (s *byteSource) Unit() string { return "byte" }

// Frame implements Source.
func (s *byteSource) Frame() (Frame, error) {
	f := Frame{Number: s.number, Offset: s.next}
	var err error
	s.buffer, err = readFrame(s.in, s.buffer[:0])
	f.Data = s.buffer
	s.number++
	s.next += int64(len(f.Data))
	return f, err
}

// HeaderOf returns the header record from the first frame.
func HeaderOf(frames []byte) (*wire.Header, error) {
	first, err := newBytes(bytes.NewReader(frames)).Frame()
	if err == io.EOF {
		err = errTruncated
	}
	if err != nil {
		return nil, err
	}
	z, err := newDecompressor()
	if err != nil {
		return nil, err
	}
	defer z.zstd.Close()
	var d decoder
	if d.rest, err = z.of(first.Data); err != nil {
		return nil, err
	}
	record, _, err := d.decode()
	if err == nil && record.GetHeader() == nil {
		err = errors.New("frame does not begin with a header")
	}
	return record.GetHeader(), err
}

// SplitFrames splits b into the frames that it consists of.
func SplitFrames(b []byte) ([][]byte, error) {
	var frames [][]byte
	for in := newBytes(bytes.NewReader(b)); ; {
		f, err := in.Frame()
		if err == io.EOF {
			return frames, nil
		}
		if err != nil {
			return nil, err
		}
		frames = append(frames, b[f.Offset:f.Offset+int64(len(f.Data))])
	}
}
