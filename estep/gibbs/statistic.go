package gibbs

import (
	"privpipe/pipelines/model"
	"privpipe/pipelines/wire"
)

// The statistics that a document contributes.
const (
	// the mean over sweeps of each token's conditional probabilities, its topic integrated out
	Expected   = "expected"
	Counts     = "counts"     // of words by topic, after the last sweep
	Increments = "increments" // by how much these counts have changed in the round
)

// raw says that the statistic is whole numbers: the counts of words by topic as they are, or their changes.
func (o Options) raw() bool { return o.Statistic != Expected && o.Shape.Raw() }

// Hidden implements model.Hider. With increments the counts are hidden and needed. Only in place do documents have
// their own noise.
func (m *Model) Hidden(size model.Size) (hidden []*wire.Matrix, needed int) {
	k := uint32(size.Components)
	if m.options.Statistic == Increments {
		hidden = append(hidden, &wire.Matrix{Name: "counts", Rows: k, Columns: uint32(size.Words),
			Element: wire.Element_FLOAT32})
	}
	if m.options.InPlace {
		hidden = append(hidden,
			&wire.Matrix{Name: "document noise", Rows: 1, Columns: k, Element: wire.Element_FLOAT32})
	}
	return hidden, m.options.keptCounts()
}

// keptCounts is the number of the matrix with the counts: the statistic, or the first hidden matrix.
func (o Options) keptCounts() int {
	if o.Statistic == Increments {
		return 1
	}
	return 0
}

// keptNoise is the number of the matrix with the document's noise.
func (o Options) keptNoise() int { return o.keptCounts() + 1 }

// countedParts returns the document's statistic and hidden counts. before has the tokens' topics before the round (nil:
// none), now their topics now. The statistic has the noise that draws added; the hidden counts do not.
func (o Options) countedParts(t *tally, ids, word, before, now []uint32, added []float32) []*wire.Part {
	if o.Statistic != Increments {
		return t.parts(nil, 0, ids, word, nil, now, nil)
	}
	return t.parts(t.parts(nil, 0, ids, word, before, now, added), uint32(o.keptCounts()), ids, word, nil, now, nil)
}
