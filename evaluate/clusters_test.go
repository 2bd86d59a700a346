package main

import (
	"fmt"

	"privpipe/pipelines/vocabulary"
	"privpipe/pipelines/wire"
	"privpipe/pipelines/wire/stream"
)

// clusterFiles are predictions of clusters, and vectors of their documents. MARKER must not come out. The labels are
// those of the case "same" of testdata/sklearn_clusters.py of package score with one document moved: x, x, y, z, z and
// z in the clusters 1, 1, 2, 3, 3 and 2. A seventh document, in cluster 1, has no label.
func clusterFiles() map[string][]byte {
	names := vocabulary.Words{"cluster_1", "cluster_2", "cluster_3", "cluster_4"}
	of := func(id, label string, probabilities ...float32) *wire.Record {
		p := &wire.Prediction{Id: id, Label: label, Probabilities: stream.AppendCells(nil, probabilities)}
		return &wire.Record{Body: &wire.Record_Prediction{Prediction: p}}
	}
	first, second, third := []float32{0.5, 0.25, 0.25, 0}, []float32{0, 0.5, 0.5, 0}, []float32{0.25, 0.25, 0.5, 0}
	seven := func(labels ...string) (all []*wire.Record) {
		for i, p := range [][]float32{first, first, second, third, third, second, first} {
			all = append(all, of(fmt.Sprintf("MARKER-%d", i), labels[i], p...))
		}
		return all
	}
	labelled := seven("x", "x", "y", "z", "z", "z", "")
	// The vectors of the documents 0 to 5, and one without a prediction between.
	points := [][2]float32{{0, 0}, {0, 1}, {0, 5}, {-3, 4}, {-3, 0}, {0, 5}}
	vector := func(id string, x, y float32) *wire.Record {
		d := &wire.Document{Id: id}
		var ids []uint32
		var values []float32
		for i, value := range []float32{x, y} {
			if value != 0 {
				ids, values = append(ids, uint32(i)), append(values, value)
			}
		}
		d.WordGaps, d.Values = wire.AppendGaps(nil, ids), stream.AppendCells(nil, values)
		return &wire.Record{Body: &wire.Record_Document{Document: d}}
	}
	var at []*wire.Record
	for i, p := range points {
		at = append(at, vector(fmt.Sprintf("MARKER-%d", i), p[0], p[1]))
		if i == 2 {
			at = append(at, vector("MARKER-unknown", 9, 9))
		}
	}
	vectors := func(side wire.Side, cut bool, records ...*wire.Record) []byte {
		return encode(wire.Kind_DOCUMENTS, side, cut, func(h *wire.Header) {
			dimensions := vocabulary.Words{"d1", "d2"}
			h.Values, h.Vocabulary, h.VocabularySize = true, dimensions.Hash(), 2
		}, records...)
	}
	none := make([]string, 7)
	return map[string][]byte{
		"clusters.pp":        predicted(wire.Side_PRIVATE, false, names, labelled...),
		"public-clusters.pp": predicted(wire.Side_PUBLIC, false, names, labelled...),
		"cut-clusters.pp":    predicted(wire.Side_PRIVATE, true, names, labelled...),
		"no-labels.pp":       predicted(wire.Side_PUBLIC, false, names, seven(none...)...),
		"no-ids.pp":          predicted(wire.Side_PRIVATE, false, names, of("", "x", first...)),
		"same-id.pp":         predicted(wire.Side_PRIVATE, false, names, labelled[0], labelled[1], labelled[0]),
		"two-clusters.pp":    predicted(wire.Side_PUBLIC, false, names, labelled[0], labelled[1], labelled[2]),
		"odd-labels.pp": predicted(wire.Side_PUBLIC, false, names, of("a", "x\ty", first...),
			of("b", "-", third...)),
		"vectors.pp":          vectors(wire.Side_PUBLIC, false, at...),
		"private-vectors.pp":  vectors(wire.Side_PRIVATE, false, at...),
		"cut-vectors.pp":      vectors(wire.Side_PRIVATE, true, at...),
		"same-vectors.pp":     vectors(wire.Side_PRIVATE, false, at[0], at[1], at[0]),
		"other-vectors.pp":    vectors(wire.Side_PRIVATE, false, at[3]),
		"one-cluster-only.pp": vectors(wire.Side_PUBLIC, false, at[0], at[1]),
	}
}
