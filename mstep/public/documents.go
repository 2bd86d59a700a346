package public

import (
	"cmp"
	"io"
	"math"
	"slices"

	"privpipe/pipelines/endpoint"
	"privpipe/pipelines/exit"
	"privpipe/pipelines/vocabulary"
	"privpipe/pipelines/wire"
)

// documents are public documents, each as its distinct words.
type documents struct {
	ids    []uint32  // of all documents, one after another
	ends   []int     // in ids, of each document
	counts []float64 // of each word, where a document has count/‖count‖₂, as in estep words
}

func newDocuments(words int) *documents { return &documents{counts: make([]float64, words)} }

func (d *documents) number() int { return len(d.ends) }

// readAll takes the documents of a stream, which must be public.
func (d *documents) readAll(name string, vocab vocabulary.Words) error {
	in, h, err := endpoint.OpenStream(name, endpoint.Wanted{Kinds: []wire.Kind{wire.Kind_DOCUMENTS}, Side: wire.Side_PUBLIC})
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

// frequencies returns the frequency of each word. One that no document has gets a tenth of a document's share, so that each is positive.
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

// frequent returns the places of the most frequent words among each other, and -1 for the rest.
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
