package endpoint

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"privpipe/pipelines/endpoint/topic"
	"privpipe/pipelines/exit"
	"privpipe/pipelines/metrics"
	"privpipe/pipelines/wire"
	"privpipe/pipelines/wire/stream"
)

// A StreamReader is an open stream.
type StreamReader struct {
	*stream.Reader
	input *Input
	log   topic.Log // the source if the stream comes from a topic; otherwise nil
	amid  bool      // see Amid
	after place

	drained time.Time // the last result of Drained
}

// Close closes the stream's input or topic.
func (r *StreamReader) Close() error {
	if r.log != nil {
		return r.log.Close()
	}
	return r.input.Close()
}

// Drained returns a time. Next has returned every message that the topic had at this time. While the broker is away the
// time does not advance. For an input other than a topic, tells is false. Drained may be called while Next waits. A
// caller of Drained expects pauses, so a broker's answer without new messages counts as progress here.
func (r *StreamReader) Drained() (until time.Time, tells bool) {
	if r.log == nil {
		return time.Time{}, false
	}
	if until = r.log.Drained(); until.After(r.drained) {
		r.drained = until
		metrics.Progress()
	}
	return until, true
}

// Complete is called at the end of a stream of rounds. For a topic it refuses an end record before the last planned
// round: another program wrote the record, and rounds would be missing. A stream of time windows may end early.
func (r *StreamReader) Complete() error {
	reached, planned := r.rounds()
	// streams of other kinds may have no round left to answer
	if h, _ := r.Header(); h.GetKind() == wire.Kind_ROUNDS && !r.amid {
		planned = max(planned, 1)
	}
	if r.log == nil || reached >= planned {
		return nil
	}
	return exit.Errorf(exit.Malformed, "%s: it ends after round %d of %d: another program wrote the end record",
		r.Name(), reached, planned).WithHint("find who else writes the topic, and go on with new private topics")
}

// rounds returns the last round that was read, and the number of planned rounds, 0 if this number is not known.
func (r *StreamReader) rounds() (reached, planned uint32) {
	reached, planned = r.Rounds()
	return max(reached, r.after.closed), cmp.Or(planned, r.after.planned)
}

// Answered tells the reader that the answers to all rounds up to this one are durable. If the topic's name has a group,
// the round is noted for the group. The group's next program begins after the noted round.
func (r *StreamReader) Answered(round uint32) {
	if r.log != nil {
		_, planned := r.rounds()
		r.log.Note(round, planned)
	}
}

// Amid says that reading began after the beginning of the stream, because of a group's note or from= in the topic's
// name. Rounds may have been skipped, and there may be no round left to read.
func (r *StreamReader) Amid() bool { return r.amid }

// ReadOne reads the only set in a model file or a checkpoint, up to the end record: a file without an end record is
// truncated. ReadOne passes each words record to the function words, unless words is nil.
func (r *StreamReader) ReadOne(words func(*wire.Words)) (*stream.Set, error) {
	set, err := stream.ReadSet(r.Reader, words)
	if err == io.EOF {
		return nil, exit.Errorf(exit.Malformed, "%s: holds no parameters", r.Name())
	}
	if err != nil {
		return nil, err
	}
	if _, err := r.Next(); err == nil {
		return nil, exit.Errorf(exit.Malformed, "%s: holds parameters of several rounds, must be of one", r.Name())
	} else if err != io.EOF {
		return nil, err
	}
	return set, nil
}

// Wanted says which streams a stage reads.
type Wanted struct {
	Kinds []wire.Kind
	Side  wire.Side // SIDE_UNSPECIFIED: either
	// Ended makes the number of documents in a topic independent of the time of reading. It refuses a topic without an
	// end record, also with until=end, and a beginning that moves, such as from=oldest.
	Ended bool
	// Timed says that a record's arrival time decides where the record counts. Messages in a topic then need the
	// broker's time.
	Timed bool
	// Whole refuses a topic name with partition=, since one partition is not the whole topic.
	Whole bool
	// Within limits the wait for the first frame in each partition; 0 means no limit.
	Within time.Duration
	// Answers names the topic that gets the stage's answers. The input's name may have a group only if Answers is set.
	// A group notes the stage's progress, and after a restart a pipe or a file would lack the answers to the rounds
	// noted before.
	Answers string
	// MaxCells refuses matrices with more cells in total; 0 accepts any number, for a caller that compares the header
	// itself.
	MaxCells uint64
	// Values also accepts documents of real numbers. A reader of counts would see such documents as empty.
	Values bool
	// Newest makes a topic begin with its newest set of matrices, unless the topic's name says otherwise.
	Newest bool

	untilEnd bool // the topic's name has until=end
}

// OpenStreams opens the streams of an input, one for each partition if the input is a topic, otherwise one. All of them
// have the same header.
func OpenStreams(ctx context.Context, name string, wanted Wanted) ([]*StreamReader, *wire.Header, error) {
	if topic.Is(name) {
		return openTopic(ctx, name, wanted)
	}
	r, h, err := OpenStream(ctx, name, wanted)
	return []*StreamReader{r}, h, err
}

// OpenStream opens a stream, reads its header, and refuses a stream that is not wanted.
func OpenStream(ctx context.Context, name string, wanted Wanted) (*StreamReader, *wire.Header, error) {
	if topic.Is(name) {
		all, h, err := openTopic(ctx, name, wanted)
		if err != nil {
			return nil, nil, err
		}
		r, err := one(name, all, drop)
		return r, h, err
	}
	in, err := Open(ctx, name)
	if err != nil {
		return nil, nil, err
	}
	r, err := stream.NewReader(in, in.Name)
	if err != nil {
		in.Close()
		return nil, nil, err
	}
	opened, h, err := openReader(&StreamReader{Reader: r, input: in}, wanted)
	switch {
	case errors.Is(err, stream.ErrEmpty) && name == Stdio:
		err = exit.Errorf(exit.Code(err), "%w", err).WithHint("the stage before this one stopped: it says why")
	case errors.Is(err, stream.ErrForeign) && slices.Contains(wanted.Kinds, wire.Kind_DOCUMENTS):
		err = exit.Errorf(exit.Code(err), "%w", err).
			WithHint("if it is a text: tokenize text makes a stream of documents of it")
	}
	return opened, h, err
}

// openReader reads the header. If the stream is not wanted, openReader closes it and returns an error.
func openReader(r *StreamReader, wanted Wanted) (*StreamReader, *wire.Header, error) {
	h, err := r.Header()
	if err == nil {
		err = wanted.check(r.Name(), h)
	}
	if err == nil && r.log != nil {
		err = checkNamed(r.log, h)
	}
	if err != nil {
		r.Close()
		return nil, nil, err
	}
	return r, h, nil
}

func (w Wanted) check(name string, h *wire.Header) error {
	if !slices.Contains(w.Kinds, h.Kind) {
		names := make([]string, len(w.Kinds))
		for i, k := range w.Kinds {
			names[i] = k.String()
		}
		return exit.Errorf(exit.Malformed, "%s: a stream of %s, must be of %s", name, h.Kind,
			strings.Join(names, " or "))
	}
	if w.Side == wire.Side_PUBLIC && h.Side == wire.Side_PRIVATE {
		return exit.Errorf(exit.Malformed, "%s: a private stream, but this stage stands outside the privacy wall",
			name).
			WithHint("only privatize turns private records into public ones")
	}
	if h.Values && !w.Values {
		return exit.Errorf(exit.Malformed, "%s: documents of real numbers, must be of counts of words", name)
	}
	cells := cellsOf(h)
	if w.MaxCells > 0 && cells > w.MaxCells {
		return exit.Errorf(exit.Malformed, "%s: its header announces matrices of %d cells in all, must be at most %d",
			name, cells, w.MaxCells).
			WithHint("if they are meant to be so large, and memory is, too: --max-cells %d", cells)
	}
	exit.CollectOften(cells)
	return nil
}

// cellsOf returns the number of cells in all matrices that a header announces. A header has at most 64 matrices, with
// 2³¹ cells each.
func cellsOf(h *wire.Header) uint64 {
	cells := uint64(0)
	for _, m := range h.Matrices {
		cells += uint64(m.Cells())
	}
	return cells
}

// A StreamWriter writes a stream to an output.
type StreamWriter struct {
	*stream.Writer
	output output
}

// An output receives the bytes of one stream.
type output interface {
	io.Writer
	// Cheap says that "auto" compression stores a kind of records: to compress them costs more time than their bytes
	Cheap(wire.Kind) bool
	Sends() bool   // see StreamWriter.Sends
	Commit() error // completes the output
	Abort()        // drops the output; a topic keeps the messages that were sent
}

// CreateStreams opens the streams of an output, one for each partition if the output is a topic, otherwise one. All of
// them get the header h.
func CreateStreams(ctx context.Context, name string, h *wire.Header, compression string) ([]*StreamWriter, error) {
	if topic.Is(name) {
		return createTopic(ctx, name, h, compression, false)
	}
	w, err := CreateStream(ctx, name, h, compression)
	return []*StreamWriter{w}, err
}

// CreateStream opens an output for a stream with header h. compression is "none", "fast", "best" or "auto". "auto" is
// "none" for a pipe, and for rounds, contributions and parameters in a topic, otherwise "fast".
func CreateStream(ctx context.Context, name string, h *wire.Header, compression string) (*StreamWriter, error) {
	if topic.Is(name) {
		return createOne(ctx, name, h, compression, false)
	}
	out, err := Create(ctx, name, h.Side)
	if err != nil {
		return nil, err
	}
	w, err := newStream(out, h, compression)
	if err != nil {
		out.Abort()
		return nil, err
	}
	return w, nil
}

// CreateShared opens a topic with one partition for a stream with header h. Other programs also write streams to this
// topic. CreateShared does not read the topic's messages: a malformed message or another stage's message must not keep
// anybody from writing.
func CreateShared(ctx context.Context, name string, h *wire.Header, compression string) (*StreamWriter, error) {
	return createOne(ctx, name, h, compression, true)
}

// createOne begins a stream in a topic with one partition.
func createOne(ctx context.Context, name string, h *wire.Header, compression string,
	shared bool) (*StreamWriter, error) {
	if n := Of(ctx).NewTopics; n > 1 {
		return nil, exit.Errorf(exit.Usage, "--create %d: %s gets one stream, so it needs one partition", n, name)
	}
	all, err := createTopic(ctx, name, h, compression, shared)
	if err != nil {
		return nil, err
	}
	return one(name, all, (*StreamWriter).Abort)
}

// newStream begins a stream with header h on o. The StreamWriter then owns o.
func newStream(o output, h *wire.Header, compression string) (*StreamWriter, error) {
	if compression == "auto" {
		compression = string(stream.Fast)
		if o.Cheap(h.Kind) {
			compression = string(stream.None)
		}
	}
	c, err := stream.NewCompressor(stream.Compression(compression))
	if err != nil {
		return nil, exit.Errorf(exit.Usage, "--compress: %w", err)
	}
	w, err := stream.NewWriter(o, h, c)
	if err != nil {
		return nil, fmt.Errorf("cannot begin the output: %w", err)
	}
	return &StreamWriter{w, o}, nil
}

// Commit writes the end record and completes the output.
func (w *StreamWriter) Commit(tallies ...*wire.Tally) error {
	if err := w.Writer.Close(tallies...); err != nil {
		return err
	}
	return w.output.Commit()
}

// Sends says whether flushed bytes leave this process's control at once, as in a pipe, a topic or a device. A file
// stays under control: until Commit it can be dropped or begun anew.
func (w *StreamWriter) Sends() bool { return w.output.Sends() }

// Abort drops the output. A file is removed. Readers of other outputs refuse the stream, since it has no end record.
func (w *StreamWriter) Abort() { w.output.Abort() }
