package stream

import (
	"crypto/sha256"
	"fmt"

	"google.golang.org/protobuf/proto"

	"privpipe/pipelines/wire"
)

// merge makes one stream out of frames that several writers appended to a log. A second writer is there if a program
// was started again after a crash, or was taken for dead. Each writer's frames are a stream, or the beginning of one,
// and all writers would write the same: see SPEC.md, "Topics". So merge drops repetitions:
//
//   - A round, or a set of matrices, that is closed: the first writer to close it settles it.
//   - A document in the open round. Contributions pass through: privatize drops them, where an auditor reads it.
//
// A set of matrices and a partial sum count when one writer has written the whole of it.
type merge struct {
	amid     bool                           // reading begins in the middle of the log
	all      bool                           // nothing is dropped as a repetition: see NewHistoryReader
	begin    uint32                         // reading begins after this round
	any      bool                           // a round or set was closed
	last     uint32                         // the last closed round
	open     *wire.Record                   // RoundOpen of the open round, nil between rounds
	seen     map[[sha256.Size]byte]struct{} // hashes of the open round's documents
	ended    bool
	wantEnd  bool     // a log of documents needs an end, too
	passEnds bool     // for single records: see PassEnds
	named    *decoder // the writer of predictions whose Words pass
}

// take appends to ready the records that count, now that d has read one more.
func (m *merge) take(ready []*wire.Record, d *decoder, record *wire.Record) ([]*wire.Record, error) {
	if !d.joined {
		return ready, nil
	}
	switch kind := d.order.header.Kind; {
	case inSets(kind):
		return m.whole(ready, d, record), nil
	case single(kind):
		if record.GetWords() != nil {
			// Every writer of predictions names the columns in the same way: their names are the vocabulary in the
			// header.
			if m.named == nil {
				m.named = d
			}
			if m.named != d {
				return ready, nil
			}
		}
		m.ended = false // this writer goes on, perhaps after the ends of others: see PassEnds
		return append(ready, record), nil
	}
	return m.flow(ready, d, record)
}

// whole lets the records in a round or a set pass when all of them are there.
func (m *merge) whole(ready []*wire.Record, d *decoder, record *wire.Record) []*wire.Record {
	if m.closed(record.Round) && record.GetWords() == nil {
		d.group = nil
		return ready
	}
	d.group = append(d.group, record)
	if !d.order.between() || record.GetWords() != nil {
		return ready
	}
	ready = append(ready, d.group...)
	d.group = nil
	m.any, m.last = true, record.Round
	return ready
}

// flow lets the records in a round pass as they come.
func (m *merge) flow(ready []*wire.Record, d *decoder, record *wire.Record) ([]*wire.Record, error) {
	if m.closed(record.Round) || m.open != nil && record.Round < m.open.Round {
		d.group = nil
		return ready, nil
	}
	switch {
	case record.GetRoundOpen() != nil:
		if m.open == nil {
			if m.open = record; m.seen == nil {
				m.seen = make(map[[sha256.Size]byte]struct{})
			}
			return append(ready, record), nil
		}
		if record.Round != m.open.Round {
			return nil, fmt.Errorf("round %d opens, and round %d was never closed", record.Round, m.open.Round)
		}
		if !proto.Equal(record, m.open) {
			return nil, fmt.Errorf("round %d was begun again under another scheme or with other coins", record.Round)
		}
		return ready, nil
	case record.GetRoundClose() != nil:
		m.any, m.last, m.open = true, record.Round, nil
		clear(m.seen) // the next round fills the same memory
	case record.GetDocument() != nil:
		others := len(m.seen)
		if m.seen[sha256.Sum256(d.encoded)] = struct{}{}; len(m.seen) == others {
			return ready, nil
		}
	case record.GetContribution() != nil: // its parts stay together
		if record.GetContribution().More {
			d.group = append(d.group, record)
			return ready, nil
		}
		ready = append(ready, d.group...)
		d.group = nil
	}
	return append(ready, record), nil
}

// closed says whether a round, or a set after it, was closed already.
func (m *merge) closed(round uint32) bool { return m.any && !m.all && round <= m.last }

// before says whether this writer's frames may come from before the middle where reading began. A writer may have sent
// such frames again without the others. They belong to rounds that are not read, or to a set that does not become
// whole.
func (m *merge) before(d *decoder) bool {
	return m.begin > 0 && d.order.round <= m.begin || m.amid && inSets(d.order.header.Kind)
}

// over says whether the stream has come to its end, now that one of its writers has. All writers of rounds would write
// the same, so one that ends has written everything. The writers of single records each write their own.
func (m *merge) over(kind wire.Kind, writers map[string]*decoder) bool {
	m.ended = true
	if single(kind) {
		for _, d := range writers {
			m.ended = m.ended && d.ended
		}
	}
	return m.ended && !m.all && !(m.passEnds && single(kind))
}

// inSets says whether this kind's records count in sets, or in rounds that hold one set.
func inSets(kind wire.Kind) bool {
	return kind == wire.Kind_RELEASES || kind == wire.Kind_PARAMETERS || kind == wire.Kind_CHECKPOINT ||
		kind == wire.Kind_SUMS
}

// complete says whether a log that stops here is a whole stream. It is if it has ended. Documents may come for ever, so
// a log of documents is whole if nobody wants its end.
func (m *merge) complete(kind wire.Kind) bool {
	return m.ended || m.all || kind == wire.Kind_DOCUMENTS && !m.wantEnd
}

// single says whether this kind's records stand for themselves, outside of rounds and sets.
func single(kind wire.Kind) bool {
	return kind == wire.Kind_DOCUMENTS || kind == wire.Kind_SCORES || kind == wire.Kind_TERMS ||
		kind == wire.Kind_PREDICTIONS
}
