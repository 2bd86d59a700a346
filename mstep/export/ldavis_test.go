package export

import (
	"encoding/json"
	"math"
	"os"
	"slices"
	"testing"

	"privpipe/pipelines/model/modelfile"
)

// near checks that numbers are equal except for rounding.
func near(t *testing.T, name string, got, want []float64, tolerance float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Errorf("%s: %d numbers, want %d", name, len(got), len(want))
		return
	}
	for i := range got {
		if math.Abs(got[i]-want[i]) > tolerance*max(1, math.Abs(want[i])) {
			t.Errorf("%s: number %d is %v, want %v", name, i, got[i], want[i])
			return
		}
	}
}

func same[T comparable](t *testing.T, name string, got, want []T) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s is %v, want %v", name, got, want)
	}
}

// TestAsPyLDAvis: the numbers of pyLDAvis 3.4 for the same topics, which testdata/ldavis.py wrote.
func TestAsPyLDAvis(t *testing.T) {
	content, err := os.ReadFile("testdata/pyldavis.json")
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Words  []string
		Lambda []float64
		Want   view
	}
	if err := json.Unmarshal(content, &file); err != nil {
		t.Fatal(err)
	}
	want := &file.Want
	got := newView(&modelfile.Topics{Words: file.Words, Cells: file.Lambda, Number: len(file.Lambda) / len(file.Words)})
	if got.R != 30 || want.R != 30 || got.Step != want.Step || got.Options["xlab"] != want.Options["xlab"] {
		t.Errorf("R %d, step %v, options %v", got.R, got.Step, got.Options)
	}
	same(t, "order", got.Order, want.Order)
	same(t, "topics", got.Coordinates.Topics, want.Coordinates.Topics)
	same(t, "clusters", got.Coordinates.Cluster, want.Coordinates.Cluster)
	near(t, "percent", got.Coordinates.Percent, want.Coordinates.Percent, 1e-12)
	for name, axis := range map[string][2][]float64{
		"x": {got.Coordinates.X, want.Coordinates.X}, "y": {got.Coordinates.Y, want.Coordinates.Y},
	} {
		if axis[0][0]*axis[1][0] < 0 { // an axis has either sign
			for i := range axis[1] {
				axis[1][i] *= -1
			}
		}
		near(t, name, axis[0], axis[1], 1e-9)
		if most := slices.MaxFunc(axis[0],
			func(a, b float64) int { return int(math.Copysign(1, math.Abs(a)-math.Abs(b))) }); most < 0 {
			t.Errorf("%s: the largest coordinate is %v, want it positive", name, most)
		}
	}
	same(t, "categories", got.Bars.Category, want.Bars.Category)
	same(t, "terms", got.Bars.Term, want.Bars.Term)
	near(t, "frequencies", got.Bars.Freq, want.Bars.Freq, 1e-9)
	near(t, "totals", got.Bars.Total, want.Bars.Total, 1e-9)
	near(t, "log probabilities", got.Bars.LogProb, want.Bars.LogProb, 1e-9)
	near(t, "log lifts", got.Bars.LogLift, want.Bars.LogLift, 1e-9)
	same(t, "words of circles", got.Tokens.Term, want.Tokens.Term)
	same(t, "topics of circles", got.Tokens.Topic, want.Tokens.Topic)
	near(t, "circles", got.Tokens.Freq, want.Tokens.Freq, 1e-9)
}

// TestSliderAtOne: two words have all but equal probabilities, and another topic has one of them, too. Only the end of
// the slider shows this word.
func TestSliderAtOne(t *testing.T) {
	m := &modelfile.Topics{Number: 2}
	for i := range visWords - 1 {
		m.Words = append(m.Words, string(rune('a'+i)))
	}
	m.Words = append(m.Words, "common", "rare")
	m.Cells = append(slices.Repeat([]float64{100}, visWords-1), 10.001, 10)
	m.Cells = append(append(m.Cells, slices.Repeat([]float64{1}, visWords-1)...), 9000, 0.5)
	v := newView(m)
	for i, category := range v.Bars.Category {
		if category == "Topic2" && v.Bars.Term[i] == "common" {
			return
		}
	}
	t.Errorf("the chart of the topic has no %q: %v", "common", v.Bars.Term)
}
