package gibbs

import (
	"privpipe/pipelines/model"
	"privpipe/pipelines/wire"
)

// The statistics that a document contributes.
const (
	Expected   = "expected"   // the mean over sweeps of each token's conditional probabilities, its topic integrated out
	Counts     = "counts"     // of words by topic, after the last sweep
	Increments = "increments" // by how much these counts have changed in the round
)

// raw says that the statistic is whole numbers: the counts of words by topic as they are, or their changes.
func (o Options) raw() bool { return o.Statistic != Expected && o.Shape.Raw() }

// Hidden implements model.Hider. Of increments the counts are hidden, and needed. Documents have noise of their own in place only.
func (m *Model) Hidden(size model.Size) (hidden []*wire.Matrix, needed int) {
	k := uint32(size.Components)
	if m.options.Statistic == Increments {
		hidden = append(hidden, &wire.Matrix{Name: "counts", Rows: k, Columns: uint32(size.Words), Element: wire.Element_FLOAT32})
	}
	if m.options.InPlace {
		hidden = append(hidden, &wire.Matrix{Name: "document noise", Rows: 1, Columns: k, Element: wire.Element_FLOAT32})
	}
	return hidden, m.options.keptCounts()
}

// keptCounts is the number of the matrix that holds the counts: the statistic, or the first that is hidden.
func (o Options) keptCounts() int {
	if o.Statistic == Increments {
		return 1
	}
	return 0
}

// keptNoise is the number of the matrix that holds the noise of a document.
func (o Options) keptNoise() int { return o.keptCounts() + 1 }

// countedParts returns the statistic and the hidden counts of a document whose tokens had the topics before, nil for none, and have them now.
func (o Options) countedParts(t *tally, ids, word, before, now []uint32) []*wire.Part {
	if o.Statistic != Increments {
		return t.parts(nil, 0, ids, word, nil, now)
	}
	return t.parts(t.parts(nil, 0, ids, word, before, now), uint32(o.keptCounts()), ids, word, nil, now)
}
