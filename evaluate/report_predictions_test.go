package main

import (
	"bytes"
	"cmp"
	"slices"
	"strings"
	"testing"

	"privpipe/evaluate/internal/page"
	"privpipe/evaluate/report"
	families "privpipe/pipelines/model"
	"privpipe/pipelines/model/modelfile"
	"privpipe/pipelines/testkit/script"
	"privpipe/pipelines/vocabulary"
	"privpipe/pipelines/wire"
	"privpipe/pipelines/wire/stream"
)

// A reportMatrix is a matrix of a model file.
type reportMatrix struct {
	name    string
	rows    int
	columns int
	cells   []float64
}

// weightModel is a model file of run monday, after round 4.
func weightModel(family string, words vocabulary.Words, matrices ...reportMatrix) []byte {
	h := &wire.Header{
		Version: wire.Version, Kind: wire.Kind_PARAMETERS, Side: wire.Side_PUBLIC, Run: "monday", Model: family,
		Vocabulary: words.Hash(), VocabularySize: uint32(len(words)),
	}
	scalars := []*wire.Scalar{{Name: "precision", Value: 0.5}, {Name: "rounds", Value: reportRounds}}
	records := []*wire.Record{
		{Body: &wire.Record_Words{Words: &wire.Words{Words: words}}},
		{Round: reportRounds, Body: &wire.Record_Parameters{Parameters: &wire.Parameters{Scalars: scalars}}},
	}
	for i, m := range matrices {
		h.Matrices = append(h.Matrices,
			&wire.Matrix{Name: m.name, Rows: uint32(m.rows), Columns: uint32(m.columns), Element: wire.Element_FLOAT64})
		records = append(records, &wire.Record{Round: reportRounds, Body: &wire.Record_Block{
			Block: &wire.Block{Matrix: uint32(i), Values: stream.AppendCells(nil, m.cells)},
		}})
	}
	b, _ := script.Stream(h, records...)
	return b
}

// rowModel is a model of blr over hostile features, with the mean 1, −2, 3, … and these variances.
func rowModel(variances ...float64) []byte {
	n := len(hostile)
	mean, moments := make([]float64, n), make([]float64, n*n)
	for i := range mean {
		mean[i] = float64(i+1) * float64(1-i%2*2)
	}
	for i := range mean {
		for j := range mean {
			moments[i*n+j] = mean[i] * mean[j]
		}
		moments[i*n+i] += variances[i%len(variances)]
	}
	return weightModel("blr", hostile, reportMatrix{"mean", 1, n, mean}, reportMatrix{"moments", n, n, moments})
}

// predictedBy is a stream of predictions in columns by a model file, after round 4 unless they state a round.
func predictedBy(model []byte, side wire.Side, columns vocabulary.Words, change func(*wire.Header),
	records ...*wire.Record) []byte {
	named := &wire.Record{Body: &wire.Record_Words{Words: &wire.Words{Words: columns}}}
	for _, r := range records {
		r.Round = cmp.Or(r.Round, reportRounds)
	}
	return encode(wire.Kind_PREDICTIONS, side, false, func(h *wire.Header) {
		h.Vocabulary, h.VocabularySize, h.Run, h.Settings = columns.Hash(), uint32(len(columns)), "monday",
			digestOf(model)
		if change != nil {
			change(h)
		}
	}, append([]*wire.Record{named}, records...)...)
}

func reportedPredictions() map[string][]byte {
	class, letters := hostile[1:2], vocabulary.Words{"a", "b", "c"}
	rows, other, point := rowModel(0.25, 16), rowModel(0.5), rowModel(0)
	images := weightModel("words", fourPixels, reportMatrix{"probabilities", 1, 4, []float64{.4, .3, .2, .1}})
	five := func(round uint32) (all []*wire.Record) {
		for i, p := range []float32{0.875, 0.375, 0.75, 0.375, 0.125} {
			truth := []uint32{0}
			if i > 1 {
				truth = nil
			}
			all = append(all, prediction(round, "MARKER", truth, p))
		}
		return all
	}
	return map[string][]byte{
		"rows.pp":  rows,
		"point.pp": point,
		"deviations.pp": weightModel("dpvi", hostile[:2],
			reportMatrix{"mean", 1, 2, []float64{1, -2}}, reportMatrix{"deviation", 1, 2, []float64{0.25, 4}}),
		"rows-predictions.pp":         predictedBy(rows, wire.Side_PUBLIC, class, nil, five(0)...),
		"private-rows-predictions.pp": predictedBy(rows, wire.Side_PRIVATE, class, nil, five(0)...),
		"other-rows-predictions.pp":   predictedBy(other, wire.Side_PUBLIC, class, nil, five(0)...),
		"no-model-predictions.pp": predictedBy(rows, wire.Side_PUBLIC, class,
			func(h *wire.Header) { h.Settings = nil }, five(0)...),
		"early-predictions.pp": predictedBy(rows, wire.Side_PUBLIC, class, nil, five(3)...),
		"letters-predictions.pp": predictedBy(rows, wire.Side_PUBLIC, letters, nil,
			prediction(0, "", []uint32{0}, 0.5, 0.25, 0.25), prediction(0, "", []uint32{1}, 0.5, 0.25, 0.25),
			prediction(0, "", []uint32{2}, 0, 0, 1)),
		"pixels.pp": images,
		"pixels-predictions.pp": predictedBy(images, wire.Side_PUBLIC, fourPixels, nil,
			prediction(0, "MARKER", []uint32{0}, 1, 0.5, 0.25, 0),
			prediction(0, "MARKER", []uint32{0, 1}, 0.75, 0.5, 0, 0)),
	}
}

// TestHiddenUnits: the page shows hidden units only for a family with a matrix "weights" from hidden units to pixels.
func TestHiddenUnits(t *testing.T) {
	weights := families.Matrix[float64]{Name: "weights", Rows: families.Components, Columns: families.Words}
	family := &families.Family{Name: "network", Model: []families.Field{weights}}
	file := func(words []string) *modelfile.File {
		b := weightModel(family.Name, words, reportMatrix{"weights", 2, 4, []float64{1, -1, 0.5, 0, 2, 2, 2, -2}})
		set := must(stream.ReadSet(must(stream.NewReader(bytes.NewReader(b), "f")), nil))
		return &modelfile.File{Name: "f", Words: words, Family: family, Size: families.Size{Words: 4, Components: 2},
			Set: set}
	}
	p := new(page.Page)
	if err := report.AddWeights(p, file(fourPixels)); err != nil || p.Units == nil || len(p.Units.All) != 2 ||
		p.Units.All[0].ID != 1 || p.Units.Size.Columns != 2 {
		t.Fatalf("%v: units %+v", err, p.Units)
	}
	html, err := p.HTML()
	for _, want := range []string{`aria-label="Weights of hidden unit 1" viewBox="0 0 2 2"><path class="less3" d="M1 1h1v1h-1z"/><path class="more3"`, "unit 0: 1<"} {
		if err != nil || !strings.Contains(string(html), want) {
			t.Errorf("%v: the page has no %s", err, want)
		}
	}
	p = new(page.Page)
	if err := report.AddWeights(p, file(vocab)); err != nil || p.Units != nil {
		t.Errorf("of words: %v, %+v", err, p.Units)
	}
}

// TestBrowserPredictions: a page with coefficients, hidden units, and predictions of classes and of pixels is as sound
// as a page of topics.
func TestBrowserPredictions(t *testing.T) {
	p, err := pageOf(t, report.Report{Model: "rows.pp", Predictions: "rows-predictions.pp"})
	if err != nil {
		t.Fatal(err)
	}
	of, err := pageOf(t, report.Report{Model: "pixels.pp", Predictions: "pixels-predictions.pp", Top: 15})
	if err != nil {
		t.Fatal(err)
	}
	p.Predictions.Pixels = of.Predictions.Pixels // no model predicts both
	p.Units = page.NewUnits(p.Predictions.Pixels.Size, slices.Repeat([]float64{1, -1, 0.5, 0}, 3))
	html, err := p.HTML()
	if err != nil {
		t.Fatal(err)
	}
	b := browse(t, html)
	for _, wrong := range b.Wrong {
		t.Error(wrong)
	}
	if f := b.Facts; f.Foreign != 0 || f.Scripts != 1 || !slices.Contains(f.Rules, "svg-img-alt") ||
		!strings.Contains(f.Text, hostile[1]) {
		t.Errorf("%d foreign elements, %d scripts, rules %v", f.Foreign, f.Scripts, f.Rules)
	}
}
