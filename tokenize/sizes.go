package main

import (
	"encoding/binary"
	"math"

	"privpipe/pipelines/endpoint"
	"privpipe/pipelines/filter"
	"privpipe/pipelines/model/size"
	"privpipe/pipelines/vocabulary"
	"privpipe/pipelines/wire"
)

// sizesOutput is the flag of a second output, with a row for each document's size.
type sizesOutput struct {
	Sizes string `output:"" placeholder:"FILE" help:"Also write the size of each document to FILE, as a row that estep size reads. FILE is as private as the documents."`
}

// A sizeWriter writes the sizes of documents. It is nil if nobody asked for sizes.
type sizeWriter struct{ out *endpoint.StreamWriter }

// createSizes begins the stream of sizes, if there is to be one.
func (s sizesOutput) createSizes(documents output, settings []byte) (*sizeWriter, error) {
	if s.Sizes == "" {
		return nil, nil
	}
	if err := endpoint.CheckOutput(s.Sizes, documents.side()); err != nil {
		return nil, err
	}
	h := documents.header(vocabulary.Words(size.Family.Features), settings)
	h.Values = true
	out, err := endpoint.CreateStream(s.Sizes, h, documents.Compress.Compress)
	return &sizeWriter{out}, err
}

func (w *sizeWriter) abort() {
	if w != nil {
		w.out.Abort()
	}
}

func (w *sizeWriter) commit() error {
	if w == nil {
		return nil
	}
	return w.out.Commit()
}

// add writes the sizes of documents that have names already.
func (w *sizeWriter) add(entries []entry) error {
	if w == nil {
		return nil
	}
	for _, e := range entries {
		d := e.record.GetDocument()
		if err := w.out.Write(sizeOf(d.Id, d.User, len(d.Counts), e.words.Coverage())); err != nil {
			return err
		}
	}
	return nil
}

// sizeOf returns the row for one document. different is its number of different known words. coverage is the share of
// known words in its text. The row has the features of package size that are not 0.
func sizeOf(id, user string, different int, coverage float64) *wire.Record {
	features := []float64{
		size.Documents: 1, size.Empty: 0, size.Words: min(1, float64(different)/size.MostWords), size.Known: coverage,
	}
	if different == 0 {
		features[size.Empty] = 1
	}
	d := &wire.Document{Id: id, User: user}
	gap := uint32(0) // to the previous feature
	for i, x := range features {
		if i > 0 {
			gap++
		}
		if x != 0 {
			d.WordGaps = append(d.WordGaps, gap)
			d.Values = binary.LittleEndian.AppendUint32(d.Values, math.Float32bits(float32(x)))
			gap = 0
		}
	}
	return &wire.Record{Body: &wire.Record_Document{Document: d}}
}

// sizes writes the sizes of documents from any program's stream.
type sizes struct{ rewriting }

// Help is what --help adds for this command.
func (*sizes) Help() string {
	return "A row has four features in [0, 1]: 1 for the document, 1 if the vocabulary has none of its words, how " +
		"many different words the " +
		"vocabulary has (200 of them are 1), and their share of all words of the document. A stream of documents " +
		"does not tell that share, " +
		"which then is 1: tokenize text --sizes knows it. estep size makes contributions of the rows."
}

// Run is kong's hook.
func (s *sizes) Run(r *filter.Run) error {
	if err := endpoint.Distinct(s.Output, s.Input); err != nil {
		return err
	}
	return s.rewrite(r, rewriter{
		values: true,
		header: func(_ *endpoint.StreamReader, h *wire.Header) error {
			features := vocabulary.Words(size.Family.Features)
			h.Values, h.Vocabulary, h.VocabularySize = true, features.Hash(), uint32(len(features))
			return nil
		},
		record: func(record *wire.Record) *wire.Record {
			d := record.GetDocument()
			known := 0.0
			if len(d.WordGaps) > 0 {
				known = 1
			}
			return sizeOf(d.Id, d.User, len(d.WordGaps), known)
		},
		tallies: func(map[string]uint64) map[string]uint64 { return nil }, // they count the text's words, not rows
	})
}
