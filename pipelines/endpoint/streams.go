package endpoint

import (
	"cmp"
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
	input  *Input
	log    topic.Log // in place of input
	amid   bool
	behind place

	drained time.Time // what Drained said last
}

// Close closes the input below.
func (r *StreamReader) Close() error {
	if r.log != nil {
		return r.log.Close()
	}
	return r.input.Close()
}

// Drained is a time up to which Next has returned all that a topic had taken. A broker that is away leaves it standing. What
// is no topic cannot tell. It may be called while Next waits. Who asks knows that nothing may be due for long: an answer of the
// broker that nothing more is there counts as progress.
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

// Complete is called at the end of a stream of rounds. It refuses the end of a topic's that comes before the last round that is
// planned: another program wrote it, and rounds would be missing. A stream of windows of time may end before its time.
func (r *StreamReader) Complete() error {
	reached, planned := r.rounds()
	if h, _ := r.Header(); h.GetKind() == wire.Kind_ROUNDS && !r.amid { // of others none may be left to answer
		planned = max(planned, 1)
	}
	if r.log == nil || reached >= planned {
		return nil
	}
	return exit.Errorf(exit.Malformed, "%s: it ends behind round %d of %d: whoever wrote the end did not write the stream",
		r.Name(), reached, planned).WithHint("find who else writes the topic, and go on with new private topics")
}

// rounds is how far the stream was read, and how many rounds are planned, 0 where that is not known.
func (r *StreamReader) rounds() (reached, planned uint32) {
	reached, planned = r.Rounds()
	return max(reached, r.behind.closed), cmp.Or(planned, r.behind.planned)
}

// Answered says that what was made of all that was read, up to the end of a round, is out for good. Where a topic's name says
// a group, the next program of the group begins behind it.
func (r *StreamReader) Answered(round uint32) {
	if r.log != nil {
		_, planned := r.rounds()
		r.log.Note(round, planned)
	}
}

// Amid says that the stream was opened behind its beginning, by the note of a topic's group or as the topic's name says: any
// number of its rounds may stand before, and none may be left.
func (r *StreamReader) Amid() bool { return r.amid }

// ReadOne reads the one set of a model file or a checkpoint, to the end record: without that the file is truncated.
// Words on the way go to the function of that name, if there is one.
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
	// Ended refuses documents of a topic that stop without an end record: how many there are by then depends on time.
	Ended bool
	// Whole refuses a name that picks one partition of a topic.
	Whole bool
	// Within is how long a partition of a topic may be without its first frame; 0: for ever.
	Within time.Duration
	// Answers is the topic of what the stage makes of its input. With it the input's name may say a group, which keeps where the
	// stage has come to. A pipe or a file begins anew with the stage, and would lack what was noted.
	Answers string
	// MaxCells refuses matrices of more cells in all; 0: whatever the header says, for who compares it with what is expected.
	MaxCells uint64
	// Values takes documents of real numbers, too. Who reads counts would else take their absence for empty documents.
	Values bool
	// Newest begins a topic with its newest set of matrices, unless its name says otherwise.
	Newest bool
}

// OpenStreams opens the streams that together are an input, of one header: the partitions of a topic, else one.
func OpenStreams(name string, wanted Wanted) ([]*StreamReader, *wire.Header, error) {
	if topic.Is(name) {
		return openTopic(name, wanted)
	}
	r, h, err := OpenStream(name, wanted)
	return []*StreamReader{r}, h, err
}

// OpenStream opens a stream, reads its header, and refuses a stream that is not wanted.
func OpenStream(name string, wanted Wanted) (*StreamReader, *wire.Header, error) {
	if topic.Is(name) {
		all, h, err := openTopic(name, wanted)
		if err != nil {
			return nil, nil, err
		}
		r, err := one(name, all)
		if err != nil {
			for _, r := range all {
				r.Close()
			}
		}
		return r, h, err
	}
	in, err := Open(name)
	if err != nil {
		return nil, nil, err
	}
	r, err := stream.NewReader(in, in.Name)
	if err != nil {
		in.Close()
		return nil, nil, err
	}
	opened, h, err := openReader(&StreamReader{Reader: r, input: in}, wanted)
	if errors.Is(err, stream.ErrEmpty) && name == Stdio {
		err = exit.Errorf(exit.Code(err), "%w", err).WithHint("the stage before this one stopped: it says why")
	}
	return opened, h, err
}

// openReader reads the header, and closes a stream that is not wanted.
func openReader(r *StreamReader, wanted Wanted) (*StreamReader, *wire.Header, error) {
	h, err := r.Header()
	if err == nil {
		err = wanted.check(r.Name(), h)
	}
	if err == nil && r.log != nil && h.Side == wire.Side_PRIVATE && !r.log.Location().IsPrivate() {
		err = exit.Errorf(exit.Malformed, "%s: a private stream in a topic whose name says that it is public", r.Name()).
			WithHint("topics of private records end in %s", topic.Private)
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
		return exit.Errorf(exit.Malformed, "%s: a stream of %s, must be of %s", name, h.Kind, strings.Join(names, " or "))
	}
	if w.Side == wire.Side_PUBLIC && h.Side == wire.Side_PRIVATE {
		return exit.Errorf(exit.Malformed, "%s: a private stream, but this stage stands outside the privacy wall", name).
			WithHint("only privatize turns private records into public ones")
	}
	if h.Values && !w.Values {
		return exit.Errorf(exit.Malformed, "%s: documents of real numbers, must be of counts of words", name)
	}
	if cells := cellsOf(h); w.MaxCells > 0 && cells > w.MaxCells {
		return exit.Errorf(exit.Malformed, "%s: its header announces matrices of %d cells in all, must be at most %d", name, cells, w.MaxCells).
			WithHint("if they are meant to be so large, and memory is, too: --max-cells %d", cells)
	}
	return nil
}

// cellsOf returns the number of cells of all matrices of a header, which has at most 64 of 2³¹ each.
func cellsOf(h *wire.Header) uint64 {
	cells := uint64(0)
	for _, m := range h.Matrices {
		cells += uint64(m.Cells())
	}
	return cells
}

// A StreamWriter is a stream under way.
type StreamWriter struct {
	*stream.Writer
	output output
}

// An output is where a stream goes.
type output interface {
	io.Writer
	Pipe() bool    // a process reads the other end of a pipe
	Commit() error // completes it
	Abort()        // drops it, as far as it can be
}

// CreateStreams opens the streams that together are an output, all with header h: the partitions of a topic, else one.
func CreateStreams(name string, h *wire.Header, compression string) ([]*StreamWriter, error) {
	if topic.Is(name) {
		return createTopic(name, h, compression)
	}
	w, err := CreateStream(name, h, compression)
	return []*StreamWriter{w}, err
}

// CreateStream opens an output for a stream with header h. compression is "none", "fast", "best" or "auto": none
// where a process reads the other end of a pipe, fast elsewhere (measured: `just bench`, pipeline).
func CreateStream(name string, h *wire.Header, compression string) (*StreamWriter, error) {
	if topic.Is(name) {
		if NewTopics > 1 {
			return nil, exit.Errorf(exit.Usage, "--create %d: %s gets one stream, and so one partition", NewTopics, name)
		}
		all, err := createTopic(name, h, compression)
		if err != nil {
			return nil, err
		}
		w, err := one(name, all)
		if err != nil {
			for _, w := range all {
				w.Abort()
			}
		}
		return w, err
	}
	out, err := Create(name, h.Side)
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

// newStream begins a stream with header h on o, which it takes over.
func newStream(o output, h *wire.Header, compression string) (*StreamWriter, error) {
	if compression == "auto" {
		compression = string(stream.Fast)
		if o.Pipe() {
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

// Abort drops the output: without an end record its reader refuses it, and a file leaves none.
func (w *StreamWriter) Abort() { w.output.Abort() }
