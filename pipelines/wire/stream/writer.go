package stream

import (
	"errors"
	"io"
	"slices"
	"sync"

	"github.com/cespare/xxhash/v2"

	"privpipe/pipelines/wire"
)

// target is the content size that closes a frame, in bytes. Larger frames compress no better; smaller ones cost more
// headers and more writes.
const target = 256 << 10

// A Mark says what a frame does to the rounds, or the sets of matrices, in its stream.
type Mark struct {
	Round  uint32 // the round of the frame's last record
	Closes bool   // the frame ends a round or a set, or its records stand outside of them
	Ends   bool   // it holds the end record
}

// A FrameWriter takes frames with their marks. It replaces an io.Writer that takes each frame with one call.
type FrameWriter interface {
	WriteFrame(frame []byte, mark Mark) error
}

// A Writer writes one stream. It is not safe for concurrent use; its Framer is.
type Writer struct {
	out     io.Writer
	marked  FrameWriter // out, if it is a FrameWriter
	mark    Mark        // the mark for the records written so far
	framer  *Framer
	order   order
	content []byte // the header and the records of the current frame
	frame   []byte // scratch
	hash    *xxhash.Digest
	records uint64
	ended   bool
	err     error // first error of out; it repeats
}

// NewWriter returns a Writer for a stream with header h. The first frame is written when it is full or at Flush. The
// caller must not change h afterwards.
func NewWriter(out io.Writer, h *wire.Header, c *Compressor) (*Writer, error) {
	framer, err := NewFramer(h, c)
	if err != nil {
		return nil, err
	}
	w := &Writer{out: out, framer: framer, order: newOrder(h), hash: xxhash.New(), frame: take(),
		content: append(take(), framer.header...)}
	w.marked, _ = out.(FrameWriter)
	w.hash.Write(framer.header)
	return w, nil
}

// Write appends r to the stream. It checks r, so that a stage cannot write records that its readers would refuse.
func (w *Writer) Write(r *wire.Record) error {
	if err := wire.Check(w.framer.Header, r); err != nil {
		return err
	}
	if err := w.order.admit(r); err != nil {
		return err
	}
	was := len(w.content)
	content, err := wire.Append(w.content, r)
	if err != nil {
		return err
	}
	w.content = content
	w.records++
	if len(content) <= wire.MaxContent {
		w.mark = w.markOf(r)
		if len(w.body()) >= target {
			return w.Flush()
		}
		return nil
	}
	// r does not fit beside the records before it: they go out first.
	w.content = content[:was]
	if err := w.Flush(); err != nil {
		return err
	}
	w.content = append(w.content, content[was:]...)
	w.mark = w.markOf(r)
	return nil
}

// body is the records of the current frame, without the header.
func (w *Writer) body() []byte { return w.content[len(w.framer.header):] }

// markOf returns the mark for a frame that ends with r, the last record that the order admitted.
func (w *Writer) markOf(r *wire.Record) Mark { return Mark{Round: r.Round, Closes: w.order.between()} }

// Flush writes the current frame, if it holds a record.
func (w *Writer) Flush() error {
	if w.err != nil || len(w.body()) == 0 {
		return w.err
	}
	w.frame = w.framer.compressor.AppendFrame(w.frame[:0], w.content)
	body := w.body()
	w.content = w.content[:len(w.framer.header)]
	return w.writeFrame(w.frame, body)
}

func (w *Writer) writeFrame(frame, body []byte) error {
	w.hash.Write(body)
	if w.marked != nil {
		w.err = w.marked.WriteFrame(frame, w.mark)
	} else {
		_, w.err = w.out.Write(frame)
	}
	return w.err
}

// Close writes the end record with tallies and flushes. It does not close the underlying writer. Without Close a reader
// refuses the stream as truncated: call it only when everything is written and well.
func (w *Writer) Close(tallies ...*wire.Tally) error {
	if w.ended {
		return errors.New("stream is already ended")
	}
	if err := w.order.finish(); err != nil {
		return err
	}
	// The hash covers the records of this frame, so they are hashed before the end record is made.
	if err := w.Flush(); err != nil {
		return err
	}
	w.ended, w.mark.Ends = true, true
	end := &wire.Record{Body: &wire.Record_End{End: &wire.End{Records: w.records, Hash: w.hash.Sum64(),
		Tallies: tallies}}}
	content, err := wire.Append(w.content, end)
	if err != nil {
		return err
	}
	w.content = content
	err = w.Flush()
	give(w.content)
	give(w.frame)
	w.content, w.frame = slices.Clip(w.framer.header), nil
	return err
}

// memory holds *[]byte for contents and frames of all streams: the garbage collector has less to do.
var memory sync.Pool

// take returns an empty slice, in memory that was used before if there is any.
func take() []byte {
	if b, ok := memory.Get().(*[]byte); ok {
		return (*b)[:0]
	}
	return nil
}

// give takes memory that is no longer used.
func give(b []byte) { memory.Put(&b) }

// A Framer turns consecutive records into frames of one stream. It is safe for concurrent use, so that workers can
// encode and compress in parallel while one Writer keeps the order.
type Framer struct {
	Header     *wire.Header
	header     []byte // encoded, with its length
	compressor *Compressor
}

// NewFramer returns a Framer. It refuses a header that breaks a rule of the wire.
func NewFramer(h *wire.Header, c *Compressor) (*Framer, error) {
	if err := wire.CheckHeader(h); err != nil {
		return nil, err
	}
	header, err := wire.Append(nil, &wire.Record{Body: &wire.Record_Header{Header: h}})
	if err != nil {
		return nil, err
	}
	if len(header) > wire.MaxHeader {
		return nil, errors.New("header is larger than the wire allows")
	}
	return &Framer{Header: h, header: header, compressor: c}, nil
}

// Framer returns the framer of w's stream.
func (w *Writer) Framer() *Framer { return w.framer }
