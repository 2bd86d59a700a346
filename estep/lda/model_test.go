package lda

import (
	"strings"
	"testing"

	"privpipe/estep/model/modeltest"
	"privpipe/pipelines/wire"
)

func TestModel(t *testing.T) {
	const k, v = 9, 120
	for _, o := range []Options{
		{}, {Shape: Shape{TopTopics: 5, Binary: true, Norm: 1}},
		{Length: Length{Words: 30}}, {Length: Length{Words: 30, Resample: true}},
	} {
		o.Tolerance, o.Iterations = 1e-3, 20
		m := New(o)
		shapes, err := m.Shapes(&wire.Header{VocabularySize: v}, parametersHeader(k, v))
		if err != nil {
			t.Fatal(err)
		}
		topics, weights := randomTopics(3, k, v, 0.1)
		m.topics = topics
		lambda := make([]float64, len(weights))
		for i, w := range weights {
			lambda[i] = float64(w)
		}
		if o.Length.Words == 0 { // whole documents are scored
			m.setMean(lambda)
		}
		modeltest.Run(t, modeltest.Case{Model: m, Words: v, Shapes: shapes, Norm: o.Shape.Norm})
	}
}

func parametersHeader(k, v uint32) *wire.Header {
	return &wire.Header{Model: Name, Matrices: []*wire.Matrix{{Name: "weights", Rows: k, Columns: v, Element: wire.Element_FLOAT32}}}
}

func TestShapesRefuses(t *testing.T) {
	for rule, h := range map[string]*wire.Header{
		"needs parameters":     nil,
		"must be of \"lda\"":   {Model: "words"},
		"over 7 words":         parametersHeader(3, 7),
		"no matrix of weights": {Model: Name},
	} {
		_, err := New(Options{}).Shapes(&wire.Header{VocabularySize: 9}, h)
		if err == nil || !strings.Contains(err.Error(), rule) {
			t.Errorf("got %v, want an error about %q", err, rule)
		}
	}
}
