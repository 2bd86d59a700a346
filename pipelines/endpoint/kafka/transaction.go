package kafka

import (
	"cmp"
	"encoding/binary"
	"slices"
)

// transactions tells which batches in an answer count. Batches in aborted transactions do not count, and neither do the
// markers that end transactions. With isolation level read_committed the broker holds back open transactions, and lists
// the aborted ones: https://kafka.apache.org/protocol, "Fetch API".
type transactions struct {
	aborted   []aborted // the aborted transactions that have not begun yet, sorted by offset
	producers map[int64]bool
}

// An aborted transaction begins at the offset first and ends with the producer's next marker.
type aborted struct{ producer, first int64 }

// readTransactions reads a list of n aborted transactions from an answer. After each of them it calls rest, which reads
// the further fields.
func readTransactions(in *cursor, n int, rest func()) *transactions {
	t := &transactions{producers: make(map[int64]bool)}
	for ; n > 0 && !in.short; n-- {
		t.aborted = append(t.aborted, aborted{producer: in.number(8), first: in.number(8)})
		rest()
	}
	slices.SortFunc(t.aborted, func(a, b aborted) int { return cmp.Compare(a.first, b.first) })
	return t
}

// counts says whether the messages in the next batch count. The batch's last offset is last.
func (t *transactions) counts(batch []byte, last int64) bool {
	for len(t.aborted) > 0 && t.aborted[0].first <= last {
		t.producers[t.aborted[0].producer] = true
		t.aborted = t.aborted[1:]
	}
	attributes, producer := binary.BigEndian.Uint16(batch[batchAttributes:]),
		int64(binary.BigEndian.Uint64(batch[batchProducer:]))
	if attributes&attributeControl != 0 {
		delete(t.producers, producer)
		return false
	}
	return attributes&attributeTransactional == 0 || !t.producers[producer]
}
