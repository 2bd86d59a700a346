package command

import (
	"context"

	"privpipe/pipelines/endpoint"
	"privpipe/pipelines/parallel"
	"privpipe/pipelines/progress"
	"privpipe/pipelines/wire"
	"privpipe/pipelines/wire/stream"
	"privpipe/sample/internal/coin"
	"privpipe/sample/internal/corpus"
)

// parts are the output streams: one for a file or a pipe, one for each partition of a topic. All of a unit's documents
// in a round go to one part. Each part has a RoundOpen and a RoundClose for every round. The RoundClose counts only the
// units in its part, perhaps none.
type parts struct {
	outs    []*endpoint.StreamWriter // at least 1
	workers int
	meter   progress.Meter
}

// create opens the output.
func (s *Command) create(ctx context.Context, header *wire.Header) (*parts, error) {
	outs, err := endpoint.CreateStreams(ctx, s.Output, header, s.Compress.Compress)
	p := &parts{outs: outs, workers: s.N(), meter: progress.Meter{Name: "sample", Unit: "round"}}
	p.meter.Total.Store(int64(s.all()))
	return p, err
}

// commit ends all parts. The first part gets the tallies.
func (p *parts) commit(tallies ...*wire.Tally) error {
	for _, out := range p.outs {
		if err := out.Commit(tallies...); err != nil {
			return err
		}
		tallies = nil
	}
	return nil
}

// abort drops the parts that are not committed.
func (p *parts) abort() {
	for _, out := range p.outs {
		out.Abort()
	}
}

// of returns a unit's part: the unit's digest modulo the number of parts. So every program that samples puts a unit
// into the same part in every round.
func (p *parts) of(digest uint64) int { return int(digest % uint64(len(p.outs))) }

// write writes one round: all parts in one pass over the corpus.
func (p *parts) write(ctx context.Context, documents *corpus.Corpus, scheme *wire.Scheme, round uint32,
	chosen coin.Set) error {
	open := &wire.Record{Round: round, Body: &wire.Record_RoundOpen{RoundOpen: &wire.RoundOpen{Scheme: scheme}}}
	for _, out := range p.outs {
		if err := out.Write(open); err != nil {
			return err
		}
	}
	closes := make([]wire.RoundClose, len(p.outs))
	if err := p.documents(ctx, documents, round, chosen, closes); err != nil {
		return err
	}
	for unit := chosen.From(0); unit >= 0; unit = chosen.From(unit + 1) {
		digest := documents.Digests()[unit]
		end := &closes[p.of(digest)]
		end.Units++
		end.UnitDigest += digest
	}
	for i, out := range p.outs {
		if err := out.Write(&wire.Record{Round: round,
			Body: &wire.Record_RoundClose{RoundClose: &closes[i]}}); err != nil {
			return err
		}
		if err := out.Flush(); err != nil {
			return err
		}
	}
	p.meter.Done.Store(int64(round))
	return nil
}

// batchDocuments is how many documents a worker encodes at a time.
const batchDocuments = 512

// A batch is a list of documents for one part. Each document is given by its number in the corpus.
type batch struct {
	part      int
	documents []int
}

// frames are a batch's encoded frames, ready for its part.
type frames struct {
	part  int
	ready []*stream.Batch
}

// drawnFrom returns the first document from i on with a chosen unit, or the number of documents if there is none.
func drawnFrom(documents *corpus.Corpus, chosen coin.Set, i int) int {
	if documents.Unit() == wire.Unit_DOCUMENT { // each document is a unit with the same number
		if i = chosen.From(i); i < 0 {
			return documents.Documents()
		}
		return i
	}
	for i < documents.Documents() && !chosen.Has(documents.UnitOf(i)) {
		i++
	}
	return i
}

// documents writes the documents of the chosen units to their parts, and counts the documents in closes. Each part
// keeps the order of the corpus. Workers encode and compress.
func (p *parts) documents(ctx context.Context, documents *corpus.Corpus, round uint32, chosen coin.Set,
	closes []wire.RoundClose) error {
	waiting := make([][]int, len(p.outs))
	document := -1
	next := func() (b batch, more bool, err error) {
		for document < documents.Documents() {
			if document = drawnFrom(documents, chosen, document+1); document == documents.Documents() {
				break
			}
			part := p.of(documents.Digests()[documents.UnitOf(document)])
			closes[part].Records++
			if waiting[part] = append(waiting[part], document); len(waiting[part]) == batchDocuments {
				b, waiting[part] = batch{part, waiting[part]}, nil
				return b, true, nil
			}
		}
		for part, left := range waiting {
			if len(left) > 0 {
				waiting[part] = nil
				return batch{part, left}, true, nil
			}
		}
		return batch{}, false, nil
	}
	encode := func(_ int, b batch) (frames, error) {
		encoded := make([][]byte, len(b.documents))
		for j, i := range b.documents {
			var err error
			if encoded[j], err = documents.Encoded(i); err != nil {
				return frames{}, err
			}
		}
		p.meter.Documents.Add(int64(len(encoded)))
		// load and window read the documents from streams with the same settings.
		ready, err := p.outs[b.part].Framer().DocumentBatches(round, encoded)
		return frames{b.part, ready}, err
	}
	return parallel.Map(ctx, p.workers, next, encode, func(f frames) error {
		for _, b := range f.ready {
			if err := p.outs[f.part].WriteBatch(b); err != nil {
				return err
			}
		}
		return nil
	})
}
