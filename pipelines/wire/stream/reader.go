package stream

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"time"

	"privpipe/pipelines/wire"
)

var (
	// ErrTruncated says that the input ended without an end record: an upstream program died, or a copy was cut.
	ErrTruncated = errors.New("input ends without an end record: the stream is truncated")
	// ErrEmpty says that the input has no byte. That is not an empty stream, which has a header and an end record.
	ErrEmpty = errors.New("input is empty: a stream has at least a header and an end record")
)

// Cut says whether an error means that the named input ended too early, or has no byte.
func Cut(err error, name string) bool {
	var of *FormatError
	return errors.As(err, &of) && of.Name == name &&
		(errors.Is(err, ErrEmpty) || errors.Is(err, ErrTruncated) || errors.Is(err, errTruncated))
}

// A Reader reads one stream from a file, a pipe or a log. In a file or a pipe, several streams with the same header may
// follow one another, as `cat` leaves them. To a log several writers of the stream may append (see merge).
type Reader struct {
	source Source
	name   string
	// zstd serves all writers: the current frame is always used up before the next is read.
	zstd *decompressor

	header      *wire.Header
	headerBytes []byte // with its length
	decoders    map[string]*decoder
	current     *decoder // the current frame's decoder
	frames      int      // number of frames read
	merge       *merge   // nil: one writer
	reuse       bool     // see Reuse
	ready       []*wire.Record
	tallies     map[string]uint64
	round       uint32       // the round of the last record that Next returned
	scheme      *wire.Scheme // the scheme of the last round that Next returned the beginning of
	err         error        // the first error; it repeats
}

// NewReader returns a Reader for in, called name in errors.
func NewReader(in io.Reader, name string) (*Reader, error) {
	return newReader(newBytes(in), name)
}

// NewMergedReader returns a Reader for a log of frames that several writers may have appended, called name in errors.
// It leaves out the rounds up to closed; the log may begin in the middle of them.
func NewMergedReader(log Source, name string, closed uint32) (*Reader, error) {
	r, err := newReader(log, name)
	if err == nil {
		r.merge = &merge{any: closed > 0, last: closed, begin: closed}
	}
	return r, err
}

// NewHistoryReader returns a Reader for a log of a kind that comes in sets, called name in errors. It returns the whole
// sets of each writer up to where the log stops, even if another writer wrote the same set before. It is for looking at
// what was written, not for using it.
func NewHistoryReader(log Source, name string) (*Reader, error) {
	r, err := newReader(log, name)
	if err == nil {
		r.merge = &merge{all: true}
	}
	return r, err
}

// Begun returns the rounds of sets that a writer of the log began and did not write whole, in ascending order, once
// Next has come to the end.
func (r *Reader) Begun() []uint32 {
	var rounds []uint32
	for _, d := range r.decoders {
		if d.joined && !d.order.between() {
			rounds = append(rounds, d.order.round)
		}
	}
	slices.Sort(rounds)
	return slices.Compact(rounds)
}

// WantEnd makes a log of documents without an end record truncated, as other logs are.
func (r *Reader) WantEnd() {
	if r.merge != nil {
		r.merge.wantEnd = true
	}
}

// PassEnds reads on after the end records that writers of documents and other single records append to a log: more
// records may follow.
func (r *Reader) PassEnds() {
	if r.merge != nil {
		r.merge.passEnds = true
	}
}

func newReader(source Source, name string) (*Reader, error) {
	z, err := newDecompressor()
	if err != nil {
		return nil, err
	}
	return &Reader{
		source: source, name: name, zstd: z, decoders: make(map[string]*decoder), tallies: make(map[string]uint64),
	}, nil
}

// Header returns the header, after reading the first frame.
func (r *Reader) Header() (*wire.Header, error) {
	if r.header == nil && r.err == nil {
		r.err = r.readFrame()
	}
	return r.header, r.err
}

// Reuse saves memory if the caller keeps no record: from now on a document or a contribution that Next returns is valid
// only until the next call. A merge keeps no such record, except for the records of one contribution in several
// records. Their memory is never used again: see wire.Decoder.
func (r *Reader) Reuse() {
	r.reuse = true
	for _, d := range r.decoders {
		d.wire.Reuse = r.reuse
	}
}

// Next returns the next record, never a header or an end. It answers io.EOF after a valid end record and the end of the
// input. It answers a *FormatError for anything else that is not a valid stream. Records stay valid after the next
// call, unless Reuse was called.
func (r *Reader) Next() (*wire.Record, error) {
	if _, err := r.Header(); err != nil && len(r.ready) == 0 {
		return nil, err
	}
	for len(r.ready) == 0 && r.err == nil {
		d := r.current
		if len(d.rest) == 0 {
			r.err = r.readFrame()
			continue
		}
		record, err := d.next()
		switch {
		case err != nil:
			r.err = r.wrap(d.record, err)
		case record == nil:
			r.err = r.ended(d)
		case r.merge == nil:
			return record, nil
		default:
			if r.ready, err = r.merge.take(r.ready[:0], d, record); err != nil {
				r.err = r.wrap(d.record-1, err)
			}
		}
	}
	if len(r.ready) == 0 {
		return nil, r.err
	}
	record := r.ready[0]
	r.ready = r.ready[1:]
	r.note(record)
	return record, nil
}

// note keeps how far the stream was read.
func (r *Reader) note(record *wire.Record) {
	r.round = record.Round
	if scheme := cmp.Or(record.GetRoundOpen().GetScheme(), record.GetRelease().GetScheme()); scheme != nil {
		r.scheme = scheme
	}
}

// Rounds returns the round of the last record from Next, 0 before the first, and the planned number of rounds or
// releases. planned is 0 if nothing was read. It is also 0 for windows of time: they may end before their time. Rounds
// is for logs that several writers may have appended to.
func (r *Reader) Rounds() (reached, planned uint32) {
	if s := r.scheme; s != nil && (s.Method != wire.Scheme_EPOCH || s.Coins == "") {
		planned = s.Rounds
	}
	return r.round, planned
}

// ended takes the end record that d has come to.
func (r *Reader) ended(d *decoder) error {
	for _, t := range d.tallies {
		r.tallies[t.Name] += t.Value
	}
	if r.merge != nil && r.merge.over(r.header.Kind, r.decoders) {
		return io.EOF
	}
	return nil
}

// Tally returns the sum of the tallies with this name over the ends read so far.
func (r *Reader) Tally(name string) uint64 { return r.tallies[name] }

// Tallies returns the sums of all tallies over the ends read so far.
func (r *Reader) Tallies() map[string]uint64 { return maps.Clone(r.tallies) }

// Name returns the name of the input.
func (r *Reader) Name() string { return r.name }

// Arrived returns when a log took the frame with the record that Next returned last. Elsewhere it returns the zero
// time.
func (r *Reader) Arrived() time.Time { return r.current.arrived }

// Errorf returns a *FormatError at the record that Next returned last, for a rule that the caller checks.
func (r *Reader) Errorf(format string, args ...any) error {
	return r.wrap(r.current.record-1, fmt.Errorf(format, args...))
}

func (r *Reader) wrap(record int, err error) error {
	return &FormatError{
		Name: r.name, Unit: r.source.Unit(), Frame: r.current.number, Offset: r.current.offset, Record: record,
		Err: err,
	}
}

// readFrame takes the next frame and its header record.
func (r *Reader) readFrame() error {
	frame, err := r.source.Frame()
	if err == io.EOF {
		switch {
		case r.frames == 0:
			return &FormatError{Name: r.name, Unit: r.source.Unit(), Record: -1, Err: ErrEmpty}
		case r.merge == nil && r.current.ended, r.merge != nil && r.merge.complete(r.header.Kind):
			return io.EOF
		}
		r.current.number, r.current.offset = frame.Number, frame.Offset
		return r.wrap(-1, ErrTruncated)
	}
	d := r.decoders[frame.Writer]
	if d == nil {
		d = &decoder{number: frame.Number - 1, partial: frame.Number > 0, wire: wire.Decoder{Reuse: r.reuse}}
		r.decoders[frame.Writer] = d
	}
	if err == nil && frame.Number <= d.number {
		return nil // delivered again
	}
	if r.frames++; r.frames == 1 && r.merge != nil {
		r.merge.amid = frame.Offset > 0
	}
	missing := frame.Number - d.number - 1
	r.current, d.number, d.offset, d.arrived = d, frame.Number, frame.Offset, frame.Time
	if missing > 0 && r.merge != nil && r.merge.before(d) {
		d.leave()
	} else if err == nil && missing > 0 {
		err = fmt.Errorf("%d frames of this writer before it are missing: messages were lost", missing)
	}
	if err != nil {
		return r.wrap(-1, err)
	}
	content, err := r.zstd.of(frame.Data)
	if err != nil {
		return r.wrap(-1, err)
	}
	if err := r.begin(d, content); err != nil {
		return r.wrap(0, err)
	}
	return nil
}
