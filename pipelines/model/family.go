package model

import (
	"fmt"

	"privpipe/pipelines/wire"
	"privpipe/pipelines/wire/stream"
)

// A Family is a kind of model.
type Family struct {
	Name string // in headers, grants and charges

	// Values says that the family's documents hold real numbers, one for each of their words, instead of counts.
	Values bool

	// Features is the vocabulary of all documents in the family; nil: each run has its own vocabulary.
	Features []string

	// NonNegative says that no cell in a contribution is negative, whatever the document and the parameters.
	// modeltest.RoundTrip tests it. Only then may a reader of releases conclude from a positive sum that a document
	// contributed to it.
	NonNegative bool

	// Statistics returns the matrices in contributions and releases, for a model with the given size.
	Statistics func(Size) []*wire.Matrix

	// Parameters are the fields that the E-step reads before each round; nil: it needs none. The E-step learns K from
	// their shapes. So without parameters Statistics gets a Size with Components 0 in training, and must not depend on
	// K.
	Parameters []Field

	Model []Field // the fields in a model file

	// Topics returns the weight of each word in each component in a model file: K × V cells, row by row, all positive.
	// It is nil if the family's components are not distributions over words.
	Topics func(*stream.Set, Size) ([]float64, error)
}

// Size is a model's size. It is public.
type Size struct {
	Words      int // V: words in the vocabulary, which may be features of rows or pixels of images
	Components int // K: topics, clusters or hidden units; 0: the family has none, or no parameters say how many
}

// A Dimension is a number of rows or columns that depends on the model's size.
type Dimension int

const (
	One        Dimension = iota
	Words                // V
	Components           // K
	Pairs                // K(K+1)/2: pairs of components, one with itself, too
)

// Of returns the dimension's value at a size.
func (d Dimension) Of(s Size) int {
	return [...]int{One: 1, Words: s.Words, Components: s.Components, Pairs: s.Components * (s.Components + 1) / 2}[d]
}

// Fit returns the model's size for documents and parameters with these headers. parameters may be nil only if the
// family's E-step needs none. The error names the mismatch.
func (f *Family) Fit(documents, parameters *wire.Header) (Size, error) {
	size := Size{Words: int(documents.VocabularySize)}
	switch {
	case size.Words == 0:
		return Size{}, fmt.Errorf("documents have no vocabulary")
	case f.Values && !documents.Values:
		return Size{}, fmt.Errorf("documents hold counts of words, model %s is of real numbers", f.Name)
	case documents.Values && !f.Values:
		return Size{}, fmt.Errorf("documents hold real numbers, model %s is of counts of words", f.Name)
	case parameters == nil && f.Parameters != nil:
		return Size{}, fmt.Errorf("model %s needs parameters", f.Name)
	case parameters == nil:
		return size, f.checkShapes(size)
	case parameters.VocabularySize != documents.VocabularySize:
		return Size{}, fmt.Errorf("parameters are over %d words, documents over %d", parameters.VocabularySize,
			documents.VocabularySize)
	}
	size, err := f.Size(parameters)
	for _, field := range f.Parameters {
		if err == nil {
			err = field.check(parameters, size)
		}
	}
	if err == nil {
		err = f.checkShapes(size)
	}
	return size, err
}

// checkShapes refuses statistics without cells, which a family has if it does not know its K.
func (f *Family) checkShapes(size Size) error {
	for _, m := range f.Statistics(size) {
		switch {
		case m.Rows > 0 && m.Columns > 0:
		case f.Parameters == nil:
			return fmt.Errorf("statistic %q of model %s has %d × %d cells: Family.Parameters is nil, so the E-step "+
				"knows no K",
				m.Name, f.Name, m.Rows, m.Columns)
		default:
			return fmt.Errorf("statistic %q of model %s has %d × %d cells: no matrix of Family.Parameters has a "+
				"dimension Components",
				m.Name, f.Name, m.Rows, m.Columns)
		}
	}
	return nil
}

// Size returns the model's size from the header of its parameters or of its model file.
func (f *Family) Size(parameters *wire.Header) (Size, error) {
	if parameters.Model != f.Name {
		return Size{}, fmt.Errorf("parameters are of model %q, must be of %q", parameters.Model, f.Name)
	}
	size := Size{Words: int(parameters.VocabularySize)}
	for _, fields := range [][]Field{f.Parameters, f.Model} {
		for _, field := range fields {
			if size.Components == 0 {
				size.Components = field.components(parameters)
			}
		}
	}
	return size, nil
}

// Named returns the family with this name.
func Named(families []*Family, name string) (*Family, error) {
	for _, f := range families {
		if f.Name == name {
			return f, nil
		}
	}
	return nil, fmt.Errorf("model %q is none that this program knows", name)
}
