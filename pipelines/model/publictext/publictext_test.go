package publictext

import (
	"errors"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"privpipe/pipelines/model"
	"privpipe/pipelines/vocabulary"
)

func text() *Text {
	return &Text{
		Vocabulary: vocabulary.Words{"cat", "dog", "fish", "owl"}, Frequencies: []float64{.4, .3, .2, .1}, First: 1,
		Topics: [][]float32{{1, -1, 0, .5}, {0, 2, 0, -3}}, Features: [][]float32{{5, 6, 7, 8}},
		Kinds: []Kind{{"small talk", 0}, {"a = b, laws", 1}},
	}
}

func written(t *testing.T, text *Text) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "public.pp")
	if err := text.Write(t.Context(), name, "auto"); err != nil {
		t.Fatal(err)
	}
	return name
}

// TestRoundTrip: over its own vocabulary a file says what was written, and over another the same of the same words,
// wherever they are.
func TestRoundTrip(t *testing.T) {
	name := written(t, text())
	same, err := Open(t.Context(), name, text().Vocabulary)
	if err != nil {
		t.Fatal(err)
	}
	for v, p := range text().Frequencies {
		if math.Abs(same.Frequencies[v]-p) > 1e-15 {
			t.Errorf("frequency %d is %v, want %v", v, same.Frequencies[v], p)
		}
	}
	if !slices.Equal(same.Topics[1], text().Topics[1]) ||
		!slices.Equal(same.Features[0], text().Features[0]) || same.First != 1 ||
		!slices.Equal(same.Kinds, text().Kinds) {
		t.Errorf("read %+v", same)
	}
	other, err := Open(t.Context(), name, vocabulary.Words{"owl", "ant", "cat"})
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(other.Topics[0], []float32{.5, 0, 1}) || !slices.Equal(other.Features[0], []float32{8, 0, 5}) ||
		!slices.Equal(other.Kinds, text().Kinds) {
		t.Errorf("over another vocabulary: %+v", other)
	}
	for v, want := range []float64{.1 / .6, .1 / .6, .4 / .6} { // an unknown word counts as the rarest
		if math.Abs(other.Frequencies[v]-want) > 1e-15 {
			t.Errorf("frequency %d is %v, want %v", v, other.Frequencies[v], want)
		}
	}
	if same.Digest != other.Digest {
		t.Error("the digest depends on the vocabulary that the file is read for")
	}
}

// TestDigest: each part of a text changes its digest, and a model file has it.
func TestDigest(t *testing.T) {
	base := text()
	want, err := Open(t.Context(), written(t, base), base.Vocabulary)
	if err != nil {
		t.Fatal(err)
	}
	for what, change := range map[string]func(*Text){
		"a word": func(x *Text) { x.Vocabulary[3] = "bee" }, "a frequency": func(x *Text) { x.Frequencies[0] = .41 },
		"a topic": func(x *Text) { x.Topics[1][2] = .25 }, "a feature": func(x *Text) { x.Features[0][0] = 4 },
		"the first topics": func(x *Text) { x.First = 2 },
		"a kind":           func(x *Text) { x.Kinds[0].Name = "talk" },
	} {
		changed := text()
		change(changed)
		got, err := Open(t.Context(), written(t, changed), base.Vocabulary)
		if err != nil {
			t.Fatal(err)
		}
		if got.Digest == want.Digest {
			t.Errorf("another %s does not change the digest", what)
		}
	}
	s := new(model.Snapshot)
	want.PutDigest(s)
	if len(s.Cells) != 1 || 8*s.Cells[0].Len() != len(want.Digest) {
		t.Errorf("the digest takes %d matrices", len(s.Cells))
	}
}

// TestRefuses: a file with what no estimate can use is refused with the rule.
func TestRefuses(t *testing.T) {
	for want, change := range map[string]func(*Text){
		"each cell of frequencies must be in (0, 1]":        func(x *Text) { x.Frequencies[1] = 0 },
		"each cell of log_lifts must be in [-30, 30]":       func(x *Text) { x.Topics[0][0] = 31 },
		"each cell of features must be in [-10000, 10000]":  func(x *Text) { x.Features[0][3] = -2e4 },
		"first must be a whole number of topics, at most 2": func(x *Text) { x.First = 3 },
		`"first of laws" must be a topic from 0 to 1, is 2`: func(x *Text) { x.Kinds = []Kind{{"laws", 2}} },
		`"first of " must be a topic from 0 to 1, is 1`:     func(x *Text) { x.Kinds = []Kind{{"", 1}} },
		"two kinds begin with topic 1": func(x *Text) {
			x.Kinds = []Kind{{"laws", 1}, {"talk", 1}}
		},
	} {
		changed := text()
		change(changed)
		_, err := Open(t.Context(), written(t, changed), changed.Vocabulary)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %s", err, want)
		}
	}
	_, err := Open(t.Context(), written(t, text()), vocabulary.Words{"cat", "x", "y"})
	if !errors.Is(err, ErrUnknownWords) ||
		!strings.Contains(err.Error(), "does not have half of the words") {
		t.Errorf("a vocabulary of other words: %v", err)
	}
}
