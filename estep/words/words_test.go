package words

import (
	"math"
	"testing"

	"privpipe/pipelines/model"
	"privpipe/pipelines/model/modeltest"
	"privpipe/pipelines/model/words"
	"privpipe/pipelines/wire"
)

func TestModel(t *testing.T) {
	m := New()
	m.logarithms = make([]float64, 50)
	for v := range m.logarithms {
		m.logarithms[v] = math.Log(1.0 / 50)
	}
	modeltest.EStep(t, modeltest.Case{Family: words.Family, Step: m, Size: model.Size{Words: 50}, Norm: 1})
}

func TestScore(t *testing.T) {
	m := New()
	m.logarithms = []float64{math.Log(0.5), math.Log(0.25), math.Log(0.25)}
	s, err := worker{m}.Score(&wire.Document{Id: "d", WordGaps: []uint32{0, 2}, Counts: []uint32{2, 1}})
	if err != nil {
		t.Fatal(err)
	}
	if want := math.Log(0.5 * 0.5 * 0.25); math.Abs(s.Bound-want) > 1e-12 || s.Tokens != 3 {
		t.Errorf("got %v, want a bound of %v for 3 words", s, want)
	}
	if _, err := (worker{New()}).Score(&wire.Document{}); err == nil {
		t.Error("scored without a model")
	}
}
