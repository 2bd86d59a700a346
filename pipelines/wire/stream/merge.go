package stream

import (
	"crypto/sha256"
	"fmt"

	"google.golang.org/protobuf/proto"

	"privpipe/pipelines/wire"
)

// merge makes one stream of what several writers of it appended to a log: a program that was started again after a crash, or
// taken for dead. Each writer's frames are a stream, or the beginning of one, and all writers would write the same: that
// is SPEC.md, "Topics". So what came already is dropped:
//
//   - A round, or a set of matrices, that is closed: the first writer to close it settles it.
//   - A document of the open round. Contributions pass through: privatize drops them, where an auditor reads it.
//
// A set of matrices and a partial sum count when a writer has written the whole of it.
type merge struct {
	amid     bool         // the log is read from its middle on
	all      bool         // nothing that came already is dropped: see NewHistoryReader
	begin    uint32       // the round after which it is read
	any      bool         // a round or set was closed
	last     uint32       // which
	open     *wire.Record // RoundOpen of the open round, nil between rounds
	seen     map[[sha256.Size]byte]struct{}
	ended    bool
	wantEnd  bool     // of documents, too
	passEnds bool     // of single records: see PassEnds
	named    *decoder // of the writer of predictions whose Words pass
}

// take appends to ready the records that count now that d has read one more.
func (m *merge) take(ready []*wire.Record, d *decoder, record *wire.Record) ([]*wire.Record, error) {
	if !d.joined {
		return ready, nil
	}
	switch kind := d.order.header.Kind; {
	case inSets(kind):
		return m.whole(ready, d, record), nil
	case single(kind):
		if record.GetWords() != nil {
			// Every writer of predictions names the columns, in the same way: the vocabulary of their header.
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

// whole lets the records of a round or a set pass when they are all there.
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

// flow lets the records of a round pass as they come.
func (m *merge) flow(ready []*wire.Record, d *decoder, record *wire.Record) ([]*wire.Record, error) {
	if m.closed(record.Round) || m.open != nil && record.Round < m.open.Round {
		d.group = nil
		return ready, nil
	}
	switch {
	case record.GetRoundOpen() != nil:
		if m.open == nil {
			m.open, m.seen = record, make(map[[sha256.Size]byte]struct{})
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
		m.any, m.last, m.open, m.seen = true, record.Round, nil, nil
	case record.GetDocument() != nil:
		key := sha256.Sum256(d.encoded)
		if _, again := m.seen[key]; again {
			return ready, nil
		}
		m.seen[key] = struct{}{}
	case record.GetContribution() != nil: // its parts stay together
		d.group = append(d.group, record)
		if record.GetContribution().More {
			return ready, nil
		}
		ready = append(ready, d.group...)
		d.group = nil
		return ready, nil
	}
	return append(ready, record), nil
}

// closed says whether a round, or a set after it, was closed already.
func (m *merge) closed(round uint32) bool { return m.any && !m.all && round <= m.last }

// before says whether what was read of a writer may be frames from before the middle where reading began, which it sent again
// alone: of rounds that are not read, or of a set that does not become whole.
func (m *merge) before(d *decoder) bool {
	return m.begin > 0 && d.order.round <= m.begin || m.amid && inSets(d.order.header.Kind)
}

// over says whether the stream has come to its end, now that one of its writers has. The writers of rounds would all
// write the same, and one that ends has written all; those of single records write each its own.
func (m *merge) over(kind wire.Kind, writers map[string]*decoder) bool {
	m.ended = true
	if single(kind) {
		for _, d := range writers {
			m.ended = m.ended && d.ended
		}
	}
	return m.ended && !m.all && !(m.passEnds && single(kind))
}

// inSets says whether the records of a kind count in sets, or in rounds of one set.
func inSets(kind wire.Kind) bool {
	return kind == wire.Kind_RELEASES || kind == wire.Kind_PARAMETERS || kind == wire.Kind_CHECKPOINT || kind == wire.Kind_SUMS
}

// complete says whether a log that stops here is a whole stream: if it has ended, or is of documents, which may come for
// ever if nobody wants their end.
func (m *merge) complete(kind wire.Kind) bool {
	return m.ended || m.all || kind == wire.Kind_DOCUMENTS && !m.wantEnd
}

// single says whether the records of a kind stand for themselves, outside of rounds and sets.
func single(kind wire.Kind) bool {
	return kind == wire.Kind_DOCUMENTS || kind == wire.Kind_SCORES || kind == wire.Kind_TERMS || kind == wire.Kind_PREDICTIONS
}
