package model_test

import (
	"strings"
	"testing"

	"privpipe/pipelines/model"
	"privpipe/pipelines/model/families"
	"privpipe/pipelines/model/lda"
	"privpipe/pipelines/wire"
)

func ldaHeader(words uint32, matrices ...*wire.Matrix) *wire.Header {
	return &wire.Header{Model: "lda", VocabularySize: words, Matrices: matrices}
}

// TestFit: what a model is read from says its size, and what does not fit is named.
func TestFit(t *testing.T) {
	weights := &wire.Matrix{Name: "weights", Rows: 3, Columns: 9, Element: wire.Element_FLOAT32}
	size, err := lda.Family.Fit(ldaHeader(9), ldaHeader(9, weights))
	if want := (model.Size{Words: 9, Components: 3}); err != nil || size != want {
		t.Errorf("size %+v, %v, want %+v", size, err, want)
	}
	if size, err := families.Words.Fit(ldaHeader(9), nil); err != nil || size != (model.Size{Words: 9}) {
		t.Errorf("size of words %+v, %v", size, err)
	}
	for rule, c := range map[string]struct{ documents, parameters *wire.Header }{
		"needs parameters":                        {ldaHeader(9), nil},
		"have no vocabulary":                      {ldaHeader(0), ldaHeader(0, weights)},
		`of model "words", must be of "lda"`:      {ldaHeader(9), &wire.Header{Model: "words", VocabularySize: 9}},
		"over 7 words, documents over 9":          {ldaHeader(9), ldaHeader(7, weights)},
		`there is no matrix "weights"`:            {ldaHeader(9), ldaHeader(9)},
		`"weights" is of 3 × 9, must be of 3 × 8`: {ldaHeader(8), ldaHeader(8, weights)},
		"elements FLOAT64, must have FLOAT32": {ldaHeader(9), ldaHeader(9, &wire.Matrix{
			Name: "weights", Rows: 3, Columns: 9, Element: wire.Element_FLOAT64,
		})},
		"must be of 3 × 3": {ldaHeader(3), ldaHeader(3, &wire.Matrix{
			Name: "weights", Rows: 3, Columns: 3, Element: wire.Element_FLOAT32, Symmetric: true,
		})},
	} {
		if _, err := lda.Family.Fit(c.documents, c.parameters); err == nil || !strings.Contains(err.Error(), rule) {
			t.Errorf("got %v, want an error about %q", err, rule)
		}
	}
}

// TestFitValues: a family of real numbers fits documents of real numbers only, and one of counts documents of counts
// only.
func TestFitValues(t *testing.T) {
	for _, values := range []bool{false, true} {
		f := *families.Words
		f.Values = values
		for _, documents := range []bool{false, true} {
			_, err := f.Fit(&wire.Header{VocabularySize: 9, Values: documents}, nil)
			if (err == nil) != (values == documents) || err != nil && !strings.Contains(err.Error(), "documents hold") {
				t.Errorf("family of values: %v, documents of values: %v, got %v", values, documents, err)
			}
		}
	}
}

// TestShapes: without parameters no K is known, so statistics that depend on it have no cells.
func TestShapes(t *testing.T) {
	f := *families.Words
	f.Statistics = func(s model.Size) []*wire.Matrix {
		return []*wire.Matrix{{Name: "shares", Rows: 1, Columns: uint32(s.Components)}}
	}
	if _, err := f.Fit(&wire.Header{VocabularySize: 9}, nil); err == nil ||
		!strings.HasSuffix(err.Error(), "1 × 0 cells: Family.Parameters is nil, so the E-step knows no K") {
		t.Errorf("without parameters: %v", err)
	}
	f.Parameters = []model.Field{families.Rounds}
	if _, err := f.Fit(&wire.Header{VocabularySize: 9}, &wire.Header{Model: "words", VocabularySize: 9}); err == nil ||
		!strings.HasSuffix(err.Error(), "no matrix of Family.Parameters has a dimension Components") {
		t.Errorf("with a number as the only parameter: %v", err)
	}
}

// TestStatistics: the shapes that grants, charges and releases of existing runs have.
func TestStatistics(t *testing.T) {
	for _, c := range []struct {
		family        *model.Family
		name          string
		rows, columns uint32
	}{{lda.Family, "topics", 5, 70}, {families.Words, "words", 1, 70}} {
		m := c.family.Statistics(model.Size{Words: 70, Components: 5})
		if len(m) != 1 || m[0].Name != c.name || m[0].Rows != c.rows || m[0].Columns != c.columns ||
			m[0].Element != wire.Element_FLOAT32 {
			t.Errorf("%s: %v", c.family.Name, m)
		}
	}
}
