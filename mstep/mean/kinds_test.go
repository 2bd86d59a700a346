package mean

import (
	"math"
	"testing"

	"privpipe/pipelines/model/publictext"
)

// TestKinds: frequencies that are a mixture of topics have the weights of the mixture, by kind. A topic before all
// kinds counts for none.
func TestKinds(t *testing.T) {
	base := []float64{.25, .2, .2, .15, .1, .1}
	topics := [][]float64{
		{.25, .2, .2, .15, .1, .1},   // of all text
		{.6, .3, .02, .03, .04, .01}, // of laws
		{.1, .7, .05, .05, .05, .05}, // of laws
		{.02, .03, .6, .3, .01, .04}, // of talk
		{.03, .02, .01, .04, .4, .5}, // of health
	}
	text := &publictext.Text{Frequencies: base, Kinds: []publictext.Kind{
		{Name: "laws", First: 1}, {Name: "talk", First: 3}, {Name: "health", First: 4},
	}}
	for _, topic := range topics {
		lifts := make([]float32, len(topic))
		for v, p := range topic {
			lifts[v] = float32(math.Log(p / base[v]))
		}
		text.Topics = append(text.Topics, lifts)
	}
	mixture := make([]float64, len(base))
	for v := range mixture {
		mixture[v] = .4*topics[1][v] + .2*topics[2][v] + .3*topics[3][v] + .1*topics[4][v]
	}
	got := kinds(mixture, text)
	if len(got) != 3 {
		t.Fatalf("%d kinds, want 3", len(got))
	}
	for i, want := range []float64{.6, .3, .1} {
		if got[i].Name != text.Kinds[i].Name || math.Abs(got[i].Share-want) > 0.005 {
			t.Errorf("%v, want %s with %v", got[i], text.Kinds[i].Name, want)
		}
	}
	if text.Kinds = nil; len(kinds(mixture, text)) != 0 {
		t.Error("kinds of a text without names")
	}
}
