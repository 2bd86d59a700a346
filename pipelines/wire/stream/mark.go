package stream

import (
	"errors"
	"sync"

	"privpipe/pipelines/wire"
)

// A Found is the place in a stream that one or more frames state. A message's headers state it, too, but anybody may
// write those.
type Found struct {
	Header *wire.Header // the last frame's header
	Begins bool         // the last frame holds the beginning of a round or a set
	// Mark belongs to the last frame. If a frame has only the end record, its Round is 0.
	Mark
}

// decompressors holds the decompressors for Find that nobody uses.
var decompressors sync.Pool

// Find decodes frames, and returns the place that the last of them states.
func Find(frames []byte) (Found, error) {
	parts, err := SplitFrames(frames)
	if err != nil {
		return Found{}, err
	}
	if len(parts) == 0 {
		return Found{}, errTruncated
	}
	z, pooled := decompressors.Get().(*decompressor)
	if !pooled {
		if z, err = newDecompressor(); err != nil {
			return Found{}, err
		}
	}
	defer decompressors.Put(z)
	content, err := z.of(parts[len(parts)-1])
	if err != nil {
		return Found{}, err
	}
	d := decoder{rest: content}
	record, _, err := d.decode()
	if err != nil {
		return Found{}, err
	}
	found := Found{Header: record.GetHeader()}
	if found.Header == nil {
		return Found{}, errors.New("frame does not begin with a header")
	}
	if err := wire.CheckHeader(found.Header); err != nil {
		return Found{}, err
	}
	d.wire.Reuse = true // no record is kept
	for len(d.rest) > 0 {
		record, _, err := d.decode()
		if err != nil {
			return Found{}, err
		}
		if record.GetEnd() != nil {
			found.Ends = true
			continue
		}
		if err := wire.Check(found.Header, record); err != nil {
			return Found{}, err
		}
		found.Begins = found.Begins || begins(record)
		found.Round, found.Closes = record.Round, closes(found.Header, record)
	}
	return found, nil
}

// closes says whether a record is the last in its round or set, or stands outside of them.
func closes(h *wire.Header, r *wire.Record) bool {
	switch body := r.Body.(type) {
	case *wire.Record_RoundClose:
		return true
	case *wire.Record_Document:
		return h.Kind == wire.Kind_DOCUMENTS
	case *wire.Record_Words:
		return true
	case *wire.Record_Release, *wire.Record_Parameters:
		return len(h.Matrices) == 0
	case *wire.Record_Block:
		m := int(body.Block.Matrix)
		if h.Kind == wire.Kind_SUMS || m != len(h.Matrices)-1 { // a round of sums goes on to its close
			return false
		}
		shape := h.Matrices[m]
		return body.Block.Offset+uint64(len(body.Block.Values)/shape.Element.Size()) == uint64(shape.Cells())
	}
	return single(h.Kind)
}
