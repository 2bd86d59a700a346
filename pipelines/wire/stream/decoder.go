package stream

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/cespare/xxhash/v2"
	"google.golang.org/protobuf/encoding/protowire"

	"privpipe/pipelines/wire"
)

// A decoder takes the records out of one writer's frames, and checks that they are a stream.
type decoder struct {
	rest []byte // the rest of the current frame's content

	number  int       // the current frame's number among the writer's frames
	record  int       // number of the record that rest begins with
	offset  int64     // the current frame's offset
	arrived time.Time // when the frame arrived, in a log
	encoded []byte    // the last record, with its length
	wire    wire.Decoder

	partial bool // the writer's first frames were not read: the totals in its end record cannot be checked
	// joined says that the first record of a round or a set has come. In a part of a stream, the records before it
	// belong to something that is not whole.
	joined  bool
	order   order
	hash    *xxhash.Digest // nil before the first frame
	records uint64
	ended   bool // the last record was an end
	tallies []*wire.Tally

	// group holds records that count when the last of them has come: see merge.
	group []*wire.Record
}

// begin takes the header record from a frame.
func (r *Reader) begin(d *decoder, content []byte) error {
	d.rest, d.record = content, 0
	record, encoded, err := d.decode()
	if err != nil {
		return err
	}
	if err := r.takeHeader(record, encoded); err != nil {
		return err
	}
	// A stream begins with the writer's first frame. In a concatenation the next stream begins after an end.
	if d.hash == nil || d.ended && (r.merge == nil || r.merge.all) {
		d.begin(r.header, r.headerBytes)
	}
	d.record = 1
	return nil
}

func (r *Reader) takeHeader(record *wire.Record, encoded []byte) error {
	h := record.GetHeader()
	if r.header == nil {
		if err := wire.CheckHeader(h); err != nil {
			return err
		}
		if record.Round != 0 {
			return errors.New("header of a round: must be the header of the stream")
		}
		if len(encoded) > wire.MaxHeader {
			return errors.New("header is larger than the wire allows")
		}
		r.header, r.headerBytes = h, bytes.Clone(encoded)
		return nil
	}
	if h == nil {
		return errors.New("frame does not begin with a header")
	}
	if wire.OtherSettings(h, r.header) {
		if h.Kind == wire.Kind_SCORES || h.Kind == wire.Kind_PREDICTIONS {
			return fmt.Errorf("%s of another model than those before", strings.ToLower(h.Kind.String()))
		}
		return fmt.Errorf("%s made under other settings than those before", strings.ToLower(h.Kind.String()))
	}
	if !bytes.Equal(encoded, r.headerBytes) {
		return errors.New("frame has another header than the frames before: two streams are mixed")
	}
	return nil
}

func (d *decoder) begin(header *wire.Header, encoded []byte) {
	d.order = newOrder(header)
	d.hash = xxhash.New()
	d.hash.Write(encoded)
	d.records, d.ended = 0, false
}

// leave forgets the records so far: d joins again at the beginning of a round or a set.
func (d *decoder) leave() {
	d.partial, d.joined, d.group = true, false, nil
	d.order = newOrder(d.order.header)
}

// next takes the next record from the frame. It returns nil for the end record.
func (d *decoder) next() (*wire.Record, error) {
	record, encoded, err := d.decode()
	if err != nil {
		return nil, err
	}
	d.encoded = encoded
	if d.ended {
		return nil, errors.New("record after the end of the stream")
	}
	if end := record.GetEnd(); end != nil {
		d.record++
		return nil, d.end(record.Round, end)
	}
	if err := wire.Check(d.order.header, record); err != nil {
		return nil, err
	}
	if d.joined = d.joined || !d.partial || begins(record); !d.joined {
		d.record++
		return record, nil
	}
	if err := d.order.admit(record); err != nil {
		return nil, err
	}
	d.hash.Write(encoded)
	d.records++
	d.record++
	return record, nil
}

// begins says whether a reader can begin with this record: the record begins a round or a set, or stands for itself.
func begins(r *wire.Record) bool {
	switch r.Body.(type) {
	case *wire.Record_RoundClose, *wire.Record_Contribution, *wire.Record_Block, *wire.Record_Members, *wire.Record_Sum:
		return false
	case *wire.Record_Document:
		return r.Round == 0
	}
	return true
}

// decode takes the next record from rest.
func (d *decoder) decode() (record *wire.Record, encoded []byte, err error) {
	size, prefix := binary.Uvarint(d.rest)
	switch {
	case prefix <= 0 || size > uint64(len(d.rest)-prefix):
		return nil, nil, errors.New("record goes beyond its frame")
	case prefix != protowire.SizeVarint(size):
		return nil, nil, errors.New("record's length is padded")
	}
	encoded = d.rest[:prefix+int(size)]
	d.rest = d.rest[len(encoded):]
	record, err = d.wire.Decode(encoded[prefix:])
	return record, encoded, err
}

func (d *decoder) end(round uint32, end *wire.End) error {
	if round != 0 {
		return errors.New("end of a round: must be the end of the stream")
	}
	if err := d.order.finish(); err != nil {
		return err
	}
	if end.Records != d.records && !d.partial {
		return fmt.Errorf("end record counts other records than the stream has: frames were lost or repeated")
	}
	if end.Hash != d.hash.Sum64() && !d.partial {
		return fmt.Errorf("end record's hash is not the stream's: frames were lost, repeated or reordered")
	}
	d.ended, d.tallies = true, end.Tallies
	return nil
}
