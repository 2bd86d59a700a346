package audit

import (
	"bytes"
	"fmt"

	"privpipe/pipelines/wire"
	"privpipe/pipelines/wire/stream"
)

// A text is a document: how often it has each word.
type text struct {
	id     string
	counts []int
}

// encodeRound returns a stream with one round of documents.
func (c chainCase) encodeRound(round int, documents []text) ([]byte, error) {
	h := &wire.Header{
		Version: wire.Version, Kind: wire.Kind_ROUNDS, Side: wire.Side_PRIVATE, Run: runName, Unit: wire.Unit_DOCUMENT,
		Vocabulary: anyVocabulary(), VocabularySize: uint32(c.words()),
	}
	scheme := &wire.Scheme{Method: wire.Scheme_ALL, Rate: 1, Rounds: uint32(len(c.weights))}
	records := []*wire.Record{{Body: &wire.Record_RoundOpen{RoundOpen: &wire.RoundOpen{Scheme: scheme}}}}
	end := &wire.RoundClose{Records: uint64(len(documents)), Units: uint64(len(documents))}
	for _, d := range documents {
		document, ids := &wire.Document{Id: d.id}, []uint32(nil)
		for word, n := range d.counts {
			if n > 0 {
				ids, document.Counts = append(ids, uint32(word)), append(document.Counts, uint32(n))
			}
		}
		document.WordGaps = wire.AppendGaps(nil, ids)
		end.UnitDigest += wire.UnitDigest(d.id)
		records = append(records, &wire.Record{Body: &wire.Record_Document{Document: document}})
	}
	records = append(records, &wire.Record{Body: &wire.Record_RoundClose{RoundClose: end}})
	for _, r := range records {
		r.Round = uint32(round)
	}
	return encodeStream(h, records)
}

// encodeParameters returns a stream with the parameters before a round.
func (c chainCase) encodeParameters(round int) ([]byte, error) {
	h := &wire.Header{
		Version: wire.Version, Kind: wire.Kind_PARAMETERS, Side: wire.Side_PUBLIC, Run: runName, Model: "lda",
		Vocabulary: anyVocabulary(), VocabularySize: uint32(c.words()),
		Matrices: []*wire.Matrix{{Name: "weights", Rows: uint32(c.topics), Columns: uint32(c.words()),
			Element: wire.Element_FLOAT32}},
	}
	numbers := []*wire.Scalar{{Name: "alpha", Value: c.alpha}, {Name: "eta", Value: 0.1}}
	before := uint32(round - 1)
	return encodeStream(h, []*wire.Record{
		{Round: before, Body: &wire.Record_Parameters{Parameters: &wire.Parameters{Scalars: numbers}}},
		{Round: before, Body: &wire.Record_Block{Block: &wire.Block{Values: stream.AppendCells(nil,
			c.weights[before])}}},
	})
}

// anyVocabulary stands for the hash of a vocabulary. Nobody needs its words.
func anyVocabulary() []byte { return make([]byte, 32) }

func encodeStream(h *wire.Header, records []*wire.Record) ([]byte, error) {
	compressor, err := stream.NewCompressor(stream.Fast)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	w, err := stream.NewWriter(&b, h, compressor)
	if err != nil {
		return nil, err
	}
	for _, r := range records {
		if err := w.Write(r); err != nil {
			return nil, fmt.Errorf("%s: %w", h.Kind, err)
		}
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}
