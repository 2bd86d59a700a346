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

// A Reader reads one stream: from a file or a pipe, where several of the same header may follow one another as `cat` leaves
// them, or from a log to which several writers of the stream append (see merge).
type Reader struct {
	source Source
	name   string
	zstd   *decompressor // of all writers: the frame under way is always worked off before the next is read

	header      *wire.Header
	headerBytes []byte // with its length
	decoders    map[string]*decoder
	current     *decoder // of the frame under way
	frames      int      // that were read
	merge       *merge   // nil: one writer
	reuse       bool     // see Reuse
	ready       []*wire.Record
	tallies     map[string]uint64
	round       uint32       // of the last record that Next returned
	scheme      *wire.Scheme // of the last round that Next returned the beginning of
	err         error        // it repeats
}

// NewReader returns a Reader of in, called name in errors.
func NewReader(in io.Reader, name string) (*Reader, error) {
	return newReader(newBytes(in), name)
}

// NewMergedReader returns a Reader of a log of frames that several writers may have appended, called name in errors. It
// leaves out the rounds up to closed, which the log may begin amid.
func NewMergedReader(log Source, name string, closed uint32) (*Reader, error) {
	r, err := newReader(log, name)
	if err == nil {
		r.merge = &merge{any: closed > 0, last: closed, begin: closed}
	}
	return r, err
}

// NewHistoryReader returns a Reader of all whole sets that a log of a kind of sets holds, called name in errors: those of each
// writer, also the ones that others have written before, up to where the log stops. It is for who looks at what was written,
// not for who uses it.
func NewHistoryReader(log Source, name string) (*Reader, error) {
	r, err := newReader(log, name)
	if err == nil {
		r.merge = &merge{all: true}
	}
	return r, err
}

// Begun are the rounds of sets that a writer of a log has begun and not written whole, in ascending order, once Next has come
// to the end.
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

// WantEnd makes documents of a log that stops without an end record no whole stream, like others.
func (r *Reader) WantEnd() {
	if r.merge != nil {
		r.merge.wantEnd = true
	}
}

// PassEnds reads on after the end records of writers of documents and other single records of a log: others may come after them.
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

// Reuse saves memory where the caller keeps no record: from now on a document or a contribution that Next returns is valid until the
// next call only. A merge keeps no such record, but those of a contribution of several records, and their memory is never used again: see
// wire.Decoder.
func (r *Reader) Reuse() {
	r.reuse = true
	for _, d := range r.decoders {
		d.wire.Reuse = r.reuse
	}
}

// Next returns the next record, never a header or an end. It answers io.EOF after a valid end record and the end of
// the input, and a *FormatError for anything else that is not a valid stream. Records stay valid after the next call, unless Reuse was called.
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

// Rounds returns the last round of which Next has returned a record, 0 before the first, and how many are planned, of rounds and
// releases. None are known to be planned where nothing was read, and of windows of time, which may end before their time. It is
// for logs that several writers may have appended.
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

// Tally returns the sum of the tallies of a name over the ends read so far.
func (r *Reader) Tally(name string) uint64 { return r.tallies[name] }

// Tallies returns the sums of all tallies over the ends read so far.
func (r *Reader) Tallies() map[string]uint64 { return maps.Clone(r.tallies) }

// Name returns the name of the input.
func (r *Reader) Name() string { return r.name }

// Arrived returns when a log took the frame of the record that Next returned last; the zero time elsewhere.
func (r *Reader) Arrived() time.Time { return r.current.arrived }

// Errorf returns a *FormatError at the record that Next returned last, for a rule that the caller checks.
func (r *Reader) Errorf(format string, args ...any) error {
	return r.wrap(r.current.record-1, fmt.Errorf(format, args...))
}

func (r *Reader) wrap(record int, err error) error {
	return &FormatError{
		Name: r.name, Unit: r.source.Unit(), Frame: r.current.number, Offset: r.current.offset, Record: record, Err: err,
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
