package main

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"testing"

	"privpipe/pipelines/testkit/script"
	"privpipe/pipelines/vocabulary"
	"privpipe/pipelines/wire"
	"privpipe/pipelines/wire/stream"
)

func TestMain(m *testing.M) {
	programs := fakes()
	maps.Copy(programs, fakeSamplers())
	programs["evaluate"] = main
	script.Main(m, programs)
}

var vocab = vocabulary.Words{"cat", "dog", "fish", "goat"}

// encode returns a stream over vocab, unless change says otherwise; without its end record, if it is to be cut.
func encode(kind wire.Kind, side wire.Side, cut bool, change func(*wire.Header), records ...*wire.Record) []byte {
	h := &wire.Header{
		Version: wire.Version, Kind: kind, Side: side, Vocabulary: vocab.Hash(), VocabularySize: uint32(len(vocab)),
	}
	if change != nil {
		change(h)
	}
	b, end := script.Stream(h, records...)
	if cut {
		b = b[:end]
	}
	return b
}

// scores are those of TestPerplexity of package score: perplexities 2^3.8, 2^4.8, 2^(5/3) and 2^(14/3).
func scores(cut bool) []byte { return scoresUnder(0, 0, cut) }

// scoresUnder are those of two documents under the parameters of a round each.
func scoresUnder(first, second uint32, cut bool) []byte {
	record := func(tokens, completion uint64, bits ...float64) *wire.Record {
		s := &wire.Score{
			Id: fmt.Sprintf("MARKER-%d", tokens), Tokens: tokens, CompletionTokens: completion,
			Bound:   -bits[0] * math.Ln2,
			Unigram: -bits[1] * math.Ln2, Completion: -bits[2] * math.Ln2, CompletionUnigram: -bits[3] * math.Ln2,
		}
		return &wire.Record{Body: &wire.Record_Score{Score: s}}
	}
	a, b := record(2, 1, 4, 6, 1, 4), record(3, 2, 15, 18, 4, 10)
	a.Round, b.Round = first, second
	return encode(wire.Kind_SCORES, wire.Side_PRIVATE, cut, nil, a, b)
}

// scoresByRound are the scores of two documents, with 5 tokens in all, under the parameters of rounds 0 to 5. The list
// has the perplexities by the bound; the perplexities by the plug-in likelihood are half of them.
func scoresByRound(side wire.Side, change func(round int, s *wire.Score)) []byte {
	var records []*wire.Record
	for round, perplexity := range []float64{100, 50, 48, 49, 40, 39} {
		for i, tokens := range []uint64{2, 3} {
			s := &wire.Score{
				Id: fmt.Sprintf("MARKER-%d", i), Tokens: tokens, Bound: -float64(tokens) * math.Log(perplexity),
				PlugIn: -float64(tokens) * math.Log(perplexity/2), Unigram: -float64(tokens) * math.Log(64),
			}
			change(round, s)
			records = append(records, &wire.Record{Round: uint32(round), Body: &wire.Record_Score{Score: s}})
		}
	}
	return encode(wire.Kind_SCORES, side, false, nil, records...)
}

func documents(side wire.Side, change func(*wire.Header), bags ...[]uint32) []byte {
	var records []*wire.Record
	for i, ids := range bags {
		d := &wire.Document{Id: fmt.Sprintf("MARKER-%d", i), WordGaps: wire.AppendGaps(nil, ids)}
		for range ids {
			d.Counts = append(d.Counts, 2)
		}
		records = append(records, &wire.Record{Body: &wire.Record_Document{Document: d}})
	}
	return encode(wire.Kind_DOCUMENTS, side, false, change, records...)
}

// model is a model file with λ over columns words.
func model(cut bool, words vocabulary.Words, columns int, lambda ...float64) []byte {
	shape := func(h *wire.Header) {
		h.Model = "lda"
		h.VocabularySize = uint32(len(words))
		h.Matrices = []*wire.Matrix{
			{Name: "lambda", Rows: uint32(len(lambda) / columns), Columns: uint32(columns),
				Element: wire.Element_FLOAT64},
		}
	}
	var records []*wire.Record
	if len(words) > 0 {
		records = append(records, &wire.Record{Body: &wire.Record_Words{Words: &wire.Words{Words: words}}})
	}
	records = append(records, &wire.Record{Round: 1, Body: &wire.Record_Parameters{Parameters: &wire.Parameters{}}},
		&wire.Record{Round: 1, Body: &wire.Record_Block{Block: &wire.Block{Values: stream.AppendCells(nil, lambda)}}})
	return encode(wire.Kind_PARAMETERS, wire.Side_PUBLIC, cut, shape, records...)
}

func files() map[string][]byte {
	all := reportFiles()
	maps.Copy(all, smallFiles())
	maps.Copy(all, startFiles())
	maps.Copy(all, attackFiles())
	maps.Copy(all, predictionFiles())
	maps.Copy(all, membershipFiles())
	maps.Copy(all, imageFiles())
	maps.Copy(all, clusterFiles())
	maps.Copy(all, clusterModels())
	maps.Copy(all, reportedPredictions())
	return all
}

// assignments are one document's contributions to two rounds. Only one word of the document occurs once. This word has
// topic 0 in the first round and topic 1 in the second.
func assignments(cut bool, change func(*wire.Header)) []byte {
	var records []*wire.Record
	for i, counts := range [][]float32{{1, 0, 0, 0, 0, 2, 0, 0}, {0, 1, 0, 0, 1, 1, 0, 0}} {
		add := func(body *wire.Record) {
			body.Round = uint32(i + 1)
			records = append(records, body)
		}
		scheme := &wire.Scheme{Method: wire.Scheme_ALL, Rate: 1, Rounds: 2}
		add(&wire.Record{Body: &wire.Record_RoundOpen{RoundOpen: &wire.RoundOpen{Scheme: scheme}}})
		add(&wire.Record{Body: &wire.Record_Contribution{Contribution: &wire.Contribution{
			Unit: "MARKER", Parts: []*wire.Part{{Values: stream.AppendCells(nil, counts)}},
		}}})
		add(&wire.Record{Body: &wire.Record_RoundClose{RoundClose: &wire.RoundClose{Units: 1, Records: 1,
			UnitDigest: wire.UnitDigest("MARKER")}}})
	}
	return encode(wire.Kind_CONTRIBUTIONS, wire.Side_PRIVATE, cut, func(h *wire.Header) {
		h.Model, h.Run, h.Unit = "lda", "r", wire.Unit_DOCUMENT
		h.Matrices = []*wire.Matrix{{Name: "topics", Rows: 2, Columns: 4, Element: wire.Element_FLOAT32}}
		if change != nil {
			change(h)
		}
	}, records...)
}

// sets are parameters of rounds 0 and following, with the given weights of K×4.
func sets(cut bool, change func(*wire.Header), weights ...[]float32) []byte {
	var records []*wire.Record
	for i, w := range weights {
		alpha := []*wire.Scalar{{Name: "alpha", Value: 1}}
		records = append(records,
			&wire.Record{Round: uint32(i), Body: &wire.Record_Parameters{Parameters: &wire.Parameters{Scalars: alpha}}},
			&wire.Record{Round: uint32(i),
				Body: &wire.Record_Block{Block: &wire.Block{Values: stream.AppendCells(nil, w)}}})
	}
	return encode(wire.Kind_PARAMETERS, wire.Side_PUBLIC, cut, func(h *wire.Header) {
		h.Model, h.Run = "lda", "r"
		h.Matrices = []*wire.Matrix{{Name: "weights", Rows: uint32(len(weights[0]) / 4), Columns: 4,
			Element: wire.Element_FLOAT32}}
		if change != nil {
			change(h)
		}
	}, records...)
}

func attackFiles() map[string][]byte {
	weights := [][]float32{{.4, .2, .2, .2, .2, .2, .3, .3}, {.25, .25, .25, .25, .2, .4, .2, .2},
		{.1, .1, .4, .4, .1, .1, .4, .4}}
	return map[string][]byte{
		"z.pp":            assignments(false, nil),
		"cut-z.pp":        assignments(true, nil),
		"other-run.pp":    assignments(false, func(h *wire.Header) { h.Run = "other" }),
		"words.pp":        assignments(false, func(h *wire.Header) { h.Model = "words" }),
		"params.pp":       sets(false, nil, weights...),
		"cut-params.pp":   sets(true, nil, weights[:1]...),
		"short-params.pp": sets(false, nil, weights[:1]...),
		"wide-params.pp":  sets(false, nil, slices.Repeat([]float32{.25}, 12), slices.Repeat([]float32{.25}, 12)),
		"other-params.pp": sets(false, func(h *wire.Header) { h.Vocabulary = vocab[1:].Hash() }, weights...),
	}
}

func smallFiles() map[string][]byte {
	lambda := []float64{6, 2, 1, 1, 3, 3, 4, 20}
	bags := [][]uint32{{0, 1}, {0, 1, 3}, {2, 3}}
	return map[string][]byte{
		"scores.pp":     scores(false),
		"cut-scores.pp": scores(true), "round.pp": scoresUnder(7, 7, false), "rounds.pp": scoresUnder(0, 7, false),
		"by-round.pp": scoresByRound(wire.Side_PUBLIC, func(int, *wire.Score) {}),
		"public-round.pp": encode(wire.Kind_SCORES, wire.Side_PUBLIC, false, nil,
			&wire.Record{Round: 7, Body: &wire.Record_Score{Score: &wire.Score{Tokens: 5, Bound: -9, Unigram: -9}}}),
		"hopeless-round.pp": encode(wire.Kind_SCORES, wire.Side_PUBLIC, false, nil,
			&wire.Record{Round: 7, Body: &wire.Record_Score{Score: &wire.Score{Tokens: 5, Bound: -9e5, Unigram: -9}}}),
		"private-by-round.pp": scoresByRound(wire.Side_PRIVATE, func(int, *wire.Score) {}),
		"sampled.pp": scoresByRound(wire.Side_PUBLIC, func(round int, s *wire.Score) {
			s.Bound, s.CompletionTokens, s.Completion = 0, 1, -math.Log(8)
		}),
		"sampled-round.pp": encode(wire.Kind_SCORES, wire.Side_PUBLIC, false, nil,
			&wire.Record{Round: 7, Body: &wire.Record_Score{Score: &wire.Score{Tokens: 5, PlugIn: -5 * math.Log(3),
				Unigram: -5 * math.Log(4)}}}),
		"partly-sampled.pp": scoresByRound(wire.Side_PUBLIC, func(round int, s *wire.Score) {
			if round == 3 && s.Tokens == 2 {
				s.Bound = 0
			}
		}),
		"other-tokens.pp": scoresByRound(wire.Side_PUBLIC, func(round int, s *wire.Score) {
			if round == 3 {
				s.Tokens++
			}
		}),
		"no-scores.pp":  encode(wire.Kind_SCORES, wire.Side_PRIVATE, false, nil),
		"model.pp":      model(false, vocab, 4, lambda...),
		"three.pp":      model(false, vocab, 4, 3, 3, 4, 20, 5, 5, 5, 5, 60, 20, 10, 10),
		"common.pp":     model(false, vocab, 4, 40, 30, 20, 10, 69, 1, 10, 20),           // cat is common
		"rare.pp":       model(false, vocab, 4, 3e4, 3e4, 2, 1e-3, 3e4, 3e4, 1e-3, 1e-3), // fish is rare
		"near.pp":       model(false, vocab, 4, 5, 3, 1, 1, 6, 2, 1, 1),
		"other.pp":      model(false, vocabulary.Words{"dog", "cat", "fish", "goat"}, 4, lambda...),
		"cut-model.pp":  model(true, vocab, 4, lambda...),
		"no-words.pp":   model(false, nil, 4, lambda...),
		"narrow.pp":     model(false, vocab, 2, lambda...),
		"negative.pp":   model(false, vocab, 4, 6, 2, 1, -1, 3, 3, 4, 20),
		"documents.pp":  documents(wire.Side_PUBLIC, nil, bags...),
		"private.pp":    documents(wire.Side_PRIVATE, nil, bags...),
		"other-docs.pp": documents(wire.Side_PUBLIC, func(h *wire.Header) { h.Vocabulary = vocab[1:].Hash() }, bags...),
		"few-docs.pp":   documents(wire.Side_PUBLIC, nil, []uint32{0, 2}, []uint32{0}, []uint32{2}), // no dog, no goat
		"no-docs.pp":    documents(wire.Side_PUBLIC, nil),
	}
}

func TestScripts(t *testing.T) {
	all := files()
	maps.Copy(all, replayFiles(t))
	script.Run(t, all)
}
