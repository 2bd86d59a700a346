package stream

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"maps"

	"github.com/cespare/xxhash/v2"
	"github.com/klauspost/compress/zstd"
	"google.golang.org/protobuf/encoding/protowire"

	"privpipe/pipelines/wire"
)

var (
	// ErrTruncated says that the input ended without an end record: an upstream program died, or a copy was cut.
	ErrTruncated = errors.New("input ends without an end record: the stream is truncated")
	// ErrEmpty says that the input has no byte. That is not an empty stream, which has a header and an end record.
	ErrEmpty = errors.New("input is empty: a stream has at least a header and an end record")
)

// A Reader reads one stream, or several of the same header one after the other as `cat` leaves them.
type Reader struct {
	in         *bufio.Reader
	name       string
	decoder    *zstd.Decoder
	compressed []byte
	content    []byte // of the frame under way
	rest       []byte // of content

	frame  int // number of the frame under way
	record int // number of the record that rest begins with
	offset int64
	next   int64 // offset of the frame after

	header      *wire.Header
	headerBytes []byte // with its length
	order       order
	hash        *xxhash.Digest
	records     uint64
	ended       bool // the last record was an end
	tallies     map[string]uint64
	err         error // it repeats
}

// NewReader returns a Reader of in, called name in errors.
func NewReader(in io.Reader, name string) (*Reader, error) {
	decoder, err := newDecoder()
	if err != nil {
		return nil, err
	}
	return &Reader{
		in: bufio.NewReaderSize(in, 64<<10), name: name, decoder: decoder,
		frame: -1, tallies: make(map[string]uint64),
	}, nil
}

// Header returns the header, after reading the first frame.
func (r *Reader) Header() (*wire.Header, error) {
	if r.header == nil && r.err == nil {
		if err := r.readFrame(); err != nil {
			r.err = err
		}
	}
	return r.header, r.err
}

// Next returns the next record, never a header or an end. It answers io.EOF after a valid end record and the end of
// the input, and a *FormatError for anything else that is not a valid stream. Records stay valid after the next call.
func (r *Reader) Next() (*wire.Record, error) {
	if _, err := r.Header(); err != nil {
		return nil, err
	}
	for r.err == nil {
		if len(r.rest) == 0 {
			r.err = r.readFrame()
			continue
		}
		record, encoded, err := r.decodeRecord()
		if err == nil && r.ended {
			err = errors.New("record after the end of the stream")
		}
		if err == nil {
			if end := record.GetEnd(); end != nil {
				err = r.end(record.Round, end)
			} else if err = r.admit(record); err == nil {
				r.hash.Write(encoded)
				r.records++
				r.record++
				return record, nil
			}
		}
		if err != nil {
			r.err = r.wrap(r.record, err)
		}
		r.record++
	}
	return nil, r.err
}

// Tally returns the sum of the tallies of a name over the ends read so far.
func (r *Reader) Tally(name string) uint64 { return r.tallies[name] }

// Tallies returns the sums of all tallies over the ends read so far.
func (r *Reader) Tallies() map[string]uint64 { return maps.Clone(r.tallies) }

// Name returns the name of the input.
func (r *Reader) Name() string { return r.name }

// Errorf returns a *FormatError at the record that Next returned last, for a rule that the caller checks.
func (r *Reader) Errorf(format string, args ...any) error {
	return r.wrap(r.record-1, fmt.Errorf(format, args...))
}

func (r *Reader) wrap(record int, err error) error {
	return &FormatError{Name: r.name, Frame: r.frame, Offset: r.offset, Record: record, Err: err}
}

func (r *Reader) admit(record *wire.Record) error {
	if err := wire.Check(r.header, record); err != nil {
		return err
	}
	return r.order.admit(record)
}

// readFrame reads and decompresses the next frame and takes its header record.
func (r *Reader) readFrame() error {
	r.frame++
	r.offset = r.next
	var err error
	r.compressed, err = readFrame(r.in, r.compressed[:0])
	r.next += int64(len(r.compressed))
	if err == io.EOF {
		switch {
		case r.ended:
			return io.EOF
		case r.frame == 0:
			return &FormatError{Name: r.name, Record: -1, Err: ErrEmpty}
		}
		err = ErrTruncated
	}
	if err != nil {
		return r.wrap(-1, err)
	}
	if r.content, err = r.decoder.DecodeAll(r.compressed, r.content[:0]); err != nil {
		return r.wrap(-1, fmt.Errorf("damaged frame: %w", err))
	}
	r.rest, r.record = r.content, 0
	record, encoded, err := r.decodeRecord()
	if err == nil {
		err = r.takeHeader(record, encoded)
	}
	if err != nil {
		return r.wrap(0, err)
	}
	r.record = 1
	return nil
}

func (r *Reader) takeHeader(record *wire.Record, encoded []byte) error {
	h := record.GetHeader()
	if r.header == nil {
		if err := wire.CheckHeader(h); err != nil {
			return err
		}
		if record.Round != 0 {
			return errors.New("header of a round, must be of the stream")
		}
		if len(encoded) > wire.MaxHeader {
			return errors.New("header is larger than the wire allows")
		}
		r.header, r.headerBytes = h, bytes.Clone(encoded)
		r.begin()
		return nil
	}
	if h == nil {
		return errors.New("frame does not begin with a header")
	}
	if !bytes.Equal(encoded, r.headerBytes) {
		return errors.New("frame has another header than the frames before: two streams are mixed")
	}
	if r.ended {
		r.begin() // the next stream of a concatenation
	}
	return nil
}

func (r *Reader) begin() {
	r.order = newOrder(r.header)
	r.hash = xxhash.New()
	r.hash.Write(r.headerBytes)
	r.records, r.ended = 0, false
}

// decodeRecord takes the next record off rest.
func (r *Reader) decodeRecord() (record *wire.Record, encoded []byte, err error) {
	size, prefix := binary.Uvarint(r.rest)
	switch {
	case prefix <= 0 || size > uint64(len(r.rest)-prefix):
		return nil, nil, errors.New("record goes beyond its frame")
	case prefix != protowire.SizeVarint(size):
		return nil, nil, errors.New("record's length is padded")
	}
	encoded = r.rest[:prefix+int(size)]
	r.rest = r.rest[len(encoded):]
	record, err = wire.Decode(encoded[prefix:])
	return record, encoded, err
}

func (r *Reader) end(round uint32, end *wire.End) error {
	if round != 0 {
		return errors.New("end of a round, must be of the stream")
	}
	if err := r.order.finish(); err != nil {
		return err
	}
	if end.Records != r.records {
		return fmt.Errorf("end record counts other records than the stream has: frames were lost or repeated")
	}
	if end.Hash != r.hash.Sum64() {
		return fmt.Errorf("end record's hash is not the stream's: frames were lost, repeated or reordered")
	}
	for _, t := range end.Tallies {
		r.tallies[t.Name] += t.Value
	}
	r.ended = true
	return nil
}
