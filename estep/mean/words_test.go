package mean

import (
	"bytes"
	"fmt"
	"math"
	"testing"

	"privpipe/pipelines/model"
	"privpipe/pipelines/model/families"
	"privpipe/pipelines/model/modeltest"
	"privpipe/pipelines/model/publictext"
	"privpipe/pipelines/wire"
	"privpipe/pipelines/wire/stream"
)

func TestWords(t *testing.T) {
	m := NewWords()
	m.logarithms = make([]float64, 50)
	for v := range m.logarithms {
		m.logarithms[v] = math.Log(1.0 / 50)
	}
	modeltest.EStep(t, modeltest.Case{Family: families.Words, Step: m, Size: model.Size{Words: 50}, Norm: 1})
}

func TestWordsScore(t *testing.T) {
	m := NewWords()
	m.logarithms = []float64{math.Log(0.5), math.Log(0.25), math.Log(0.25)}
	s, err := wordsWorker{m}.Score(&wire.Document{Id: "d", WordGaps: []uint32{0, 2}, Counts: []uint32{2, 1}})
	if err != nil {
		t.Fatal(err)
	}
	if want := math.Log(0.5 * 0.5 * 0.25); math.Abs(s.Bound-want) > 1e-12 || s.Tokens != 3 {
		t.Errorf("got %v, want a bound of %v for 3 words", s, want)
	}
	if _, err := (wordsWorker{NewWords()}).Score(&wire.Document{}); err == nil {
		t.Error("scored without a model")
	}
}

// TestScaledWords: the counts of each word are divided by its scale before the norm, and the settings name the public
// text.
func TestScaledWords(t *testing.T) {
	text := &publictext.Text{Frequencies: []float64{.5, .25, .25}, Digest: [32]byte{7}}
	m := NewScaledWords(text)
	parts, err := m.NewWorker().Contribute(&wire.Document{WordGaps: []uint32{0, 2}, Counts: []uint32{3, 1}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	a, b := 3/math.Pow(3*.5+.05, .25), 1/math.Pow(3*.25+.05, .25)
	norm := math.Hypot(a, b)
	want := stream.AppendCells(nil, []float32{float32(a / norm), float32(b / norm)})
	if !bytes.Equal(parts[0].Values, want) {
		t.Errorf("values %x, want %x", parts[0].Values, want)
	}
	unnamed := NewScaledWords(&publictext.Text{Frequencies: text.Frequencies})
	if NewWords().Settings() != nil || fmt.Sprint(m.Settings()) == fmt.Sprint(unnamed.Settings()) {
		t.Error("the settings must be none without public text, and name it otherwise")
	}
}
