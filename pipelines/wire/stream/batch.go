package stream

import (
	"encoding/binary"
	"slices"

	"privpipe/pipelines/wire"
)

// A Batch holds consecutive records that one goroutine has made ready for a Writer: see Framer.
type Batch struct {
	records []*wire.Record // for the writer's check of their order, which needs no parts of contributions
	content []byte         // the header and the records
	frame   []byte
}

// WriteBatch writes a batch as its own frames, after the records written so far. The batch is used up: its memory is
// used again.
func (w *Writer) WriteBatch(b *Batch) error {
	for _, r := range b.records {
		if err := w.order.admit(r); err != nil {
			return err
		}
	}
	if err := w.Flush(); err != nil {
		return err
	}
	w.records += uint64(len(b.records))
	w.mark = w.markOf(b.records[len(b.records)-1])
	err := w.writeFrame(b.frame, b.content[len(w.framer.header):])
	give(b.content)
	give(b.frame)
	*b = Batch{}
	return err
}

// Batches checks and encodes records into batches of one frame each, in order.
func (f *Framer) Batches(records []*wire.Record) ([]*Batch, error) {
	b := f.Batcher()
	for _, r := range records {
		if err := b.Add(r); err != nil {
			return nil, err
		}
	}
	return b.All(), nil
}

// DocumentBatches is Batches for documents in one round that wire.AppendDocument encoded. It copies the documents and
// does not check them: the caller has read each from a stream with the same vocabulary size and values in its header.
func (f *Framer) DocumentBatches(round uint32, documents [][]byte) ([]*Batch, error) {
	b := f.Batcher()
	r := &wire.Record{Round: round, Body: &wire.Record_Document{}} // the order check needs no more
	size := len(f.header)
	for _, d := range documents {
		size += len(d) + 3*binary.MaxVarintLen32 + 2 // two lengths, the round and tags
	}
	b.last.content = append(slices.Grow(take(), min(size, wire.MaxContent)), f.header...)
	b.last.records = make([]*wire.Record, 0, len(documents))
	for _, d := range documents {
		if err := b.add(r, func(to []byte) ([]byte,
			error) {
			return wire.AppendDocumentRecord(to, round, d)
		}); err != nil {
			return nil, err
		}
	}
	return b.All(), nil
}

// A Batcher checks and encodes records into batches of one frame each, in order. It is for one goroutine.
type Batcher struct {
	framer *Framer
	full   []*Batch
	last   Batch        // the batch that is not full yet
	parts  partOrder    // the order of the parts in the current contribution
	whole  *wire.Record // stands for all whole contributions in one round: see outline
}

// Batcher returns a Batcher without records.
func (f *Framer) Batcher() *Batcher { return &Batcher{framer: f} }

// Add adds a record. It keeps no memory of a contribution: the caller may use that memory again. Add refuses a record
// that readers would refuse.
func (b *Batcher) Add(r *wire.Record) error {
	if err := wire.Check(b.framer.Header, r); err != nil {
		return err
	}
	outline := r
	if c := r.GetContribution(); c != nil {
		goesOn := b.parts.more || c.More
		if err := b.parts.take(b.framer.Header, c); err != nil {
			return err
		}
		outline = b.outline(r, c, goesOn)
	}
	return b.add(outline, func(to []byte) ([]byte, error) { return wire.Append(to, r) })
}

// outline returns the part of a contribution record that the order check needs. All records in a round that are whole
// contributions share one outline.
func (b *Batcher) outline(r *wire.Record, c *wire.Contribution, goesOn bool) *wire.Record {
	if goesOn {
		part := &wire.Contribution{Unit: c.Unit, Record: c.Record, More: c.More}
		return &wire.Record{Round: r.Round, Body: &wire.Record_Contribution{Contribution: part}}
	}
	if b.whole == nil || b.whole.Round != r.Round {
		b.whole = &wire.Record{Round: r.Round, Body: &wire.Record_Contribution{Contribution: new(wire.Contribution)}}
	}
	return b.whole
}

// add adds a record that encode appends. record is the part of it that the order check needs.
func (b *Batcher) add(record *wire.Record, encode func([]byte) ([]byte, error)) error {
	if b.last.content == nil {
		b.last.content = append(take(), b.framer.header...)
	}
	was := len(b.last.content)
	content, err := encode(b.last.content)
	if err != nil {
		return err
	}
	if b.last.content = content; len(content) > wire.MaxContent {
		encoded := slices.Concat(b.framer.header, content[was:])
		b.last.content = content[:was]
		b.close()
		b.last.content = encoded
	}
	b.last.records = append(b.last.records, record)
	if len(b.last.content) >= len(b.framer.header)+target {
		b.close()
	}
	return nil
}

// close ends the current frame, if it has a record.
func (b *Batcher) close() {
	if len(b.last.records) > 0 {
		b.last.frame = b.framer.compressor.AppendFrame(take(), b.last.content)
		closed := b.last
		b.full = append(b.full, &closed)
		b.last = Batch{}
	}
}

// All returns the batches with all records that were added.
func (b *Batcher) All() []*Batch {
	b.close()
	return b.full
}
