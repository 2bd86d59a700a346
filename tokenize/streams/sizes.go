package streams

import (
	"context"
	"encoding/binary"
	"math"

	"privpipe/pipelines/endpoint"
	"privpipe/pipelines/filter"
	"privpipe/pipelines/model/families"
	"privpipe/pipelines/vocabulary"
	"privpipe/pipelines/wire"
)

// SizesOutput is the flag of a second output, with a row for each document's size.
type SizesOutput struct {
	Sizes string `output:"" placeholder:"FILE" help:"Also write the size of each document to FILE, as a row that estep size reads. FILE is as private as the documents."`
}

// A SizeWriter writes the sizes of documents. It is nil if nobody asked for sizes.
type SizeWriter struct{ out *endpoint.StreamWriter }

// Create begins the stream of sizes of documents, if there is to be one.
func (s SizesOutput) Create(ctx context.Context, side wire.Side, settings []byte,
	compression string) (*SizeWriter, error) {
	if s.Sizes == "" {
		return nil, nil
	}
	if err := endpoint.CheckOutput(s.Sizes, side); err != nil {
		return nil, err
	}
	features := vocabulary.Words(families.Size.Features)
	out, err := endpoint.CreateStream(ctx, s.Sizes, &wire.Header{
		Version: wire.Version, Kind: wire.Kind_DOCUMENTS, Side: side, Values: true,
		Vocabulary: features.Hash(), VocabularySize: uint32(len(features)), Settings: settings,
	}, compression)
	return &SizeWriter{out}, err
}

// Abort discards the sizes.
func (w *SizeWriter) Abort() {
	if w != nil {
		w.out.Abort()
	}
}

// Commit completes the stream.
func (w *SizeWriter) Commit() error {
	if w == nil {
		return nil
	}
	return w.out.Commit()
}

// Add writes the size of a document that has a name already. coverage is the share of known words in its text.
func (w *SizeWriter) Add(d *wire.Document, coverage float64) error {
	if w == nil {
		return nil
	}
	return w.out.Write(sizeOf(d.Id, d.User, len(d.Counts), coverage))
}

// sizeOf returns the row for one document. different is its number of different known words. coverage is the share of
// known words in its text. The row has the features of families.Size that are not 0.
func sizeOf(id, user string, different int, coverage float64) *wire.Record {
	features := []float64{
		families.SizeDocuments: 1, families.SizeEmpty: 0,
		families.SizeWords: min(1, float64(different)/families.SizeMostWords), families.SizeKnown: coverage,
	}
	if different == 0 {
		features[families.SizeEmpty] = 1
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

// Sizes writes the sizes of documents from any program's stream.
type Sizes struct{ rewriting }

// Help is what --help adds for this command.
func (*Sizes) Help() string {
	return "A row has four features in [0, 1]: 1 for the document, 1 if the vocabulary has none of its words, how " +
		"many different words the " +
		"vocabulary has (200 of them are 1), and their share of all words of the document. A stream of documents " +
		"does not tell that share, " +
		"which then is 1: tokenize text --sizes knows it. estep size makes contributions of the rows."
}

// Run is kong's hook.
func (s *Sizes) Run(r *filter.Run) error {
	if err := endpoint.Distinct(r, s.Output, s.Input); err != nil {
		return err
	}
	return s.rewrite(r, rewriter{
		values: true,
		header: func(_ *endpoint.StreamReader, h *wire.Header) error {
			features := vocabulary.Words(families.Size.Features)
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
