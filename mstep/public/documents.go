package public

import (
	"cmp"
	"context"
	"io"
	"math"
	"slices"

	"privpipe/pipelines/endpoint"
	"privpipe/pipelines/exit"
	"privpipe/pipelines/vocabulary"
	"privpipe/pipelines/wire"
)

// documents are public documents. Each has its distinct words.
type documents struct {
	ids  []uint32 // all documents' words, one document after another
	ends []int    // the end of each document in ids
	// For each word: its sum of count/‖count‖₂ over the documents, as in estep words.
	counts []float64
}

func newDocuments(words int) *documents { return &documents{counts: make([]float64, words)} }

func (d *documents) number() int { return len(d.ends) }

// readAll takes the documents from a stream. They must be public.
func (d *documents) readAll(ctx context.Context, name string, vocab vocabulary.Words) error {
	in, h, err := endpoint.OpenStream(ctx, name,
		endpoint.Wanted{Kinds: []wire.Kind{wire.Kind_DOCUMENTS}, Side: wire.Side_PUBLIC})
	if err != nil {
		return err
	}
	defer in.Close()
	if string(h.Vocabulary) != string(vocab.Hash()) || h.Values {
		return exit.Errorf(exit.Malformed, "%s: documents over another vocabulary than --vocab", name)
	}
	for {
		record, err := in.Next()
		if err == io.EOF {
			return in.Complete()
		}
		if err != nil {
			return err
		}
		d.add(record.GetDocument())
	}
}

func (d *documents) add(document *wire.Document) {
	if len(document.Counts) == 0 {
		return
	}
	from := len(d.ids)
	d.ids = wire.AppendIDs(d.ids, document.WordGaps)
	d.ends = append(d.ends, len(d.ids))
	square := 0.0
	for _, c := range document.Counts {
		square += float64(c) * float64(c)
	}
	for i, c := range document.Counts {
		d.counts[d.ids[from+i]] += float64(c) / math.Sqrt(square)
	}
}

// frequencies returns the frequency of each word. 0.01 is added to each word's sum, so that all frequencies are
// positive.
func (d *documents) frequencies() []float64 {
	total := 0.0
	p := make([]float64, len(d.counts))
	for v, c := range d.counts {
		p[v] = c + 0.01
		total += p[v]
	}
	for v := range p {
		p[v] /= total
	}
	return p
}

// frequent returns the ranks of the most frequent words, and -1 for the rest.
func (d *documents) frequent() []int {
	order := make([]int, len(d.counts))
	for v := range order {
		order[v] = v
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(d.counts[b], d.counts[a]) })
	places := slices.Repeat([]int{-1}, len(order))
	for i, v := range order[:min(len(order), widest)] {
		places[v] = i
	}
	return places
}
