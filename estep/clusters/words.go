package clusters

import (
	"math"
	"sync/atomic"

	"privpipe/estep/job"
	"privpipe/estep/row"
	"privpipe/pipelines/model"
	"privpipe/pipelines/wire"
	"privpipe/pipelines/wire/stream"
)

// Words implements model.EStep for the words of clusters. A document contributes the roots of its counts, scaled to
// norm 1, in the row of its most probable cluster. A document without a vector contributes nothing.
type Words struct {
	model    *job.Released
	clusters map[name]uint32 // of the documents that have a vector; noCluster: of zeros
	joined   *atomic.Bool    // whether some document had a vector
}

// A name is the id of a document and its user. It is the same in the streams of words and of vectors.
type name struct{ user, id string }

func nameOf(d *wire.Document) name { return name{d.User, d.Id} }

// Settings implements model.EStep.
func (m *Words) Settings() any { return m.model.Settings() }

// SetParameters implements model.EStep. The clusters were released before.
func (m *Words) SetParameters(*stream.Set, model.Size) error { return nil }

// NewWorker implements model.EStep.
func (m *Words) NewWorker() model.Worker { return &wordsWorker{Words: m} }

type wordsWorker struct {
	*Words
	parts model.Parts
}

// Contribute implements model.Worker. The numbers are rounded towards 0, so the norm is at most 1.
func (w *wordsWorker) Contribute(d *wire.Document, _ *model.Coins) ([]*wire.Part, error) {
	cluster, found := w.clusters[nameOf(d)]
	if !found || cluster == noCluster || len(d.Counts) == 0 {
		return nil, nil
	}
	w.joined.Store(true)
	tokens := 0.0
	for _, count := range d.Counts {
		tokens += float64(count)
	}
	values := make([]float32, len(d.Counts))
	for i, count := range d.Counts {
		values[i] = row.TowardsZero(math.Sqrt(float64(count) / tokens))
	}
	return w.parts.Set(0, []uint32{cluster}, wire.AppendIDs(nil, d.WordGaps), values), nil
}
