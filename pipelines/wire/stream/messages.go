package stream

import (
	"errors"
	"fmt"
	"io"

	"privpipe/pipelines/wire"
)

// Messages reads a log of records that stand for themselves, such as documents. It reads each frame on its own, so a
// malformed frame costs only its own records. A Reader stops at such a frame, since it vouches for whole streams.
type Messages struct {
	source Source
	name   string
	check  func(*wire.Header) error
	zstd   *decompressor
	last   map[string]int // number of each writer's last frame
	frame  Frame          // the last frame read
}

// NewMessages returns Messages that read a log, called name in errors. check refuses frames from other streams by their
// header.
func NewMessages(log Source, name string, check func(*wire.Header) error) (*Messages, error) {
	z, err := newDecompressor()
	if err != nil {
		return nil, err
	}
	return &Messages{source: log, name: name, check: check, zstd: z, last: make(map[string]int)}, nil
}

// Next returns the records in the next frame, without header and end. A frame that came before gives no records. At the
// end Next returns io.EOF. A *FormatError is about one frame, and Next goes on after it. Any other error comes from the
// log.
func (m *Messages) Next() ([]*wire.Record, error) {
	frame, err := m.source.Frame()
	m.frame = frame
	if err == io.EOF {
		return nil, err
	}
	if err != nil {
		var own interface{ ExitCode() int }
		if errors.As(err, &own) {
			return nil, err // the message is not at fault: the log itself failed
		}
		return nil, m.wrap(-1, err)
	}
	if last, known := m.last[frame.Writer]; known && frame.Number <= last {
		return nil, nil
	}
	m.last[frame.Writer] = frame.Number
	content, err := m.zstd.of(frame.Data)
	if err != nil {
		return nil, m.wrap(-1, err)
	}
	d := &decoder{rest: content, partial: true}
	var records []*wire.Record
	for len(d.rest) > 0 {
		record, err := m.record(d)
		if err != nil {
			return nil, m.wrap(d.record, err)
		}
		if record != nil {
			records = append(records, record)
		}
	}
	return records, nil
}

// record takes the next record from a frame. It returns nil for the header or an end.
func (m *Messages) record(d *decoder) (*wire.Record, error) {
	if d.hash != nil {
		return d.next()
	}
	record, encoded, err := d.decode()
	if err != nil {
		return nil, err
	}
	h := record.GetHeader()
	switch {
	case h == nil || record.Round != 0:
		return nil, errors.New("frame does not begin with the header of a stream")
	case len(encoded) > wire.MaxHeader:
		return nil, errors.New("header is larger than the wire allows")
	case !single(h.Kind):
		return nil, fmt.Errorf("a stream of %s, whose records do not stand for themselves", h.Kind)
	}
	if err := wire.CheckHeader(h); err != nil {
		return nil, err
	}
	if err := m.check(h); err != nil {
		return nil, err
	}
	d.begin(h, encoded)
	d.record = 1
	return nil, nil
}

// Errorf returns a *FormatError at the frame that Next read last, for a rule that the caller checks.
func (m *Messages) Errorf(format string, args ...any) error {
	return m.wrap(-1, fmt.Errorf(format, args...))
}

func (m *Messages) wrap(record int, err error) error {
	return &FormatError{Name: m.name, Unit: m.source.Unit(), Frame: m.frame.Number, Offset: m.frame.Offset,
		Record: record, Err: err}
}
