package main

import (
	"fmt"

	"privpipe/evaluate/measure"
	"privpipe/pipelines/vocabulary"
	"privpipe/pipelines/wire"
	"privpipe/pipelines/wire/stream"
)

// predicted is a stream of predictions in columns.
func predicted(side wire.Side, cut bool, columns vocabulary.Words, records ...*wire.Record) []byte {
	named := &wire.Record{Body: &wire.Record_Words{Words: &wire.Words{Words: columns}}}
	return encode(wire.Kind_PREDICTIONS, side, cut, func(h *wire.Header) {
		h.Vocabulary, h.VocabularySize = columns.Hash(), uint32(len(columns))
	}, append([]*wire.Record{named}, records...)...)
}

// prediction is one for a document of which the columns truth, as gaps, are true.
func prediction(round uint32, label string, truth []uint32, probabilities ...float32) *wire.Record {
	p := &wire.Prediction{Id: "MARKER", Label: label, Probabilities: stream.AppendCells(nil, probabilities),
		TruthGaps: truth}
	return &wire.Record{Round: round, Body: &wire.Record_Prediction{Prediction: p}}
}

// predictionFiles are streams of predictions. MARKER must not come out.
func predictionFiles() map[string][]byte {
	class := vocabulary.Words{"1"}
	of := func(round uint32, probability float32, label string, truth ...uint32) *wire.Record {
		return prediction(round, label, truth, probability)
	}
	five := []*wire.Record{of(0, 0.875, "1", 0), of(0, 0.375, "1", 0), of(0, 0.75, "0"), of(0, 0.375, "0"),
		of(0, 0.125, "0")}
	letters := vocabulary.Words{"a", "b", "c"}
	var confused []*wire.Record // of TestMacroF1Peer of package score
	for class, guesses := range map[int][]int{0: {0, 0, 0, 1, 2}, 1: {1, 1, 0}, 2: {2, 1}} {
		for _, k := range guesses {
			p := []float32{0.25, 0.25, 0.25}
			p[k] = 0.375
			confused = append(confused, prediction(0, "MARKER", []uint32{uint32(class)}, p...))
		}
	}
	many := make(vocabulary.Words, measure.MaxClasses+1)
	for i := range many {
		many[i] = fmt.Sprint(i)
	}
	return map[string][]byte{
		"classes.pp":        predicted(wire.Side_PRIVATE, false, letters, confused...),
		"public-classes.pp": predicted(wire.Side_PUBLIC, false, letters, confused...),
		"cut-classes.pp":    predicted(wire.Side_PRIVATE, true, letters, confused...),
		"tied-classes.pp": predicted(wire.Side_PUBLIC, false, letters,
			prediction(0, "", []uint32{1}, 0.25, 0.5, 0.5)),
		"two-truths.pp": predicted(wire.Side_PRIVATE, false, letters,
			prediction(0, "MARKER", []uint32{0, 1}, 0, 0, 0)),
		"no-truth.pp":           predicted(wire.Side_PRIVATE, false, letters, prediction(0, "MARKER", nil, 0, 0, 0)),
		"no-predictions.pp":     predicted(wire.Side_PRIVATE, false, letters),
		"many-classes.pp":       predicted(wire.Side_PRIVATE, false, many),
		"half.pp":               predicted(wire.Side_PUBLIC, false, class, of(0, 0.5, "0"), of(0, 0.5, "1", 0)),
		"predictions.pp":        predicted(wire.Side_PRIVATE, false, class, five...),
		"public-predictions.pp": predicted(wire.Side_PUBLIC, false, class, five...),
		"cut-predictions.pp":    predicted(wire.Side_PRIVATE, true, class, five...),
		"one-class.pp":          predicted(wire.Side_PRIVATE, false, class, five[2:]...),
		"one-positive.pp":       predicted(wire.Side_PRIVATE, false, class, five[1:]...),
		"no-class.pp":           predicted(wire.Side_PRIVATE, false, class, append(five[:5:5], of(0, 0.5, ""))...),
		"in-rounds.pp":          predicted(wire.Side_PRIVATE, false, class, of(1, 0.5, "1", 0), of(2, 0.5, "0")),
		"columns.pp":            predicted(wire.Side_PRIVATE, false, vocabulary.Words{"1", "2"}),
	}
}

// fourPixels are the pixels of an image of 2 × 2.
var fourPixels = vocabulary.Words{"row0_column0", "row0_column1", "row1_column0", "row1_column1"}

// imageFiles are predictions of the images of TestPixels of package score, and training images. MARKER must not come
// out.
func imageFiles() map[string][]byte {
	images := []*wire.Record{
		prediction(0, "MARKER", []uint32{0}, 1, 0.5, 0.25, 0),
		prediction(0, "MARKER", []uint32{0, 1}, 0.75, 0.5, 0, 0),
		prediction(0, "MARKER", []uint32{1, 1}, 0.75, 0.625, 0.5, 1),
	}
	training := func(side wire.Side, bags ...[]uint32) []byte {
		return documents(side, func(h *wire.Header) { h.Vocabulary, h.VocabularySize = fourPixels.Hash(), 4 }, bags...)
	}
	return map[string][]byte{
		"images.pp":        predicted(wire.Side_PRIVATE, false, fourPixels, images...),
		"public-images.pp": predicted(wire.Side_PUBLIC, false, fourPixels, images...),
		"cut-images.pp":    predicted(wire.Side_PRIVATE, true, fourPixels, images...),
		"one-image.pp":     predicted(wire.Side_PUBLIC, false, fourPixels, images[2]),
		"no-images.pp":     predicted(wire.Side_PUBLIC, false, fourPixels),
		"train.pp":         training(wire.Side_PUBLIC, []uint32{0, 1}, []uint32{0}, []uint32{0, 2}, []uint32{1}),
		"private-train.pp": training(wire.Side_PRIVATE, []uint32{0}),
		"no-train.pp":      training(wire.Side_PUBLIC),
	}
}
