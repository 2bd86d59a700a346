package job

import (
	"sync"

	"privpipe/pipelines/wire"
)

// A batch has copies of documents. One worker answers them together.
type batch struct {
	documents []*wire.Document
	numbers   []uint32 // memory of the documents' lists
	values    []byte
}

// add adds a copy of d.
func (b *batch) add(d *wire.Document) {
	n := len(b.documents)
	if n == cap(b.documents) {
		b.documents = append(b.documents, nil)
	}
	b.documents = b.documents[:n+1]
	if b.documents[n] == nil {
		b.documents[n] = new(wire.Document)
	}
	c := b.documents[n]
	c.Id, c.User, c.Label = d.Id, d.User, d.Label
	c.WordGaps, c.Counts = copied(&b.numbers, d.WordGaps), copied(&b.numbers, d.Counts)
	c.Values = copied(&b.values, d.Values)
}

// copied appends list to memory and returns the copy. Earlier copies stay valid when memory grows and moves.
func copied[T any](memory *[]T, list []T) []T {
	from := len(*memory)
	*memory = append(*memory, list...)
	return (*memory)[from:len(*memory):len(*memory)]
}

// batches keeps the memory of answered batches for later batches. This spares the garbage collector work.
type batches struct{ pool sync.Pool }

// take returns a batch without documents.
func (m *batches) take() *batch {
	b, ok := m.pool.Get().(*batch)
	if !ok {
		return new(batch)
	}
	b.documents, b.numbers, b.values = b.documents[:0], b.numbers[:0], b.values[:0]
	return b
}

// give takes back a batch with documents that nobody uses any more.
func (m *batches) give(b *batch) { m.pool.Put(b) }
