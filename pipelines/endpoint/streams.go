package endpoint

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"privpipe/pipelines/exit"
	"privpipe/pipelines/wire"
	"privpipe/pipelines/wire/stream"
)

// A StreamReader is a stream that was opened with Streams.
type StreamReader struct {
	*stream.Reader
	input *Input
}

// Close closes the input below.
func (r *StreamReader) Close() error { return r.input.Close() }

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
}

// OpenStream opens a stream, reads its header, and refuses a stream that is not wanted.
func OpenStream(name string, wanted Wanted) (*StreamReader, *wire.Header, error) {
	in, err := Open(name)
	if err != nil {
		return nil, nil, err
	}
	r, err := stream.NewReader(in, in.Name)
	if err != nil {
		in.Close()
		return nil, nil, err
	}
	h, err := r.Header()
	if err == nil {
		err = wanted.check(in.Name, h)
	} else if errors.Is(err, stream.ErrEmpty) && name == Stdio {
		err = exit.Errorf(exit.Code(err), "%w", err).WithHint("the stage before this one stopped: it says why")
	}
	if err != nil {
		in.Close()
		return nil, nil, err
	}
	return &StreamReader{r, in}, h, nil
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
	return nil
}

// A StreamWriter is a stream under way to an Output.
type StreamWriter struct {
	*stream.Writer
	output *Output
}

// CreateStream opens an output for a stream with header h. compression is "none", "fast", "best" or "auto": none
// where a process reads the other end of a pipe, fast elsewhere (measured: `just bench`, pipeline).
func CreateStream(name string, h *wire.Header, compression string) (*StreamWriter, error) {
	out, err := Create(name, h.Side)
	if err != nil {
		return nil, err
	}
	w, err := out.Stream(h, compression)
	if err != nil {
		out.Abort()
		return nil, err
	}
	return w, nil
}

// Stream begins a stream with header h on o, which it takes over.
func (o *Output) Stream(h *wire.Header, compression string) (*StreamWriter, error) {
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
